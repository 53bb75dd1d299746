"""Strategies: which initial state, which actions are off, and which step comes next.

A step is an action and then a value for each parameter, drawn among those of its type. Each is drawn by its place in its type, in
declaration order, so that it stays the same when a step before it is dropped, and shrinking goes to the first action and the first
values. What cannot happen now is filtered out, and Hypothesis then notes the place that it has drawn in the end.

Some actions are off for a whole run (Groce et al., "Swarm testing", ISSTA 2012), as the rules of Hypothesis's own state machines can be:
what needs many steps of one kind is found if others do not get in the way. A run where nothing else is possible takes one that is
off. Shrinking switches all of them on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from explorer.lang.run import Instance
from explorer.stateful.violated import call

EXPLORE = (False, True)
"""Whether a run explores: every other one, and not at all once shrinking is done (it goes to the first)."""

OFF = (0, 64, 128, 192)
"""Of 256 actions, so many are off in a run. Without this, lost wake-ups of the system wake are not found in hundreds of runs."""

PAUSES = (True, False, False)
"""Whether a run pauses now and then, to look at what it comes to from there: a pause takes the place of a step."""

PAUSE = -1
"""The number of the step that takes none."""


class Choice:
    """Something to draw, shown as the model's author would write it. ``value`` is what it stands for."""

    def __init__(self, text: str, value: Any) -> None:
        self.text, self.value = text, value

    def __repr__(self) -> str:
        return self.text


class Steps:
    """The step to take next, among those that are offered."""

    def __init__(self, instances: Sequence[Instance]) -> None:
        names = dict.fromkeys(i.action.name for i in instances)
        self.actions = {name: n for n, name in enumerate(names)}
        self.choices = {n: Choice(i.text, n) for n, i in enumerate(instances)}
        self.choices[PAUSE] = Choice("pause", PAUSE)
        # For each instance its action and the places of its parameters' values in their types.
        self._paths: dict[int, tuple[int, ...]] = {}
        for name, action in self.actions.items():
            own = {n: i.values for n, i in enumerate(instances) if i.action.name == name}
            columns = zip(*own.values(), strict=True)
            domains = [{v: n for n, v in enumerate(dict.fromkeys(c))} for c in columns]
            for n, values in own.items():
                places = (d[v] for d, v in zip(domains, values, strict=True))
                self._paths[n] = (action, *places)
        self._paths[PAUSE] = (len(self.actions),)
        self._sizes: dict[tuple[int, ...], int] = {}
        for path in self._paths.values():
            for depth in range(1, len(path)):
                start = path[:depth]
                self._sizes[start] = max(self._sizes.get(start, 0), path[depth] + 1)
        sizes = {len(self.actions) + 1, *self._sizes.values()}
        self._options: set[int] = set()
        self._values = {n: self._among(n) for n in sizes}
        self._offered: list[tuple[tuple[int, ...], int]] = []
        self.strategy: st.SearchStrategy[Choice] = self._step()

    def _among(self, size: int) -> st.SearchStrategy[int]:
        return st.sampled_from(range(size)).filter(lambda v: v in self._options)

    def offer(self, numbers: Iterable[int]) -> None:
        """From now on these can be drawn. Strategies are made once, so this is how they get to know."""
        self._offered = [(self._paths[n], n) for n in numbers]

    def _step(self) -> st.SearchStrategy[Choice]:
        @st.composite
        def step(draw: st.DrawFn) -> Choice:
            left, depth, size = self._offered, 0, len(self.actions) + 1
            while True:
                self._options.clear()
                self._options.update(path[depth] for path, _ in left)
                value = draw(self._values[size])
                left = [(path, n) for path, n in left if path[depth] == value]
                depth += 1
                path, number = left[0]
                if len(path) == depth:
                    return self.choices[number]
                size = self._sizes[path[:depth]]

        return step()


def starts(found: Iterable[tuple[tuple[object, ...], Any]]) -> st.SearchStrategy[Choice]:
    """An initial state, by the values of init's parameters."""
    return st.sampled_from([Choice(call("init", values), (values, s)) for values, s in found])


def swarm(actions: Sequence[str]) -> st.SearchStrategy[frozenset[str]]:
    """The actions that are off in a run."""

    @st.composite
    def off(draw: st.DrawFn) -> frozenset[str]:
        level = draw(st.sampled_from(OFF))
        if not level:
            return frozenset()
        # One choice for all of them: it shrinks in one go. Bytes shrink to zero, which is on.
        levels = draw(st.binary(min_size=len(actions), max_size=len(actions)))
        return frozenset(a for a, b in zip(actions, levels, strict=True) if b > 255 - level)

    return off()
