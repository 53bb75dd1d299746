"""The session as question and answer: lines go in, lines of text come out."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from explorer.explain.words import Words
from explorer.lang.errors import ModelError
from explorer.lang.run import Blocked, Cut, Failed, Instance, init_params, is_final
from explorer.lang.text import format_value, to_json
from explorer.stepping.calls import arguments, matching, starting
from explorer.stepping.choices import (
    MOST_TRIED,
    Choice,
    Choices,
    Chooser,
    Reason,
    named,
    outcome_of,
)
from explorer.stepping.commands import COMMANDS, abbreviated, alike, parse
from explorer.stepping.expressions import Expression, names
from explorer.stepping.find import MOST_STATES, find
from explorer.stepping.keeping import keep
from explorer.stepping.picture import cut, picture
from explorer.stepping.recorded import Recorded
from explorer.stepping.session import Session, Start
from explorer.stepping.standing import Standing, standings
from explorer.trace.render import blame_lines, short, steps
from explorer.trace.replay import describe

MOST_PLACES = 24
MOST_CHOICES = 20
MOST_DISABLED = 4
MOST_NAMED = 8


class Dialogue:
    """Answers lines. ``over`` is set when the user leaves; a ModelError is for the user, and the session goes on.

    ``most`` bounds the states that ``find`` looks at, and ``progress`` is told how many it has.
    """

    def __init__(
        self,
        session: Session,
        preset: str | None = None,
        recorded: Recorded | None = None,
        most: int = MOST_STATES,
        progress: Callable[[int], None] = lambda states: None,
    ) -> None:
        self.session = session
        self.preset = preset
        self.recorded = recorded
        self.most = most
        self.progress = progress
        self.over = False
        self.words = Words(session.system)
        self.chooser = Chooser(session.system)
        self._listed: tuple[object, Choices] | None = None
        self._complained = 0
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "back": self._back,
            "forward": self._forward,
            "jump": self._jump,
            "init": self._init,
            "steps": self._steps,
            "actions": self._actions,
            "why": self._why,
            "state": self._state,
            "properties": self._properties,
            "find": self._find,
            "print": self._print,
            "save": self._save,
            "help": self._help,
            "quit": self._quit,
        }

    @property
    def prompt(self) -> str:
        """What stands before the line that is typed."""
        return "init> " if self.session.start is None else f"{self.session.at}> "

    def opening(self) -> Iterator[str]:
        """What is said first."""
        system = self.session.system
        scope = " ".join(f"{n}={size}" for n, size in system.scope.items())
        yield f"{system.name}{f' ({self.preset})' if self.preset else ''}{f', scope {scope}' if scope else ''}"
        if self.recorded is not None:
            trace = self.recorded.trace
            yield f"trace of {trace.property_name}: {steps(trace.length)}; forward takes the next one"
            for warning in self.recorded.warnings:
                yield f"warning: {warning}"
        yield "Type a number to take a step, help for what else there is, quit to leave."
        yield ""
        yield from self.view()

    def answer(self, line: str) -> Iterator[str]:
        """Does what a line says. Raises ModelError where it cannot be done."""
        line = line.strip()
        if not line:
            yield from self.view()
            return
        typed = parse(line)
        if typed is not None:
            yield from self._commands[typed.name](typed.operand)
        elif self.session.start is None:
            yield from self._begin(line)
        elif line.isdecimal():
            yield from self._choose(line)
        else:
            yield from self._typed(line)

    # Where one stands

    def view(self) -> Iterator[str]:
        """The place: the last step, the state, what is violated, and what can be done."""
        session = self.session
        if session.start is None:
            yield from self._starts()
            return
        last = session.last
        if last is None:
            values = zip(init_params(session.system), session.start.values, strict=True)
            yield f"  0. init({', '.join(f'{p.name}={format_value(v)}' for p, v in values)})"
        else:
            yield f"{session.at:3}. {describe(last.instance)}"
            said = self.words.step(last.instance)
            if said is not None:
                yield f"     {said}"
        if session.state is not None:
            yield from self._place(MOST_PLACES)
        yield from self._remarks()
        yield ""
        yield from self._options()
        yield from self._complaints()

    def _place(self, most: int) -> Iterator[str]:
        session = self.session
        said = self.words.state(session.state)
        if said is not None:
            yield f"     = {said}"
        before = None if session.before is None else to_json(session.before)
        lines = picture(to_json(session.state), before)
        if said is not None and most < len(lines):
            # The words stand for what stays as it is.
            most = min(most, sum(line.changed for line in lines))
        shown, left = cut(lines, most)
        yield from (f"     {line}" for line in shown)
        if before is not None and not any(line.changed for line in lines):
            yield "     (nothing changes)"
        if left:
            yield f"     ({left} more lines: state shows them)"

    def _remarks(self) -> Iterator[str]:
        """What is violated or reached here."""
        last = self.session.last
        for standing in standings(self.session, deadlock=False):
            if standing.verdict in ("violated", "reached"):
                yield from _remark(standing)
            elif standing.note and standing.kind in ("invariant", "reachable"):
                yield f"     ? {standing.name}: {standing.note}"
        if last is not None and isinstance(last.outcome, Failed) and last.outcome.where is not None:
            where = last.outcome.where
            yield f"       at {short(where.file)}:{where.line}"
        if last is not None and isinstance(last.outcome, Cut):
            name = last.outcome.name
            size = self.session.system.scope.get(name)
            more = f" --scope {name}={size + 1}" if size is not None else f" a greater {name}"
            yield f"     ! INCOMPLETE: the step uses up {name}; what follows needs{more}"
        if self.recorded is not None:
            differs = self.recorded.differs(self.session)
            if differs:
                yield "     ! not as recorded:"
                yield from (f"       {line}" for line in differs)
            note = self.recorded.note(self.session)
            if note is not None:
                yield f"     -- {note}"

    def _options(self) -> Iterator[str]:
        session = self.session
        if session.state is None:
            yield "Nothing comes after this step. back returns to the state before it."
            return
        choices = self._choices()
        yield from self._numbered(choices.possible, MOST_CHOICES)
        yield from self._stuck(choices)
        yield from self._not_enabled(choices, MOST_DISABLED)
        ahead = session.length - session.at
        if session.ahead is not None:
            yield f"ahead (forward): {describe(session.ahead)}{f', and {ahead - 1} more' if ahead > 1 else ''}"

    def _stuck(self, choices: Choices) -> Iterator[str]:
        if choices.left_out:
            yield f"({choices.left_out} more were not tried: type one to take it)"
        elif not choices.possible:
            final = is_final(self.session.system, self.session.state)
            yield (
                "No action is enabled: the run ends here, as it may."
                if final
                else "! deadlock: no action is enabled, and the state is not final"
            )

    def _numbered(self, choices: Sequence[Choice], most: int) -> Iterator[str]:
        if not choices:
            return
        yield "enabled:"
        for choice in choices[:most]:
            remark = "" if choice.remark is None else f"   ! {choice.remark}"
            yield f"{choice.number:4}  {choice.label}{remark}"
        if len(choices) > most:
            yield f"      and {len(choices) - most} more: actions lists all, actions TEXT some"

    def _not_enabled(self, choices: Choices, most: int) -> Iterator[str]:
        disabled = choices.disabled_actions()
        if not disabled:
            return
        yield "disabled:"
        for choice in disabled[:most]:
            assert isinstance(choice.outcome, Blocked)
            yield f"      {choice.label}"
            yield f"        needs {_needed(self.chooser.reason(choice.outcome))}"
        if len(disabled) > most:
            yield f"      and {len(disabled) - most} more: why ACTION, or actions for all"

    def _choices(self) -> Choices:
        state = self.session.state
        if self._listed is None or self._listed[0] is not state:
            self._listed = (state, self.chooser.choices(state))
        return self._listed[1]

    def _complaints(self) -> Iterator[str]:
        for complaint in self.words.complaints[self._complained :]:
            yield f"warning: {complaint}"
        self._complained = len(self.words.complaints)

    # The start

    def _starts(self) -> Iterator[str]:
        starts = self.session.starts
        count = f"more than {len(starts)}" if self.session.more_starts else f"{len(starts)}"
        yield f"{count} initial states; choose one by its number, or type init(param=value):"
        for number, start in enumerate(starts[:MOST_CHOICES], 1):
            yield f"{number:4}  {self._init_label(start)}"
        if len(starts) > MOST_CHOICES:
            rest = len(starts) - MOST_CHOICES
            yield f"      and {'more than ' if self.session.more_starts else ''}{rest} more"

    def _init_label(self, start: Start) -> str:
        values = zip(init_params(self.session.system), start.values, strict=True)
        return f"init({', '.join(f'{p.name}={format_value(v)}' for p, v in values)})"

    def _begin(self, text: str) -> Iterator[str]:
        session = self.session
        starts = session.starts
        if text.isdecimal():
            if not 1 <= int(text) <= len(starts):
                raise ModelError(
                    f"there is no initial state {text}", hint=f"they are 1 to {len(starts)}"
                )
            session.begin(starts[int(text) - 1])
        elif text.startswith("init"):
            params = init_params(session.system)
            given = arguments("init", params, text, session.system)
            if len(given) == len(params):
                session.begin(session.starting(tuple(v for _, v in sorted(given, key=_first))))
            else:
                fit = [s for s in starts if all(s.values[at] == v for at, v in given)]
                if session.more_starts:
                    raise ModelError(
                        "there are too many initial states to look for one like that",
                        hint="give every parameter",
                    )
                if len(fit) != 1:
                    raise ModelError(
                        f"{len(fit)} initial states are like that", hint="give every parameter"
                    )
                session.begin(fit[0])
        else:
            other = abbreviated(text)
            if other is not None:
                yield from self._commands[other.name](other.operand)
                return
            raise ModelError(
                f"{text} is no initial state", hint="type its number, or init(param=value)"
            )
        yield from self.view()

    def _init(self, operand: str) -> Iterator[str]:
        if operand:
            if not operand.isdecimal() and not operand.startswith("("):
                raise ModelError(
                    f"{operand} is no initial state", hint="type its number, or init(param=value)"
                )
            yield from self._begin(operand if operand.isdecimal() else f"init{operand}")
            return
        session = self.session
        if len(session.starts) == 1:
            session.begin(session.starts[0])
        else:
            session.start, session.at = None, 0
        yield from self.view()

    # Steps

    def _choose(self, text: str) -> Iterator[str]:
        if self.session.state is None:
            raise ModelError(
                "there is no state here to take a step from", hint=self.session.way_out
            )
        possible = self._choices().possible
        number = int(text[:12])
        if not 1 <= number <= len(possible):
            known = f"they are 1 to {len(possible)}" if possible else "no action is enabled here"
            raise ModelError(f"there is no choice {text}", hint=known)
        yield from self._take(possible[number - 1].instance)

    def _typed(self, line: str) -> Iterator[str]:
        session = self.session
        if line.startswith("init") and line[4:].lstrip().startswith("("):
            yield from self._begin(line)
            return
        try:
            meant = matching(line, self.chooser.every, session.system)
        except ModelError as error:
            other = abbreviated(line)
            if other is None:
                raise self._unknown(line, error) from None
            yield from self._commands[other.name](other.operand)
            return
        if session.state is None:
            raise ModelError("there is no state here to take a step from", hint=session.way_out)
        yield from self._take(self._only(line, meant))

    @staticmethod
    def _unknown(line: str, error: ModelError) -> ModelError:
        like = alike(line)
        if like and "(" not in line:
            return ModelError(error.message, hint=f"did you mean the command {' or '.join(like)}?")
        return ModelError(error.message, hint=error.hint or "help lists what can be typed")

    def _only(self, line: str, meant: Sequence[Instance]) -> Instance:
        """The enabled one of the instances that a line can mean. Raises ModelError if there is none, or several."""
        if not meant:
            raise ModelError(f"no step is like {line}", hint="actions lists those that are enabled")
        tried = [
            (i, outcome_of(self.session.system, self.session.state, i)) for i in meant[:MOST_TRIED]
        ]
        enabled = [i for i, outcome in tried if not isinstance(outcome, Blocked)]
        if len(enabled) == 1:
            return enabled[0]
        if enabled:
            shown = "; ".join(describe(i) for i in enabled[:MOST_NAMED])
            more = f"; and {len(enabled) - MOST_NAMED} more" if len(enabled) > MOST_NAMED else ""
            raise ModelError(f"{line} can be {len(enabled)} steps", hint=f"{shown}{more}")
        first, outcome = tried[0]
        assert isinstance(outcome, Blocked)
        others = len(meant) - 1
        every = f", and so {'is 1 other' if others == 1 else f'are {others} others'} like it"
        reason = self.chooser.reason(outcome)
        raise ModelError(
            f"{describe(first)} is disabled here{every if others else ''}",
            hint=f"it needs {_needed(reason)}; at {reason.place}",
        )

    def _take(self, instance: Instance) -> Iterator[str]:
        self.session.take(instance)
        yield from self.view()

    def _back(self, operand: str) -> Iterator[str]:
        number = _number(operand, "back")
        if number > 1:
            self.session.jump(max(self.session.at - number, 0))
        else:
            self.session.back()
        yield from self.view()

    def _forward(self, operand: str) -> Iterator[str]:
        number = _number(operand, "forward")
        if number > 1:
            self.session.jump(min(self.session.at + number, self.session.length))
        else:
            self.session.forward()
        yield from self.view()

    def _jump(self, operand: str) -> Iterator[str]:
        if not operand:
            raise ModelError("jump where to?", hint="write for example: jump 0")
        self.session.jump(_number(operand, "jump"))
        yield from self.view()

    def _steps(self, operand: str) -> Iterator[str]:
        session = self.session
        if session.start is None:
            raise ModelError("there is no run yet", hint=session.way_out)
        yield f"{'>' if session.at == 0 else ' '}  0. {self._init_label(session.start)}"
        known = [t.instance for t in session.taken]
        known += islice(session.planned, MOST_CHOICES)
        first = max(session.at - MOST_CHOICES, 0)
        if first:
            yield f"     {steps(first)} left out"
        last = min(session.at + MOST_CHOICES, len(known))
        for number in range(first, last):
            here = ">" if number + 1 == session.at else " "
            yield f"{here}{number + 1:3}. {describe(known[number])}"
        if session.length > last:
            yield f"     and {session.length - last} more"

    # Questions

    def _actions(self, operand: str) -> Iterator[str]:
        self._standing()
        choices = self._choices()
        if not operand:
            yield from self._numbered(choices.possible, len(choices.possible))
            yield from self._stuck(choices)
            yield from self._not_enabled(choices, len(choices.tried))
            return
        found = [c for c in choices.possible if operand in c.label]
        yield from self._numbered(found, len(found))
        others = sum(c.number is None and operand in c.label for c in choices.tried)
        if not found:
            yield f"no enabled action has {operand} in it"
        if others:
            yield f"{others} disabled ones have; why ACTION says why"

    def _why(self, operand: str) -> Iterator[str]:
        self._standing()
        if not operand:
            raise ModelError("why what?", hint="write an action, or action(param=value)")
        system, state = self.session.system, self.session.state
        meant = matching(operand, self.chooser.every, system)
        if not meant:
            raise ModelError(f"no step is like {operand}", hint="write action(param=value)")
        numbers = {c.instance: c for c in self._choices().possible}
        because: dict[tuple[str, str], list[tuple[Instance, Reason]]] = {}
        action = meant[0].action
        if len(meant) == 1:
            said = self.words.step(meant[0])
        else:
            said = self.words.phrase(action, {p.name: p.name for p in action.params})
        if said is not None and all(i.action is action for i in meant):
            yield said
        for instance in meant[:MOST_TRIED]:
            outcome = outcome_of(system, state, instance)
            if isinstance(outcome, Blocked):
                reason = self.chooser.reason(outcome)
                because.setdefault((reason.text, reason.place), []).append((instance, reason))
                continue
            choice = numbers.get(instance) or Choice(instance, outcome, None)
            number = "" if choice.number is None else f" ({choice.number})"
            yield f"{choice.label} is enabled{number}{f'; it {choice.remark}' if choice.remark else ''}"
        for same in because.values():
            instance, reason = same[0]
            others = f", and {len(same) - 1} more" if len(same) > 1 else ""
            yield f"{describe(instance)}{others}: disabled"
            yield f"  needs {_needed(reason)}"
            yield f"  at {reason.place}"

    def _state(self, operand: str) -> Iterator[str]:
        self._standing()
        state = to_json(self.session.state)
        before = None if self.session.before is None else to_json(self.session.before)
        said = self.words.state(self.session.state)
        if said is not None:
            yield f"  = {said}"
        yield from (str(line) for line in picture(state, before))
        yield from self._complaints()

    def _properties(self, operand: str) -> Iterator[str]:
        if self.session.start is None:
            raise ModelError("there is no state yet", hint=self.session.way_out)
        found = list(standings(self.session, deadlock=True))
        if not found:
            yield "the system has no properties"
        for standing in found:
            note = f" ({standing.note})" if standing.note else ""
            mark = "!" if standing.verdict == "violated" else " "
            yield f"{mark} {standing.name}: {standing.verdict}{note}"
            if standing.blame is not None:
                yield from (f"  {line}" for line in blame_lines(standing.blame))

    def _find(self, operand: str) -> Iterator[str]:
        self._standing()
        session = self.session
        wanted = Expression(operand, session.system)
        sought = find(session.system, session.state, wanted.holds, self.most, self.progress)
        if sought.way is None:
            yield from self._not_found(sought.states, sought.all, sought.used_up)
            return
        if not sought.way:
            yield f"{wanted.text} is true here"
            return
        yield f"found after {steps(len(sought.way))} ({sought.states} states looked at)"
        first = session.at + 1
        for number, instance in enumerate(sought.way, first):
            session.take(instance)
            if number < first + len(sought.way) - 1:
                yield f"{number:3}. {describe(instance)}"
        yield from self.view()

    def _not_found(self, count: int, every: bool, used_up: Sequence[str]) -> Iterator[str]:
        if every:
            yield f"not found: it is true in none of the {count} states that can be reached from here"
            if used_up:
                yield f"  as far as the scope goes: {', '.join(used_up)} is used up on the way"
        else:
            yield f"not found within {count} states; there are more"
            yield "  hint: slotcheck step --max-states N looks at more, and slotcheck check at millions"

    def _print(self, operand: str) -> Iterator[str]:
        self._standing()
        yield format_value(Expression(operand, self.session.system).value(self.session.state))

    def _save(self, operand: str) -> Iterator[str]:
        try:
            words = shlex.split(operand)
        except ValueError as error:
            raise ModelError(f"{operand} is no file name: {error}") from None
        if not 1 <= len(words) <= 2:
            raise ModelError("save where to?", hint="write for example: save run.json")
        kept = keep(self.session, Path(os.path.expanduser(words[0])), self.preset, *words[1:])
        if kept.shows is not None:
            verb = "is reached" if kept.shows.verdict == "reached" else "fails"
            yield f"{kept.path}: a trace; {kept.shows.name} {verb} at its end"
        else:
            yield f"{kept.path}: a script, as nothing fails or is reached here, which is what a trace is of"
        yield f"  {kept.command}"

    def _help(self, operand: str) -> Iterator[str]:
        yield "N or action(param=value): take that step; the beginning will do if it can be only one"
        for command in COMMANDS:
            call = " ".join(filter(None, (command.name, command.operand)))
            also = f" ({', '.join(command.short)})" if command.short else ""
            yield f"{call}{also}: {command.what}"
        yield "An empty line shows the state again. Marks: * changed by the last step, ! a failure, + reached."
        taken = {c.name for c in COMMANDS} | {s for c in COMMANDS for s in c.short}
        clash = [a.name for a in self.session.system.actions if a.name in taken]
        if clash:
            yield f"Actions that are called like commands: {', '.join(f'{n}()' for n in clash)}, with brackets."

    def _quit(self, operand: str) -> Iterator[str]:
        self.over = True
        return iter(())

    def _standing(self) -> None:
        """Raises ModelError if there is no state here."""
        if self.session.state is None:
            raise ModelError("there is no state here", hint=self.session.way_out)

    # Completion

    def completions(self, line: str) -> list[str]:
        """Whole lines that begin with ``line``."""
        word, space, rest = line.partition(" ")
        typed = parse(word) if space else None
        if typed is not None and typed.name in ("find", "print"):
            found = re.search(r"\w*$", rest)
            known = {
                n
                for n in (
                    *self.session.system.state_type.__match_args__,
                    *names(self.session.system),
                )
                if n[:1] != "_"
            }
            start = found[0] if found else ""
            return [
                f"{line[: len(line) - len(start)]}{n}" for n in sorted(known) if n.startswith(start)
            ]
        if typed is not None and typed.name == "why":
            return [f"{word} {text}" for text in starting(rest, self.chooser.every)]
        commands = [c.name for c in COMMANDS if c.name.startswith(line)]
        if self.session.state is None:
            return commands
        return commands + starting(line, [c.instance for c in self._choices().possible])


def _needed(reason: Reason) -> str:
    reads = ", ".join(f"{place} = {value}" for place, value in reason.reads)
    return f"{reason.text}; {reads}" if reads else reason.text


def _remark(standing: Standing) -> Iterator[str]:
    if standing.verdict == "reached":
        yield f"     + {standing.name} is reached"
        return
    verb = "" if standing.kind == "failure" else " is violated"
    yield f"     ! {named(standing.name + verb, standing.note)}"
    if standing.blame is not None:
        yield from (f"     {line}" for line in blame_lines(standing.blame))


def _number(operand: str, command: str) -> int:
    if not operand:
        return 1
    if not operand.isdecimal() or len(operand) > 9:
        raise ModelError(f"{operand} is no number of steps", hint=f"write for example: {command} 2")
    return int(operand)


def _first(pair: tuple[int, object]) -> int:
    return pair[0]
