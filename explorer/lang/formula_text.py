"""Reads formulas in Spot's syntax: ``G (waiting -> F passed)``.

From weakest to strongest, as in Spot's documentation of its concrete syntax: ``<->`` and ``->`` (to the right), ``xor``, ``|``,
``&``, the binary ``U R W M V`` (to the right), the unary ``X F G ! [] <> ()``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.lang.errors import ModelError
from explorer.lang.formulas import (
    DEEPEST,
    FALSE,
    TRUE,
    And,
    Atom,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    always,
    check_size,
    eventually,
    weak_until,
)

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<name>"(?:[^"\\]|\\.)*"|[^\W\d]\w*)
    | (?P<op><->|<=>|->|=>|\[\]|<>|\(\)|&&|\|\||/\\|\\/|[()!~&|^*+])
    | (?P<number>[01](?!\w))
    )""",
    re.VERBOSE,
)
_SAME = {
    "&&": "&", "/\\": "&", "*": "&", "||": "|", "\\/": "|", "+": "|", "~": "!", "=>": "->",
    "<=>": "<->", "^": "xor", "[]": "G", "<>": "F", "()": "X", "V": "R", "1": "true", "0": "false",
}  # fmt: skip
_UNARY = ("X", "F", "G", "!")
_BINARY = ("U", "R", "W", "M")
_WORDS = frozenset([*_UNARY, *_BINARY, "V", "true", "false", "xor"])


@dataclass(frozen=True)
class _Token:
    text: str
    """The operator in its main spelling, or the name of an atom."""
    is_name: bool
    start: int
    end: int


def parse(text: str) -> Formula:
    """The formula in ``text``; its atoms hold names. Raises ModelError that shows where it goes wrong."""
    return check_size(_Parser(text).whole())


def _tokens(text: str) -> Iterator[_Token]:
    end = len(text.rstrip())
    at = 0
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise _error(text, at, at + 1, "this is no part of a formula")
        at = found.end()
        word = found.group().strip()
        start = at - len(word)
        if word.startswith('"'):
            yield _Token(re.sub(r"\\(.)", r"\1", word[1:-1]), True, start, at)
        elif found["name"] and word not in _WORDS:
            yield from _word(word, start)
        else:
            yield _Token(_SAME.get(word, word), False, start, at)


def _word(word: str, start: int) -> Iterator[_Token]:
    """Operators may be written together, as in ``GFp``, where what is left is a lower-case name."""
    split = re.fullmatch(r"([GFX]+)([a-z_]\w*)?", word)
    if split is None or (split[2] is None and len(word) == 1):
        yield _Token(word, True, start, start + len(word))
        return
    for i, letter in enumerate(split[1]):
        yield _Token(letter, False, start + i, start + i + 1)
    if split[2]:
        yield _Token(split[2], True, start + len(split[1]), start + len(word))


def _error(text: str, start: int, end: int, problem: str, hint: str | None = None) -> ModelError:
    caret = " " * start + "^" * max(1, end - start)
    return ModelError(f"{problem}:\n    {text}\n    {caret}", hint=hint or _HINT)


_HINT = "operators are G F X U R W M ! & | -> <->, as in G (waiting -> F passed)"


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0

    def whole(self) -> Formula:
        if not self.tokens:
            raise ModelError("the formula is empty", hint=_HINT)
        result = self.implication()
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            raise _error(self.text, token.start, token.end, "an operator is missing before this")
        return result

    def operator(self) -> str | None:
        """The operator that comes next, if it is one."""
        if self.at < len(self.tokens) and not self.tokens[self.at].is_name:
            return self.tokens[self.at].text
        return None

    def take(self, *operators: str) -> str | None:
        found = self.operator()
        if found not in operators:
            return None
        self.at += 1
        return found

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ModelError(f"the formula is nested more than {DEEPEST} deep", hint=_HINT)

    def implication(self) -> Formula:
        self.deeper()
        left = self.exclusive()
        found = self.take("->", "<->")
        if found is not None:
            right = self.implication()
            left = Or(Not(left), right) if found == "->" else _same(left, right)
        self.depth -= 1
        return left

    def exclusive(self) -> Formula:
        result = self.disjunction()
        while self.take("xor"):
            result = Not(_same(result, self.disjunction()))
        return result

    def disjunction(self) -> Formula:
        result = self.conjunction()
        while self.take("|"):
            result = Or(result, self.conjunction())
        return result

    def conjunction(self) -> Formula:
        result = self.binary()
        while self.take("&"):
            result = And(result, self.binary())
        return result

    def binary(self) -> Formula:
        self.deeper()
        left = self.unary()
        found = self.take(*_BINARY)
        if found is not None:
            right = self.binary()
            match found:
                case "U":
                    left = Until(left, right)
                case "R":
                    left = Release(left, right)
                case "W":
                    left = weak_until(left, right)
                case _:
                    left = Until(right, And(left, right))
        self.depth -= 1
        return left

    def unary(self) -> Formula:
        operators = []
        while (found := self.take(*_UNARY)) is not None:
            operators.append(found)
        result = self.primary()
        for operator in reversed(operators):
            match operator:
                case "X":
                    result = Next(result)
                case "F":
                    result = eventually(result)
                case "G":
                    result = always(result)
                case _:
                    result = Not(result)
        return result

    def primary(self) -> Formula:
        if self.at == len(self.tokens):
            end = len(self.text)
            raise _error(self.text, end, end + 1, "the formula ends where an operand should follow")
        token = self.tokens[self.at]
        self.at += 1
        if token.is_name:
            return Atom(token.text)
        match token.text:
            case "true":
                return TRUE
            case "false":
                return FALSE
            case "(":
                result = self.implication()
                if not self.take(")"):
                    raise _error(self.text, token.start, token.end, "this bracket is not closed")
                return result
        raise _error(self.text, token.start, token.end, "an operand is missing before this")


def _same(left: Formula, right: Formula) -> Formula:
    return Or(And(left, right), And(Not(left), Not(right)))
