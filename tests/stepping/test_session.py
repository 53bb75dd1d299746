"""A walk: its states, its history, and what lies ahead."""

from __future__ import annotations

import pytest

from explorer.lang.errors import ModelError
from explorer.lang.run import Failed, Instance, instances
from explorer.stepping.session import Session
from tests.stepping.models import Hotel, Lots, Room, Tür
from tests.systems.jugs import Jugs


def steps(session: Session) -> dict[str, Instance]:
    return {i.text: i for i in instances(session.system)}


def hotel() -> Session:
    session = Session(Hotel())
    session.begin(session.starting((Tür.ZU,)))
    return session


def test_a_single_initial_state_is_the_start() -> None:
    session = Session(Jugs())
    assert session.state is not None and session.at == 0 and session.before is None


def test_of_several_one_is_chosen() -> None:
    session = Session(Hotel())
    assert [s.values for s in session.starts] == [(Tür.ZU,), (Tür.AUF,)]
    assert session.state is None
    for call in (session.forward, lambda: session.jump(0)):
        with pytest.raises(ModelError, match="there is no run yet"):
            call()
    with pytest.raises(ModelError, match="no state here") as refused:
        session.take(instances(session.system)[0])
    assert refused.value.hint == "choose an initial state by its number"


def test_initial_states_beyond_those_offered_are_found() -> None:
    session = Session(Lots())
    assert session.more_starts and len(session.starts) == 1000
    last = list(session.system.actions)[0]
    values = [i.values[0] for i in instances(session.system) if i.action == last][-2:]
    assert session.starting(tuple(values)).values == tuple(values)
    with pytest.raises(ModelError, match="no such initial state"):
        session.starting((values[0], values[0]))


def test_back_forward_and_jump() -> None:
    session = Session(Jugs())
    step = steps(session)
    session.take(step["fill_big()"])
    session.take(step["pour_big_into_small()"])
    assert (session.state.small, session.state.big) == (3, 2)  # type: ignore[union-attr]
    session.back()
    assert session.state.big == 5 and session.ahead == step["pour_big_into_small()"]  # type: ignore[union-attr]
    session.forward()
    assert session.at == 2
    session.jump(0)
    with pytest.raises(ModelError, match="this is the start"):
        session.back()
    session.jump(2)
    with pytest.raises(ModelError, match="no step ahead"):
        session.forward()
    with pytest.raises(ModelError, match="there is no step 3") as refused:
        session.jump(3)
    assert refused.value.hint == "known steps: 0 to 2"


def test_the_step_ahead_keeps_those_behind_it() -> None:
    session = Session(Jugs())
    step = steps(session)
    session.take(step["fill_big()"])
    session.take(step["empty_big()"])
    session.jump(0)
    session.take(step["fill_big()"])
    assert session.length == 2
    session.take(step["fill_small()"])
    assert session.length == 2 and session.path == (step["fill_big()"], step["fill_small()"])


def test_planned_steps_are_taken_when_they_are_reached() -> None:
    session = hotel()
    step = steps(session)
    assert session.start is not None
    session.begin(session.start, [step["öffne()"], step["öffne()"]])
    session.forward()
    assert session.length == 2
    with pytest.raises(ModelError, match=r"öffne\(\) is disabled here") as refused:
        session.forward()
    assert "require(s.tür == Tür.ZU)" in refused.value.hint
    assert session.at == 1
    with pytest.raises(ModelError, match="is disabled here"):
        session.jump(2)


def test_nothing_comes_after_a_failure() -> None:
    session = hotel()
    step = steps(session)
    session.take(step["ring(loud=False)"])
    assert isinstance(session.take(step["ring(loud=True)"]), Failed)
    assert session.state is None and session.before is not None
    with pytest.raises(ModelError, match="the last step fails") as refused:
        session.forward()
    assert "back" in refused.value.hint
    session.back()
    assert session.state is not None


def test_a_step_leaves_the_state_before_it_alone() -> None:
    session = hotel()
    before = session.state
    session.take(steps(session)["öffne()"])
    assert before is not None and before.tür == Tür.ZU and session.before is before
    assert Room.__name__ in session.system.scope
