"""Lines in, lines out: what a session says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.lang.errors import ModelError
from explorer.stepping.dialogue import Dialogue
from explorer.stepping.picture import cut, picture
from explorer.stepping.session import Session
from explorer.trace.files import read_trace
from tests.cli.models.door import Door
from tests.stepping.models import Hotel, Lots
from tests.systems.jugs import Jugs


class Talk:
    """A dialogue whose answers are text."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue

    def say(self, *lines: str) -> str:
        """The answer to the last line."""
        for line in lines:
            answer = "\n".join(self.dialogue.answer(line))
        return answer

    def refused(self, *lines: str) -> tuple[str, str]:
        """Why the last line cannot be done, and the hint."""
        for line in lines[:-1]:
            self.say(line)
        with pytest.raises(ModelError) as error:
            list(self.dialogue.answer(lines[-1]))
        return error.value.message, error.value.hint


@pytest.fixture
def hotel() -> Talk:
    talk = Talk(Dialogue(Session(Hotel())))
    talk.say("1")
    return talk


@pytest.fixture
def jugs() -> Talk:
    return Talk(Dialogue(Session(Jugs())))


def test_the_opening_says_what_to_do() -> None:
    text = "\n".join(Dialogue(Session(Hotel()), "haunted").opening())
    assert "(haunted), scope Gast=2 Room=1" in text
    assert "Type a number to take a step, help" in text
    assert "2 initial states" in text and "   1  init(tür=ZU)" in text


def test_an_initial_state_is_chosen() -> None:
    talk = Talk(Dialogue(Session(Hotel())))
    assert talk.dialogue.prompt == "init> "
    assert talk.refused("3") == ("there is no initial state 3", "they are 1 to 2")
    assert talk.refused("ring") == (
        "ring is no initial state",
        "type its number, or init(param=value)",
    )
    assert talk.refused("init(tür=OFFEN)")[0].startswith("tür: expected ZU or AUF")
    assert talk.refused("init(") == ("init( is no call", "write init(param=value)")
    assert talk.refused("init()") == ("2 initial states are like that", "give every parameter")
    for command in ("state", "why ring", "find rung == 1", "actions", "print rung"):
        assert talk.refused(command)[0] == "there is no state here"
    assert talk.refused("properties")[0] == "there is no state yet"
    assert talk.refused("steps")[0] == talk.refused("forward")[0] == "there is no run yet"
    assert talk.refused("save x")[0] == "there is no run to save yet"
    assert "help" in talk.say("hel")
    assert "0. init(tür=AUF)" in talk.say("init(tür=AUF)")
    assert talk.dialogue.prompt == "0> "
    assert "2 initial states" in talk.say("init")
    assert "0. init(tür=ZU)" in talk.say("1")
    assert "0. init(tür=AUF)" in talk.say("init (AUF)")
    assert "0. init(tür=ZU)" in talk.say("init(ZU)")
    assert talk.refused("init x")[0] == "x is no initial state"


def test_many_initial_states() -> None:
    talk = Talk(Dialogue(Session(Lots())))
    shown = talk.say("")
    assert "more than 1000 initial states" in shown and "and more than 980 more" in shown
    assert talk.refused("init(first=Number39)")[0].startswith("there are too many initial states")
    assert "init(first=Number39, second=Number38)" in talk.say("init(Number39, Number38)")


def test_what_changed_is_marked(hotel: Talk) -> None:
    shown = hotel.say("ring(False)")
    assert "     * rung: 1   (was 0)" in shown and "\n       tür: ZU" in shown
    assert shown.count("*") == 1


def test_the_enabled_are_numbered_and_of_a_disabled_one_it_is_said_what_it_needs(
    hotel: Talk,
) -> None:
    shown = hotel.say("")
    assert "   1  öffne()\n   2  ring(loud=False)" in shown
    assert "Gast0: enter(who=Gast0)\n        needs s.tür == Tür.AUF; s.tür = ZU" in shown
    assert "and 1 more: why ACTION" in shown and "burn" not in shown
    assert "needs s.rung == 3; s.rung = 0" in hotel.say("actions")


def test_steps_that_fail_are_shown_as_such(hotel: Talk) -> None:
    assert "ring(loud=True)   ! fails: soft_panic:somebody_wakes_up" in hotel.say("")
    shown = hotel.say("ring(False)")
    assert "ring(loud=True)   ! fails: panic:the_bell_breaks: the bell breaks" in shown
    shown = hotel.say("ring(True)")
    assert "! panic:the_bell_breaks: the bell breaks" in shown and "models.py:" in shown
    assert "Nothing comes after this step." in shown
    assert "panic:the_bell_breaks: violated" in hotel.say("properties")
    for line in ("1", "ring(True)"):
        assert hotel.refused(line)[1] == "`back` returns to the state before the last step"
    assert "1. ring(loud=False)" in hotel.say("back")
    # An action that is called like a command.
    assert "2. back()" in hotel.say("back()")
    assert "back(), with brackets" in hotel.say("help")


