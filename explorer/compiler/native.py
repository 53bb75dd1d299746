"""Native code for a lowered program: LLVM makes it, the search calls it through its addresses."""

from __future__ import annotations

import atexit
import functools
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from explorer.compiler import cache
from explorer.compiler.llvm_program import module_text
from explorer.compiler.packing import Packing, Words, pack_leaves
from explorer.compiler.program import Program

# LLVM's levels of code generation. Quick code takes an eighth of the time to make and runs at half the speed; for tuned code
# LLVM's passes simplify the terms as well.
QUICK, TUNED = 0, 1
# Of the passes.
_SPEED = 2

# For longer texts LLVM's passes take many seconds, and the code gets hardly faster.
_LONG = 400_000

# How long making quick code takes, by the length of the module's text: what a search is told to weigh better code against.
# A fixed figure, so that nothing depends on how fast the machine happened to be.
_SECONDS_PER_CHARACTER = 1.5e-7

# The last programs compiled: all designs of a system share one.
_KEPT = 8
_recent: list[Native] = []

# Held while LLVM works: at the end of the process nothing may be taken away under it.
_at_work = threading.Lock()


@atexit.register
def _finish() -> None:
    with _at_work:
        pass


@dataclass(frozen=True)
class Native:
    """A program's machine code.

    The addresses (see ``llvm_program`` for the functions' arguments) are valid as long as this object lives.
    ``seconds`` is what a search should weigh better code against: about how long it took to make quick code.
    """

    program: Program
    packing: Packing
    text: str
    level: int
    expand: int
    check: int
    step: int
    final: int
    label: int
    engine: Any

    @property
    def seconds(self) -> float:
        return math.inf if self.level == TUNED else len(self.text) * _SECONDS_PER_CHARACTER

    def pack(self, values: Sequence[int]) -> Words:
        """One number per leaf as the words of a state."""
        return self.packing.pack(values)

    def unpack(self, words: Words) -> tuple[int, ...]:
        """The words of a state as one number per leaf."""
        return self.packing.unpack(words)

    def tuned_code(self) -> bytes:
        """Faster machine code for the same functions. Another thread may make it."""
        return object_code(self.text, TUNED)

    def tuned(self, code: bytes | None = None) -> Native:
        """The same functions as faster code, for a search that turns out to be a long one; ``code`` is that code if it is
        made already."""
        if self.level == TUNED:
            return self
        code = self.tuned_code() if code is None else code
        made = _native(self.program, self.packing, self.text, TUNED, code)
        _remember(made)
        return made


def compile_program(program: Program, level: int | None = None) -> Native:
    """The program's successor and property functions for this machine.

    Without a ``level``: tuned if such code was made before, else quick. A program that was compiled a moment ago is not compiled again.

    Raises
    ------
    ModelError
        The state or a number in the program is too wide.
    """
    for native in _recent:
        if native.program is program and level in (None, native.level):
            return native
    packing = pack_leaves(program.leaves)
    text = module_text(program, packing)
    code = cache.find(_name(text, TUNED)) if level is None else None
    if code is not None:
        level = TUNED
    else:
        level = QUICK if level is None else level
        code = object_code(text, level)
    native = _native(program, packing, text, level, code)
    _remember(native)
    return native


def _native(program: Program, packing: Packing, text: str, level: int, code: bytes) -> Native:
    engine = load(code)
    find = engine.get_function_address
    return Native(
        program,
        packing,
        text,
        level,
        expand=find("expand"),
        check=find("check"),
        step=find("step"),
        final=find("final"),
        label=find("label"),
        engine=engine,
    )


def _remember(native: Native) -> None:
    """Put it first; of one program only the code that was made last is offered again."""
    others = [other for other in _recent if other.program is not native.program]
    _recent[:] = [native, *others[: _KEPT - 1]]


def object_code(text: str, level: int = QUICK) -> bytes:
    """Machine code for a module's text, from the cache if it is there."""
    return cache.fetch(_name(text, level), lambda: machine_code(text, level))


def machine_code(text: str, level: int) -> bytes:
    """Machine code for a module's text.

    Quick code is made without LLVM's optimisation passes: they would take longer than most searches.
    """
    with _at_work:
        return _made(text, level)


def _made(text: str, level: int) -> bytes:
    machine = _machine(level)
    # A context is not for two threads, and code is tuned beside the search.
    context = llvm.create_context()
    module = llvm.parse_assembly(text, context)
    try:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if level > QUICK and len(text) < _LONG:
            options = llvm.create_pipeline_tuning_options(speed_level=_SPEED)
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))
    finally:
        # In this order, whatever else still refers to them.
        module.close()
        context.close()


def _name(text: str, level: int) -> str:
    """What names the code in the cache: all that it depends on."""
    return cache.name_of([text, str(level), *target()])


@functools.cache
def target() -> tuple[str, ...]:
    """What machine code depends on besides its source: LLVM and the processor."""
    version = ".".join(map(str, llvm.llvm_version_info))
    features = llvm.get_host_cpu_features().flatten()
    triple = llvm.get_process_triple()
    return llvmlite.__version__, version, triple, llvm.get_host_cpu_name(), features


def load(code: bytes) -> Any:
    """The execution engine that holds the machine code."""
    # Its own module is empty, and in the global context: this is for one thread, that of the search.
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
