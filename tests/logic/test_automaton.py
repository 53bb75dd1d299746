"""The translation accepts what satisfies the formula, and is small for the forms that people write."""

from __future__ import annotations

import random

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.formula_text import parse
from explorer.lang.formulas import FALSE, And, Atom, Not, Or, always_eventually, atoms
from explorer.logic.automaton import translate
from explorer.logic.normal import normal_form
from tests.logic.words import ATOMS, accepts, is_satisfied, random_formula, random_word, words

FORMS = [
    "p", "X p", "F p", "G p", "G F p", "F G p", "G (p -> F q)", "p U q", "p R q", "p W q", "p M q",
    "G (p -> X q)", "F p & F q", "G F p -> G F q", "!(p U q)", "!G (p -> F q)", "G (p -> p U q)",
    "F (p & X F q)", "(p U q) R p", "true", "false", "G (p xor X p)", "p <-> F q", "G F (p & X q)",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_the_automaton_accepts_what_satisfies_the_formula(text: str) -> None:
    f = parse(text)
    automaton = translate(f, ATOMS)
    for word in words(3):
        assert accepts(automaton, word) == is_satisfied(f, word), word


@pytest.mark.parametrize("seed", range(40))
def test_random_formulas_on_random_words(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(10):
        f = random_formula(r, r.randint(1, 7))
        try:
            automaton = translate(f, ATOMS)
        except ModelError:
            continue
        for _ in range(25):
            word = random_word(r, 6)
            assert accepts(automaton, word) == is_satisfied(f, word), (str(f), word)


@pytest.mark.parametrize("seed", range(10))
def test_the_normal_form_means_the_same(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(30):
        f = random_formula(r, r.randint(0, 7))
        normal, negated = normal_form(f), normal_form(f, negated=True)
        for _ in range(15):
            word = random_word(r, 5)
            assert is_satisfied(normal, word) == is_satisfied(f, word), (str(f), word)
            assert is_satisfied(negated, word) != is_satisfied(f, word), (str(f), word)


@pytest.mark.parametrize("seed", range(10))
def test_to_stop_is_to_repeat_the_letter(seed: int) -> None:
    r = random.Random(seed)
    for _ in range(10):
        f = random_formula(r, r.randint(1, 6))
        automaton = translate(f, ATOMS)
        for letter in range(4):
            assert automaton.stops(automaton.initial, letter) == is_satisfied(f, ((letter,), 0))


@pytest.mark.parametrize(
    ("text", "states", "conditions"),
    [
        ("F p", 2, 1),
        ("G p", 1, 0),
        ("G F p", 1, 1),
        ("F G p", 2, 1),
        ("G (p -> F q)", 2, 1),
        ("!F p", 1, 0),
        ("!G p", 2, 1),
        ("!G F p", 2, 1),
        ("!F G p", 1, 1),
        ("!G (p -> F q)", 2, 1),
        ("p U q", 2, 1),
        ("false", 1, 0),
        ("true", 1, 0),
    ],
)
def test_common_forms_are_small(text: str, states: int, conditions: int) -> None:
    automaton = translate(parse(text), ATOMS)
    assert (automaton.states, automaton.conditions) == (states, conditions)


@pytest.mark.parametrize("text", FORMS)
def test_how_a_formula_is_written_makes_no_difference(text: str) -> None:
    f = parse(text)
    wanted = translate(f, ATOMS).table
    assert translate(Not(Not(f)), ATOMS).table == wanted
    assert translate(Or(f, FALSE), ATOMS).table == wanted
    assert translate(And(Not(FALSE), f), ATOMS).table == wanted
    renamed = parse(text.replace("p", "zebra").replace("q", "aardvark"))
    names = [Atom("zebra"), Atom("aardvark")]
    assert len(translate(renamed, names).table) == len(wanted)
    assert set(atoms(renamed)) <= set(names)


def test_too_large_a_formula_is_refused() -> None:
    f = parse("true")
    for i in range(8):
        f = And(f, parse(f"F (p{i} & X q{i})"))
    with pytest.raises(ModelError, match="more than 64|thousands of states") as caught:
        translate(f, atoms(f))
    assert caught.value.hint.startswith("state its conjuncts as properties of their own")


def test_many_conditions_fit() -> None:
    f = parse("true")
    for i in range(5):
        f = And(f, always_eventually(Atom(i)))
    automaton = translate(f, atoms(f))
    assert (automaton.states, automaton.conditions) == (1, 5)


@pytest.mark.parametrize("seed", range(20))
def test_spot_agrees(seed: int) -> None:
    spot = pytest.importorskip("spot")
    r = random.Random(seed)
    for _ in range(10):
        f = random_formula(r, r.randint(1, 6))
        ours = translate(f, ATOMS)
        theirs = spot.translate(str(f), "BA")
        for _ in range(10):
            letters, loop = random_word(r, 5)
            shown = [f"{'' if x & 1 else '!'}p&{'' if x & 2 else '!'}q" for x in letters]
            prefix = "".join(f"{letter};" for letter in shown[:loop])
            word = spot.parse_word(f"{prefix}cycle{{{';'.join(shown[loop:])}}}")
            accepted = not spot.product(word.as_automaton(), theirs).is_empty()
            assert accepts(ours, (letters, loop)) == accepted, (str(f), letters, loop)


def test_what_comes_again_and_again_is_one_state() -> None:
    """``G f`` states ``f``, so nothing has to be remembered; and ten of them do not take ten times ten times as long."""
    f = parse(" & ".join(f"G F p{i}" for i in range(10)))
    assert translate(f, atoms(f)).states == 1


@pytest.mark.parametrize(
    "text", ["F p{i}", "G F p{i}", "F G p{i}", "G (p{i} -> F q{i})", "(p{i} U q{i})"]
)
def test_no_formula_takes_for_ever(text: str) -> None:
    f = parse(" & ".join(text.format(i=i) for i in range(30)))
    with pytest.raises(ModelError, match="thousands of states"):
        translate(f, atoms(f))


class _Enough(Exception):
    """The work is to end."""


@pytest.mark.parametrize("after", [0, 3, 30])
def test_the_translation_can_be_ended(after: int) -> None:
    f = parse(" | ".join(f"(G (p{i} -> F p{i + 1}))" for i in range(9)))
    left = iter(range(after))

    def pause() -> None:
        if next(left, None) is None:
            raise _Enough

    with pytest.raises(_Enough):
        translate(f, atoms(f), pause)