def test_a_step_that_uses_the_scope_up_is_shown_as_such(hotel: Talk) -> None:
    shown = hotel.say("ö", "enter(Gast0)", "enter(Gast1)", "take_room(Gast0)")
    assert "take_room(who=Gast1)   ! uses up Room: the scope ends here" in shown
    shown = hotel.say("Gast1: take")
    assert "INCOMPLETE: the step uses up Room; what follows needs --scope Room=2" in shown


def test_violations_are_shown_where_they_are(hotel: Talk) -> None:
    shown = hotel.say("ö", "enter(Gast0)")
    assert "     Gast0 comes in\n" in shown
    assert "! nobody_is_alone is violated" in shown
    assert "sum(1 for g in Gast if s.inside[g]) = 1" in shown
    found = hotel.say("p")
    assert "! nobody_is_alone: violated" in found and "all_are_in: not reached" in found
    assert "it_opens: not decided (it is about whole runs)" in found
    assert "+ all_are_in is reached" in hotel.say("enter")
    assert "the_bell_rings_once_a_step: not decided (no step was taken)" in hotel.say("j 0", "p")
    shown = hotel.say(*["ring(False)"] * 3, "burn")
    assert "! the_bell_rings_once_a_step is violated" in shown


def test_a_deadlock() -> None:
    talk = Talk(Dialogue(Session(Door({}, {"exit": False}))))
    shown = talk.say("2")
    assert "! deadlock: no action is enabled, and the state is not final" in shown
    assert "! deadlock: violated (no action is enabled here)" in talk.say("p")
    assert talk.refused("1") == ("there is no choice 1", "no action is enabled here")


def test_why(hotel: Talk) -> None:
    assert "ring(loud=False) is enabled (2)" in hotel.say("why ring")
    said = hotel.say("why enter")
    assert said.startswith("who comes in\nGast0: enter(who=Gast0), and 1 more: disabled")
    assert "  needs s.tür == Tür.AUF; s.tür = ZU\n  at tests/stepping/models.py:" in said
    assert hotel.say("why enter(Gast1)").startswith(
        "Gast1 comes in\nGast1: enter(who=Gast1): disabled"
    )
    assert "given(s.room[who]); s.room[who] = None" in hotel.say("why leave_room(Gast0)")
    assert hotel.refused("why")[0] == "why what?"
    assert hotel.refused("why sleep")[0].endswith("has no action sleep")
    assert hotel.refused("why Gast0: enter(Gast1)")[0] == "no step is like Gast0: enter(Gast1)"


def test_what_cannot_be_taken(hotel: Talk) -> None:
    message, hint = hotel.refused("enter")
    assert message == "Gast0: enter(who=Gast0) is disabled here, and so is 1 other like it"
    assert hint.startswith("it needs s.tür == Tür.AUF; s.tür = ZU; at tests/stepping/models.py:")
    assert hotel.refused("burn")[0] == hotel.refused("burn()")[0] == "burn() is disabled here"
    assert hotel.refused("ring")[0] == "ring can be 2 steps"
    assert hotel.refused("ring")[1] == "ring(loud=False); ring(loud=True)"
    assert hotel.refused("Gast0: enter(Gast1)")[0] == "no step is like Gast0: enter(Gast1)"
    assert hotel.refused("9") == ("there is no choice 9", "they are 1 to 3")
    assert hotel.refused("forwad")[1] == "did you mean the command forward?"
    assert hotel.refused("jump")[0] == "jump where to?"
    assert hotel.refused("jump x")[0] == "x is no number of steps"
    assert hotel.refused("jump 7")[0] == "there is no step 7"


def test_history(jugs: Talk) -> None:
    shown = jugs.say("2", "6", "b 2")
    assert "0. init()" in shown and "ahead (forward): fill_big(), and 1 more" in shown
    assert "2. pour_big_into_small()" in jugs.say("f 9")
    assert jugs.say("b", "steps") == "   0. init()\n>  1. fill_big()\n   2. pour_big_into_small()"
    assert "0. init()" in jugs.say("init")
    assert jugs.say("steps") == ">  0. init()"
    jugs.say(*["1"] * 50, "j 25")
    listed = jugs.say("steps")
    assert "     5 steps left out" in listed and "     and 5 more" in listed
    assert "> 25. fill_small()" in listed
    assert "(nothing changes)" in jugs.say("")


