"""Memory by address and calls by address, for compiled loops.

numba's arrays are counted references: passing them between functions costs more here than the search itself.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_BYTE, _HALF, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _cell(builder: Any, kind: Any, address: Any, index: Any) -> Any:
    base = builder.inttoptr(address, kind.as_pointer())
    return builder.gep(base, [index], source_etype=kind)


@intrinsic  # type: ignore[untyped-decorator]
def get(typing_context: Any, address: Any, index: Any) -> Any:
    """The 64-bit word at a place of an array, as a signed integer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_cell(builder, _WORD, *args), typ=_WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def get_bits(typing_context: Any, address: Any, index: Any) -> Any:
    """The 64-bit word at a place of an array, as an unsigned integer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_cell(builder, _WORD, *args), typ=_WORD)

    return types.uint64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def put(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Store a 64-bit word, signed or not."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _cell(builder, _WORD, args[0], args[1]))
        return context.get_dummy_value()

    kind = types.uint64 if value == types.uint64 else types.int64
    return types.void(types.int64, types.int64, kind), generate


@intrinsic  # type: ignore[untyped-decorator]
def get_half(typing_context: Any, address: Any, index: Any) -> Any:
    """The unsigned 32-bit integer at a place of an array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(_cell(builder, _HALF, *args), typ=_HALF), _WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def put_half(typing_context: Any, address: Any, index: Any, value: Any) -> Any:
    """Store the low 32 bits of an integer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(builder.trunc(args[2], _HALF), _cell(builder, _HALF, args[0], args[1]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
    """Ask for the cache line of a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _BYTE.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, _HALF, _HALF, _HALF])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        place = builder.bitcast(_cell(builder, _WORD, *args), pointer)
        builder.call(function, [place, _HALF(0), _HALF(3), _HALF(1)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def call(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Call the native function at an address with 64-bit integers (addresses, too); its 64-bit result."""
    arity = len(arguments)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(_WORD, [_WORD] * arity)
        pointer = builder.inttoptr(args[0], function.as_pointer())
        return builder.call(pointer, [builder.extract_value(args[1], i) for i in range(arity)])

    return types.int64(types.int64, types.UniTuple(types.int64, arity)), generate
