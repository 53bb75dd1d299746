"""Native code for a lowered program: LLVM makes it, the search calls it through its addresses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from explorer.compiler.llvm_program import module_text
from explorer.compiler.packing import Packing, Words, pack_leaves
from explorer.compiler.program import Program

# LLVM's levels of code generation. Quick code takes an eighth of the time to make and runs at two thirds of the speed.
QUICK, TUNED = 0, 1


@dataclass(frozen=True)
class Native:
    """A program's machine code.

    The addresses (see ``llvm_program`` for the functions' arguments) are valid as long as this object lives.
    ``seconds`` is how long LLVM took.
    """

    program: Program
    packing: Packing
    text: str
    seconds: float
    expand: int
    check: int
    step: int
    final: int
    engine: Any

    def pack(self, values: Sequence[int]) -> Words:
        """One number per leaf as the words of a state."""
        return self.packing.pack(values)

    def unpack(self, words: Words) -> tuple[int, ...]:
        """The words of a state as one number per leaf."""
        return self.packing.unpack(words)

    def tuned(self) -> Native:
        """The same functions as faster code, for a search that turns out to be a long one."""
        return _compile(self.program, self.packing, self.text, TUNED)


def compile_program(program: Program, level: int = QUICK) -> Native:
    """Compile the program's successor and property functions for this machine.

    Raises
    ------
    ModelError
        The state or a number in the program is too wide.
    """
    packing = pack_leaves(program.leaves)
    return _compile(program, packing, module_text(program, packing), level)


def _compile(program: Program, packing: Packing, text: str, level: int) -> Native:
    started = time.perf_counter()
    engine = load(object_code(text, level))
    seconds = time.perf_counter() - started
    find = engine.get_function_address
    return Native(
        program,
        packing,
        text,
        seconds,
        find("expand"),
        find("check"),
        find("step"),
        find("final"),
        engine,
    )


def object_code(text: str, level: int = QUICK) -> bytes:
    """Machine code for a module's text.

    Without LLVM's optimisation passes: the terms are already shared and folded, and the passes would take longer than most
    searches.
    """
    machine = _machine(level)
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


def load(code: bytes) -> Any:
    """The execution engine that holds the machine code."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine(QUICK))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _machine(level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="jitdefault",
    )