def test_find(hotel: Talk, jugs: Talk) -> None:
    shown = jugs.say("find big == 4")
    assert shown.startswith("found after 6 steps")
    assert "  1. fill_big()" in shown and "! never_four_litres is violated" in shown
    assert jugs.say("find four_litres") == "four_litres is true here"
    assert jugs.say("find big == 6") == (
        "not found: it is true in none of the 16 states that can be reached from here"
    )
    jugs.dialogue.most = 15
    assert jugs.say("find big == 6").startswith("not found within 15 states; there are more")
    assert "Room is used up on the way" in hotel.say("ö", "find rung == 7")
    assert hotel.refused("find rung")[0].startswith("rung is no condition")
    assert hotel.say("print beds") == "{}"


def test_a_long_state_and_a_long_listing_are_cut() -> None:
    talk = Talk(Dialogue(Session(Lots())))
    shown = talk.say("1")
    assert "(41 more lines: state shows them)" in shown and "= 1 are on" in shown
    assert "and 20 more: actions lists all" in shown
    shown = talk.say("flip(Number3)")
    assert "     *   Number3: True   (was False)" in shown and "(39 more lines" in shown
    assert "{that}, which is no parameter" in shown
    assert "{that}" not in talk.say("").partition("warning")[2]
    assert len(talk.say("state").splitlines()) == 42
    assert talk.say("actions 39") == "enabled:\n  40  flip(number=Number39)"
    assert "no enabled action has xyz in it" in talk.say("actions xyz")
    assert talk.refused("flip")[1].endswith("; and 32 more")


def test_a_state_without_words_is_cut_to_what_changed() -> None:
    before = {"on": {str(n): False for n in range(40)}}
    after = {"on": {**before["on"], "7": True}}
    shown, left = cut(picture(after, before), 10)
    assert list(map(str, shown)) == ["* on:", "*   7: True   (was False)"] and left == 39
    assert cut(picture(after), 10) == ([], 41)


def test_entries_that_come_and_go() -> None:
    assert list(map(str, picture({"beds": {}}, {"beds": {"Room0": {"made": True}}}))) == [
        "* beds:",
        "*   Room0: free   (was {made=True})",
    ]
    assert str(picture({"x": True}, {"x": 1})[0]) == "* x: True   (was 1)"


def test_a_run_is_saved_as_a_trace_of_what_fails_or_is_reached(hotel: Talk, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    said = hotel.say("ö", "enter(Gast0)", f"save {path}")
    assert said.startswith(f"{path}: a trace; nobody_is_alone fails at its end")
    trace = read_trace(path)
    assert (trace.property_name, trace.kind, trace.length) == ("nobody_is_alone", "invariant", 2)
    assert hotel.refused(f"save {path}") == (f"{path} exists", "save under another name")
    hotel.say("enter", f"save {tmp_path / 'in.json'}")
    assert json.loads((tmp_path / "in.json").read_text())["kind"] == "reachable"
    message, hint = hotel.refused(f"save {tmp_path / 'x'} nobody_is_alone")
    assert message == "nobody_is_alone neither fails nor is reached here"
    assert hint == "what does: all_are_in"
    assert "all_are_in is reached" in hotel.say(f"save {tmp_path / 'y'} all_are_in")


def test_else_it_is_saved_as_a_script(hotel: Talk, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    assert "a script, as nothing fails or is reached here" in hotel.say("ö", f"save {path}")
    assert path.read_text().splitlines()[1:] == ["init(tür=ZU)", "öffne()"]
    assert hotel.refused(f"save {tmp_path / 'x'} nobody_is_alone")[1] == (
        "without its name the run is saved as a script"
    )
    assert hotel.refused("save")[0] == "save where to?"
    assert hotel.refused('save "a')[0].startswith('"a is no file name')
    assert hotel.refused(f"save {tmp_path}")[0].endswith("exists")
    assert hotel.refused(f"save {tmp_path / 'no' / 'where'}")[0].startswith("cannot write")


def test_completion(hotel: Talk) -> None:
    complete = hotel.dialogue.completions
    assert complete("ring(") == ["ring(loud=False)", "ring(loud=True)"]
    assert complete("ba") == ["back"]
    assert complete("find s.run") == ["find s.rung"]
    assert "why Gast0: enter(who=Gast0)" in complete("why Gast0: en")
    assert "find not nobody_is_alone" not in complete("find not x")
    assert Dialogue(Session(Hotel())).completions("qu") == ["quit"]


def test_leaving(jugs: Talk) -> None:
    assert jugs.say("q") == "" and jugs.dialogue.over
