"""Delta debugging of runs: the API for Python."""

from __future__ import annotations

import random

import pytest

from explorer.lang import ModelError
from explorer.lang.run import Next, instances, step
from explorer.lang.run import initial_states as starts
from explorer.shrink import Reduced, Run, shrink, shrink_steps
from tests.shrink.models import Counter, Level, Tanks

OPEN = {"valve": False, "float_switch": False}


def walk(system: Tanks, length: int, seed: int) -> list[str]:
    """A random run that ends where a cell is over for the first time."""
    chooser = random.Random(seed)
    state = next(s for _, s in starts(system))
    taken: list[str] = []
    while len(taken) < length:
        instance = chooser.choice(instances(system))
        outcome = step(system, state, instance)
        if isinstance(outcome, Next):
            taken.append(instance.text)
            state = outcome.state
            if any(state.over.values()):
                return taken
    raise AssertionError("the walk is too short")


@pytest.mark.parametrize("seed", range(5))
def test_a_long_run_becomes_the_shortest(seed: int) -> None:
    system = Tanks(design=OPEN)
    reduced = shrink_steps(system, walk(system, 5_000, seed), "nothing_is_wet")
    assert reduced.run.lines == ("fill(cell=Cell0)",) * 3
    assert reduced.minimal and reduced.stopped is None


def test_a_soft_panic_keeps_its_step() -> None:
    system = Tanks(design=OPEN)
    steps = ["look()", *["fill(cell=Cell2)", "look()"] * 2, "look()", "fill(cell=Cell2)", "look()"]
    steps += ["look()", "look()", "warn()"]
    reduced = shrink_steps(system, steps, "soft_panic:wet")
    assert reduced.run.lines[-1] == "warn()" and len(reduced.run.steps) == 5
    assert reduced.run.switches == 1


def test_a_panic_ends_the_run() -> None:
    system = Tanks(design=OPEN)
    steps = ["fill(cell=Cell0)", "fill(cell=Cell1)"] * 3 + ["slip(cell=Cell1)"]
    reduced = shrink_steps(system, steps, "panic:slipped")
    assert reduced.run.lines == ("fill(cell=Cell0)",) * 3 + ("slip(cell=Cell0)",)
    assert reduced.run.failure == "panic:slipped"


def test_a_witness_is_shrunk() -> None:
    system = Tanks()
    steps = [
        "fill(cell=Cell2)",
        "empty(cell=Cell2)",
        "look()",
        "fill(cell=Cell2)",
        "fill(cell=Cell1)",
    ]
    assert shrink_steps(system, steps, "two_are_half_full").run.lines == (
        "fill(cell=Cell0)",
        "fill(cell=Cell1)",
    )


def test_threads_are_brought_together() -> None:
    system = Tanks(design=OPEN)

    def both(run: Run) -> bool:
        return bool(sum(run.states[-1].over.values()) >= 2)

    steps = ["fill(cell=Cell1)", "fill(cell=Cell2)"] * 3
    reduced = shrink(system, steps, both)
    assert (len(reduced.run.steps), reduced.run.switches) == (6, 1)
    assert reduced.run.lines[0] == "fill(cell=Cell0)"


def test_an_oracle_sees_the_whole_run() -> None:
    system = Tanks()

    def climbs_down(run: Run) -> bool:
        tops = [max((i for i, v in enumerate(Level) if v in s.level.values())) for s in run.states]
        return any(a > b for a, b in zip(tops, tops[1:], strict=False))

    steps = ["look()", "fill(cell=Cell1)", "fill(cell=Cell1)", "look()", "empty(cell=Cell1)"]
    assert shrink(system, steps, climbs_down).run.lines == ("fill(cell=Cell0)", "empty(cell=Cell0)")


def test_pairs_of_steps_go_together() -> None:
    system = Tanks()

    def odd(run: Run) -> bool:
        looks = sum(line == "look()" for line in run.lines)
        return (
            looks % 2 == 1
            and run.states[-1].level[next(iter(run.states[-1].level))] > Level.first()
        )

    steps = ["look()", "fill(cell=Cell0)", "look()", "fill(cell=Cell1)", "look()"]
    assert len(shrink(system, steps, odd).run.steps) == 2


def test_it_ends_when_it_must() -> None:
    count = ["count()"] * 2_000

    def thousand(run: Run) -> bool:
        return bool(run.states[-1].tally >= 1_000)

    reduced = shrink(Counter(), count, thousand, max_steps=10_000)
    assert reduced.stopped == "step limit" and not reduced.minimal
    assert 1_000 <= len(reduced.run.steps) <= 2_000
    stopped = shrink(Counter(), count, thousand, stop=lambda: "interrupted")
    assert stopped.stopped == "interrupted"


@pytest.mark.parametrize("length", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_hundred_thousand_steps(length: int) -> None:
    system = Tanks(design=OPEN)
    reduced = shrink_steps(system, ["look()"] * length + ["fill(cell=Cell0)"] * 3, "nothing_is_wet")
    assert reduced.run.lines == ("fill(cell=Cell0)",) * 3


def test_the_same_every_time() -> None:
    system = Tanks(design=OPEN)
    steps = walk(system, 5_000, 9)

    def wet(run: Run) -> bool:
        return any(run.states[-1].over.values())

    first: Reduced = shrink(system, steps, wet)
    assert shrink(system, steps, wet).run.lines == first.run.lines


@pytest.mark.parametrize(
    ("steps", "name", "message"),
    [
        (["fill(cell=Cell0)"] * 3, "nothing_is_wet", "step 3 cannot be taken: fill"),
        (["fill(cell=Cell7)"], "nothing_is_wet", "step 1: cell: Cell7 is not in the scope"),
        (["pour(cell=Cell0)"], "nothing_is_wet", "step 1: Tanks has no action pour"),
        (["fill cell"], "nothing_is_wet", "step 1: 'fill cell' is not a step"),
        (["fill(Cell0)"], "nothing_is_wet", "is not a step"),
        (["look()"], "nothing_is_wet", "nothing_is_wet does not fail at the end"),
        (["look()"], "deadlock", "deadlock does not fail at the end"),
    ],
)
def test_what_cannot_be_shrunk(steps: list[str], name: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        shrink_steps(Tanks(), steps, name)
    assert message in error.value.render()


def test_what_a_user_gets_wrong() -> None:
    with pytest.raises(ModelError, match="the oracle is false"):
        shrink(Tanks(), ["look()"], lambda run: False)
    with pytest.raises(ModelError, match="the oracle says 3 of a run"):
        shrink(Tanks(), ["look()"], lambda run: 3)  # type: ignore[arg-type, return-value]
    with pytest.raises(ZeroDivisionError):
        shrink(Tanks(), ["look()"], lambda run: bool(1 // 0))
    with pytest.raises(ModelError, match="no such initial state"):
        shrink(Tanks(), ["look()"], lambda run: True, init=(1,))
    system = Tanks(design=OPEN)
    with pytest.raises(ModelError, match="fails with panic:slipped, and the run goes on"):
        shrink(system, [*["fill(cell=Cell0)"] * 3, "slip(cell=Cell0)", "look()"], lambda run: False)
