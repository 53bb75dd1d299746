"""Explanations as text: what is violated, the steps that matter, the point of no return, and who was about to do what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from explorer.explain.causes import CYCLE, PROPERTY, Slice, is_part
from explorer.explain.explanation import Explanation, Fate
from explorer.explain.fate import Assumption, Escape, Turn
from explorer.explain.threads import Enabled, Thread, Waiting
from explorer.lang.run import Instance
from explorer.logic.owed import when
from explorer.trace.reads import LONGEST
from explorer.trace.render import loop_lines, outcome, short, start_label, steps, whole
from explorer.trace.replay import describe

# Of the steps that matter as many are shown at either end; the rest is counted.
HEAD, TAIL = 20, 40
# As many steps of a way out, other actions of a thread, readers of a value, fair steps that are not taken.
_ESCAPE, _OTHERS, _READERS, _HELD = 4, 4, 3, 8


def render(explanation: Explanation, *, full: bool = False) -> Iterator[str]:
    """The lines of an explanation. ``full`` shows all steps, whole states, and everything that a thread could do."""
    run = explanation.rerun
    if not run.same_source:
        yield "warning: the model's source has changed since the trace was recorded"
        yield ""
    if run.length < run.recorded:
        yield f"note: it fails already after {steps(run.length)} of {run.recorded}; that is explained"
        yield ""
    yield from outcome(run.trace)
    yield ""
    yield from _Steps(explanation, full).lines()
    if explanation.fate is not None:
        yield ""
        yield from _Fate(explanation, explanation.fate).lines()
    if explanation.held:
        yield ""
        yield from _held(explanation, full)
    if explanation.moment is not None:
        yield ""
        yield from _who(explanation, full)
    if explanation.words.complaints:
        yield ""
        yield from (f"warning: {text}" for text in explanation.words.complaints)


def point(fate: Fate) -> Turn | None:
    """The answer that says most: the last one."""
    return fate.turns[-1] if fate.turns else None


class _Steps:
    """The run, without what does not matter."""

    def __init__(self, explanation: Explanation, full: bool) -> None:
        self.explanation, self.full = explanation, full
        self.run, self.words = explanation.rerun, explanation.words
        count = self.run.length
        found = explanation.slice
        self.matters = set(range(1, count + 1) if found is None else found.steps)
        turn = None if explanation.fate is None else point(explanation.fate)
        lost = turn is not None and not turn.never and 0 <= turn.last < count
        self.lost = turn.last + 1 if turn is not None and lost else None

    def lines(self) -> Iterator[str]:
        count, found = self.run.length, self.explanation.slice
        if found is None:
            yield f"the steps (which of them matter is not known: {self.explanation.uncompiled})"
        elif count == 0:
            yield "no step is needed"
        elif len(self.matters) == count:
            yield "all steps matter" if count > 1 else "the step matters"
        else:
            yield f"the steps that matter: {len(self.matters)} of {count}"
        yield f"  0. {start_label(self.run.trace)}"
        yield from self._state(0)
        shown = self._shown()
        skipped = hidden = 0
        for number in range(1, count + 1):
            if number == self.lost:
                yield from _gap(skipped, hidden)
                skipped = hidden = 0
                yield "     -- up to here it could be avoided: point of no return --"
            if number in shown:
                yield from _gap(skipped, hidden)
                skipped = hidden = 0
                yield from self._step(number)
            elif number in self.matters:
                hidden += 1
            else:
                skipped += 1
        yield from _gap(skipped, hidden)
        yield from loop_lines(self.run.trace)
        if found is not None and 0 < len(self.matters) < count:
            yield self._alone(found)

    def _alone(self, found: Slice) -> str:
        """Whether the steps that matter are enough."""
        one = len(found.steps) == 1
        these = "this step alone is" if one else f"these {len(found.steps)} steps alone are"
        what = "a run to it" if self.run.trace.kind == "reachable" else "a counterexample"
        if found.alone:
            return f"{these} {what}: replayed"
        return f"{these} not {what}: the run {found.problem}"

    def _shown(self) -> set[int]:
        if self.full:
            return set(range(1, self.run.length + 1))
        ordered = sorted(self.matters)
        if len(ordered) <= HEAD + TAIL:
            return set(ordered)
        return {*ordered[:HEAD], *ordered[-TAIL:]}

    def _step(self, number: int) -> Iterator[str]:
        taken = self.run.trace.steps[number - 1]
        idle = "" if number in self.matters else "  (does not matter)"
        yield f"{number:3}. {taken.label()}{idle}"
        text = self.words.step(self.run.played.taken[number - 1])
        if text is not None:
            yield f"       {text}"
        if self.full:
            yield from whole(taken.state)
        else:
            yield from self._changes(number)
        if taken.state is not None:
            yield from self._state(number)

    def _changes(self, number: int) -> Iterator[str]:
        """What it changed that is read later, and by what."""
        taken, found = self.run.trace.steps[number - 1], self.explanation.slice
        if found is None:
            yield from (
                f"       {path}: {_cut(old)} -> {_cut(new)}" for path, old, new in taken.changes
            )
            return
        for path, old, new in taken.changes:
            readers = {
                reader
                for wrote in found.wrote.get(number, ())
                if is_part(wrote.place, path)
                for reader in wrote.readers
            }
            if readers:
                yield f"       {path}: {_cut(old)} -> {_cut(new)} (read by {_readers(readers)})"

    def _state(self, number: int) -> Iterator[str]:
        if number < len(self.run.played.states):
            text = self.words.state(self.run.played.states[number])
            if text is not None:
                yield f"       = {text}"


def _cut(value: str) -> str:
    """A value, or its beginning: ``--full`` shows it in the state."""
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}..."


def _gap(skipped: int, hidden: int) -> Iterator[str]:
    if skipped:
        verb = "does" if skipped == 1 else "do"
        yield f"     ({steps(skipped)} that {verb} not matter)"
    if hidden:
        yield f"     ({steps(hidden)} more that matter: --full shows them)"


def _readers(readers: set[int]) -> str:
    """Steps by number, the property last."""
    numbered = sorted(readers - {PROPERTY, CYCLE})
    named = [str(n) for n in numbered[:_READERS]]
    if len(numbered) > _READERS:
        named.append(f"{len(numbered) - _READERS} more")
    parts = []
    if named:
        parts.append(f"step{'s' if len(numbered) > 1 else ''} {_listed(named)}")
    if PROPERTY in readers:
        parts.append("the property")
    if CYCLE in readers and not parts:
        parts.append("the cycle, which comes back to it")
    return " and ".join(parts)


class _Fate:
    """Where it was lost."""

    def __init__(self, explanation: Explanation, fate: Fate) -> None:
        self.explanation, self.fate, self.run = explanation, fate, explanation.rerun

    def lines(self) -> Iterator[str]:
        turn, temporal = point(self.fate), self.run.stated is not None
        if self.run.length == 0 and not temporal:
            yield f"{_POINT}: none, for the initial state violates it"
            return
        # Without the second answer the first says next to nothing.
        if turn is None or (turn.assumption == "declared" and self.fate.undecided is not None):
            yield f"{_POINT}: not decided"
        else:
            yield f"{_POINT}: {self._where(turn)}"
            yield from self._temporal(turn) if temporal else self._safety(turn)
            yield from self._escape(turn)
        if turn is not None and not temporal and self.fate.turns[0].last == self.run.length - 1:
            yield f"  {self._declared()}"
        if self.fate.undecided is not None:
            yield from self._undecided()
        elif self.fate.states:
            which = "all " if self.fate.complete else ""
            yield f"  (found on {which}{self.fate.states:,} states that follow those of the run)"

    def _undecided(self) -> Iterator[str]:
        if self.fate.between is not None:
            first, last = self.fate.between
            start = f"step {first}" if first else "the initial state"
            yield f"  It is {start} or a later one, at the latest step {last}."
        yield f"  why it is not decided: {self.fate.undecided}{_remedy(self.fate)}"

    def _where(self, turn: Turn) -> str:
        if turn.never:
            return "none"
        if turn.last < 0:
            return "the initial state"
        return f"step {turn.last + 1}, {self.run.trace.steps[turn.last].label()}"

    def _declared(self) -> str:
        """About runs as the declared fairness has them, where these can avoid it to the end."""
        if self.fate.turns[0].escape is None:
            return (
                "As nothing is declared fair, any thread may also just stop, so that it could be avoided until the last step; "
                "such runs are left out here."
            )
        return "As fairness is declared, it could be avoided until the last step; runs in which a thread stops are left out here."

    def _safety(self, turn: Turn) -> Iterator[str]:
        runs = f"in which {_MEANING[turn.assumption]}"
        if turn.last < 0:
            yield f"  Every run {runs} violates it, whatever is done first."
        elif turn.last == self.run.length - 1:
            yield f"  Until this last step a run {runs} could avoid it."
        else:
            yield f"  Until this step a run {runs} could avoid it. After it every such run violates it, sooner or later."

    def _temporal(self, turn: Turn) -> Iterator[str]:
        if turn.never:
            yield (
                "  After every step of this run it is possible to go on, in a fair way, so that it is satisfied. "
                "Nothing is lost; it is just never done."
            )
        elif turn.last < 0:
            yield "  No fair run satisfies it, whatever is done first."
        else:
            yield "  Until this step a fair run could satisfy it. After it none does."

    def _escape(self, turn: Turn) -> Iterator[str]:
        escape = turn.escape
        if escape is None:
            return
        where = when(turn.last)
        if not escape.steps:
            yield f"  A way out {where}, replayed: nothing more is done."
            return
        yield f"  A way out {where}, replayed:"
        yield from self._way(escape, turn.last)

    def _way(self, escape: Escape, last: int) -> Iterator[str]:
        for number, instance in enumerate(escape.steps[:_ESCAPE], last + 1):
            yield f"  {number:3}. {describe(instance)}"
            text = self.explanation.words.step(instance)
            if text is not None:
                yield f"         {text}"
        more = len(escape.steps) - _ESCAPE
        before = f"{steps(more)} more, and " if more > 0 else "and "
        again = "stays there" if escape.stops else f"goes on with step {last + escape.loop + 1}"
        yield f"       {before}{again}, for ever"


_POINT = "point of no return"
_MEANING: dict[Assumption, str] = {
    "declared": "the declared fairness is kept",
    "no thread stops": "no thread stops",
}


def _remedy(fate: Fate) -> str:
    if fate.undecided == "state limit" or (fate.undecided or "").startswith("the run alone"):
        return f" ({fate.states:,} states); raise --max-states"
    return "; raise --max-seconds" if fate.undecided == "time limit" else ""


# Who was about to do what


def _held(explanation: Explanation, full: bool) -> Iterator[str]:
    yield "why no fair step ends it"
    shown = explanation.held if full else explanation.held[:_HELD]
    for held in shown:
        yield f"  {held.name}, {when(held.after)}: {_waiting(held.waiting)}"
    if len(explanation.held) > len(shown):
        yield f"  and {len(explanation.held) - len(shown)} more: --full shows them"


def _who(explanation: Explanation, full: bool) -> Iterator[str]:
    now = explanation.moment
    assert now is not None
    loop = explanation.rerun.trace.loop
    stops = loop == explanation.rerun.length
    ends = "" if loop is None else ", where it stops" if stops else ", where the cycle begins"
    yield f"who was about to do what, {when(now.after)}{ends}"
    for thread in now.threads:
        yield from _thread(explanation, thread, full)


def _thread(explanation: Explanation, thread: Thread, full: bool) -> Iterator[str]:
    name = thread.name or "(no thread)"
    took = thread.took
    others = [e for e in thread.enabled if e.instance != took]
    if took is not None:
        yield f"  {name}: takes step {(explanation.moment.after if explanation.moment else 0) + 1}, {took.text}"
        yield from _phrase(explanation, took)
    if others:
        yield f"  {name}: could{' also' if took is not None else ''}"
        yield from _choices(explanation, others, full)
    if not thread.enabled:
        yield f"  {name}: can do nothing"
    if thread.waiting and (full or not thread.enabled):
        if thread.enabled:
            yield f"  {name}: cannot"
        yield from (f"       {_waiting(waiting)}" for waiting in thread.waiting)


def _choices(explanation: Explanation, enabled: list[Enabled], full: bool) -> Iterator[str]:
    """What a thread could do: of each action, and of each way in which its steps end, the first step."""
    alike: dict[tuple[str, str | None], list[Enabled]] = {}
    for one in enabled:
        key = one.instance.text if full else one.instance.action.name
        alike.setdefault((key, one.ends), []).append(one)
    groups = list(alike.values())
    shown = groups if full else groups[:_OTHERS]
    for first, *rest in shown:
        more = f", or {len(rest)} other{'s' * (len(rest) > 1)} like it" if rest else ""
        ends = f", which ends in {first.ends}" if first.ends else ""
        yield f"       {first.instance.text}{more}{ends}"
        yield from _phrase(explanation, first.instance)
    if len(groups) > len(shown):
        yield f"       and {len(groups) - len(shown)} more actions: --full shows them"


def _phrase(explanation: Explanation, instance: Instance) -> Iterator[str]:
    text = explanation.words.step(instance)
    if text is not None:
        yield f"         {text}"


def _waiting(waiting: Waiting) -> str:
    """A step that is disabled, and why."""
    found = waiting.obstacle
    if found is None:
        return waiting.instance.text
    values = [f"{place} = {value}" for place, value in found.reads]
    place = f"{short(found.file)}:{found.line}"
    return f"{waiting.instance.text} needs {found.text} ({', '.join([*values, place])})"


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
