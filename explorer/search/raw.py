"""Memory by address and calls by address, for compiled loops. An index counts items from the address."""

from __future__ import annotations

from collections.abc import Callable

from explorer.compiler.wordcode import Operation

_Emit = Callable[[str], str]


def _cell(emit: _Emit, kind: str, address: str, index: str) -> str:
    base = emit(f"inttoptr i64 {address} to ptr")
    return emit(f"getelementptr {kind}, ptr {base}, i64 {index}")


def _get(bits: int) -> Operation:
    kind = f"i{bits}"

    def load(emit: _Emit, operands: list[str]) -> str:
        number = emit(f"load {kind}, ptr {_cell(emit, kind, *operands)}, align {bits // 8}")
        return number if bits == 64 else emit(f"zext {kind} {number} to i64")

    return Operation(load, f"get(address, index): the {bits}-bit number there, not signed.")


def _put(bits: int) -> Operation:
    kind = f"i{bits}"

    def store(emit: _Emit, operands: list[str]) -> str:
        address, index, word = operands
        number = word if bits == 64 else emit(f"trunc i64 {word} to {kind}")
        cell = _cell(emit, kind, address, index)
        return emit(f"store {kind} {number}, ptr {cell}, align {bits // 8}")

    return Operation(store, f"put(address, index, word): store a word's low {bits} bits.")


def _prefetch(emit: _Emit, operands: list[str]) -> str:
    cell = _cell(emit, "i64", *operands)
    return emit(f"call void @llvm.prefetch.p0(ptr {cell}, i32 0, i32 3, i32 1)")


def _call(emit: _Emit, operands: list[str]) -> str:
    function = emit(f"inttoptr i64 {operands[0]} to ptr")
    return emit(f"call i64 {function}({', '.join(f'i64 {o}' for o in operands[1:])})")


def _below(emit: _Emit, operands: list[str]) -> str:
    return emit(f"zext i1 {emit(f'icmp ult i64 {operands[0]}, {operands[1]}')} to i64")


def _line(emit: _Emit, address: str, index: str) -> str:
    return emit(f"load <8 x i64>, ptr {_cell(emit, 'i64', address, index)}, align 8")


def _eight(emit: _Emit, word: str) -> str:
    one = emit(f"insertelement <8 x i64> poison, i64 {word}, i64 0")
    return emit(f"shufflevector <8 x i64> {one}, <8 x i64> poison, <8 x i32> zeroinitializer")


def _bits(emit: _Emit, truths: str) -> str:
    return emit(f"zext i8 {emit(f'bitcast <8 x i1> {truths} to i8')} to i64")


def _equal(emit: _Emit, operands: list[str]) -> str:
    address, index, word = operands
    line = _line(emit, address, index)
    return _bits(emit, emit(f"icmp eq <8 x i64> {line}, {_eight(emit, word)}"))


def _tagged(emit: _Emit, operands: list[str]) -> str:
    address, index, word = operands
    differ = emit(f"xor <8 x i64> {_line(emit, address, index)}, {_eight(emit, word)}")
    return _bits(emit, emit(f"icmp ult <8 x i64> {differ}, {_eight(emit, str(1 << 32))}"))


def _ones(emit: _Emit, operands: list[str]) -> str:
    return emit(f"call i64 @llvm.ctpop.i64(i64 {operands[0]})")


def _lowest(emit: _Emit, operands: list[str]) -> str:
    return emit(f"call i64 @llvm.cttz.i64(i64 {operands[0]}, i1 false)")


get, get_half, get_quarter, get_byte = map(_get, (64, 32, 16, 8))
put, put_half, put_quarter, put_byte = map(_put, (64, 32, 16, 8))
prefetch = Operation(
    _prefetch, "prefetch(address, index): ask for the cache line of a 64-bit word."
)
call = Operation(_call, "call(address, arguments...): call native code; its 64-bit result.")
equal = Operation(
    _equal, "equal(address, index, word): a bit for each of eight words that is that word."
)
tagged = Operation(
    _tagged, "tagged(address, index, word): the same, comparing the highest 32 bits."
)
lowest = Operation(_lowest, "lowest(word): the number of the lowest bit set; 64 if there is none.")
ones = Operation(_ones, "ones(word): how many bits are set.")
below = Operation(_below, "below(a, b): a < b, not signed.")
