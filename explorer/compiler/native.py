"""Native code for a lowered program: LLVM makes it, the search calls it through its addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm

from explorer.compiler.llvm_program import module_text
from explorer.compiler.packing import Packing, Words, pack_leaves
from explorer.compiler.program import Program


@dataclass(frozen=True)
class Native:
    """A program's machine code.

    The addresses (see ``llvm_program`` for the functions' arguments) are valid as long as this object lives.
    """

    program: Program
    packing: Packing
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


def compile_program(program: Program) -> Native:
    """Compile the program's successor and property functions for this machine.

    Raises
    ------
    ModelError
        The state or a number in the program is too wide.
    """
    packing = pack_leaves(program.leaves)
    engine = load(object_code(module_text(program, packing)))
    addresses = (engine.get_function_address(name) for name in ("expand", "check", "step", "final"))
    return Native(program, packing, *addresses, engine=engine)


def object_code(text: str) -> bytes:
    """Machine code for a module's text.

    Without LLVM's optimisation passes: the terms are already shared and folded, and the passes would take longer than most
    searches. The code generator alone keeps values in registers.
    """
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    return bytes(machine.emit_object(module))


def load(code: bytes) -> Any:
    """The execution engine that holds the machine code."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=1,
        reloc="pic",
        codemodel="jitdefault",
    )
