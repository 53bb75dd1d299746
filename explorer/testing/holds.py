"""``assert_holds``: an exhaustive search as an assertion, whose message is the explained counterexample."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from explorer import interrupts
from explorer.command.check import asked, labelled
from explorer.command.report import coverage, heading, remedy, row
from explorer.configure import Configured, choose_properties, configure
from explorer.engines import Limits, run
from explorer.lang.errors import ModelError
from explorer.lang.properties import Property
from explorer.lang.system import System
from explorer.loading import Found, close, find_system, load_properties, name_of
from explorer.result import PropertyResult, Result
from explorer.testing.explained import explained

SystemLike: TypeAlias = str | type[System[Any]] | System[Any]
PropertyLike: TypeAlias = str | Property | Callable[..., Any]


class NotHeld(AssertionError):
    """A search did not find what a test expects. ``result`` is what it found."""

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result


@dataclass(frozen=True)
class Question:
    """What is checked: a configured system, the properties that were named (all if none), and limits."""

    configured: Configured
    names: tuple[str, ...]
    limits: Limits

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for questions with the same answer."""
        return self.configured.key, self.names, self.limits


def assert_holds(
    system: SystemLike,
    properties: Iterable[PropertyLike] | None = None,
    *,
    scope: Mapping[str, int] | None = None,
    design: str | None = None,
    switches: Mapping[str, object] | None = None,
    ignore: Iterable[str] = (),
    expect_states: int | None = None,
    expect_properties: int | None = None,
    max_states: int | None = None,
    max_seconds: float | None = None,
    reductions: bool = True,
    ask: Callable[[Question], Result] | None = None,
) -> Result:
    """Search ``system`` exhaustively, and fail unless everything holds.

    Witnesses must be reached, and nothing may be left open: a limit that was hit, or a scope that was used up, fails the test.

    Parameters
    ----------
    system
        A class, a system, or a name as on the command line: ``"registry"``, ``"path/to/file.py:ClassName"``.
    properties
        Names, or the functions that were declared; all that apply to the system if None. Failures of the model itself (panics,
        values out of range, deadlock) are always looked for.
    scope, design, switches
        As ``--scope``, ``--design`` and ``--set`` of ``slotcheck check``.
    ignore
        Names of properties and failures that may fail here.
    expect_states
        The number of states (of orbits where the search was reduced by symmetry). It changes when the scope does, or the model, and
        so a check cannot get smaller unnoticed.
    expect_properties
        The number of declared properties that were decided: a module that is no longer imported takes its properties along.
    max_states, max_seconds, reductions
        As ``--max-states``, ``--max-seconds`` and ``--no-reductions``.
    ask
        What answers the question, by default a search.

    Raises
    ------
    NotHeld
        An AssertionError with every counterexample, explained.
    ModelError
        There is no such system, property, scope entry or switch, or the model cannot be checked.
    """
    __tracebackhide__ = True
    configured = _configuration(system, scope, design, switches)
    limits = Limits(states=max_states, seconds=max_seconds, reductions=reductions)
    question = Question(configured, _names(properties), limits)
    result = (ask or answer)(question)
    ignored = _known(result, (ignore,) if isinstance(ignore, str) else tuple(ignore))
    lines = list(_complaints(result, ignored, expect_states, expect_properties))
    if not lines:
        return result
    lines = [heading(result), coverage(result), "", *lines]
    for item in result.properties:
        if item.verdict == "violated" and item.trace is not None and item.name not in ignored:
            lines += ["", *explained(item.trace, configured.system)]
    raise NotHeld("\n".join(lines), result)


def answer(question: Question) -> Result:
    """Searches. Raises KeyboardInterrupt if it was interrupted: then nothing more is to be tested."""
    configured = question.configured
    declared = choose_properties(configured.system, question.names)
    result = run("exhaustive", configured.system, declared, question.limits)
    if interrupts.INTERRUPTED in result.incomplete:
        raise KeyboardInterrupt
    return labelled(asked(result, question.names), configured)


def _configuration(
    system: SystemLike,
    scope: Mapping[str, int] | None,
    design: str | None,
    switches: Mapping[str, object] | None,
) -> Configured:
    if isinstance(system, System):
        if scope is not None or design is not None or switches is not None:
            raise ModelError(
                f"{system.name} has a scope and a design already",
                hint=f"give the class {type(system).__name__}, or no scope, design and switches",
            )
        return Configured(system, name_of(type(system)), None)
    if isinstance(system, str):
        return configure(find_system(system), scope, design, switches)
    if not (isinstance(system, type) and issubclass(system, System)):
        raise ModelError(
            f"{system!r} is no system",
            hint='give a class that derives from System, or a name like "file.py:ClassName"',
        )
    load_properties()
    return configure(Found(name_of(system), system), scope, design, switches)


def _names(properties: Iterable[PropertyLike] | None) -> tuple[str, ...]:
    if properties is None:
        return ()
    if isinstance(properties, str) or callable(properties):
        properties = (properties,)
    names = tuple(p if isinstance(p, str) else _name(p) for p in properties)
    if not names:
        raise ModelError(
            "the list of properties is empty, and nothing would be checked",
            hint="leave it out to check all that apply",
        )
    return names


def _name(prop: object) -> str:
    name = prop.name if isinstance(prop, Property) else getattr(prop, "__name__", None)
    if not isinstance(name, str):
        raise ModelError(f"{prop!r} is no property", hint="give its name or its function")
    return name


def _known(result: Result, ignore: Collection[str]) -> frozenset[str]:
    """Names to ignore. A name that nothing has would ignore nothing, and nobody would notice."""
    names = [item.name for item in result.properties]
    for name in ignore:
        if name not in names and result.lists_failures:
            raise ModelError(f"{result.system} cannot fail with {name}", hint=close(name, names))
    return frozenset(ignore)


def _complaints(
    result: Result, ignored: Collection[str], states: int | None, properties: int | None
) -> Iterator[str]:
    """What is not as a test expects, a line each."""
    for item in result.properties:
        if item.name not in ignored and _is_bad(item):
            yield row(item)
    for why in result.incomplete:
        yield f"incomplete: {why}{remedy(result, why, ())}"
    if states is not None and result.states != states:
        what = "orbits of states" if result.reductions else "states"
        yield f"{result.states:,} {what}, and {states:,} are expected: the scope or the model is another one"
    declared = [p.name for p in result.properties if p.kind not in ("failure", "deadlock")]
    if properties is not None and len(declared) != properties:
        listed = ", ".join(declared) or "none"
        yield f"{len(declared)} declared properties were decided, and {properties} are expected: {listed}"


def _is_bad(item: PropertyResult) -> bool:
    return item.failed or item.verdict == "unknown"
