"""What is measured, and how it is shown."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Failed, Run, best, run
from benchmarks.peers import PEERS, Peer

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "tests" / "systems" / "two_phase_commit.py"
REGISTRY = "GlobalId=1,Time=4,SlotRef=4"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One checker on one size of two-phase commit, beside slotcheck on the same."""

    checker: str
    managers: int
    seconds: float
    cpu: float
    peak: int
    states: int
    transitions: int
    ours: float
    agrees: bool

    @property
    def ratio(self) -> float:
        """How many times as long as slotcheck it takes."""
        return self.seconds / self.ours


class Ours:
    """The command ``slotcheck``, with a cache of its own and Python's compiled files beside it, as after an installation."""

    def __init__(self, folder: Path) -> None:
        self.environment = {
            "SLOTCHECK_CACHE": str(folder / "cache"),
            "PYTHONPYCACHEPREFIX": str(folder / "pyc"),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPATH": str(ROOT),
        }

    def two_phase_commit(self, managers: int, times: int) -> tuple[Run, tuple[int, int]]:
        """The best of some runs with a warm cache, start to exit, and its counts."""
        target = f"{MODEL}:TwoPhaseCommit"
        command = [sys.executable, "-m", "explorer.cli", "check", target]
        command += ["--scope", f"Manager={managers}", "--no-reductions", "--json", "-"]
        # The first run is not counted: it fills the cache, and the next ones start with tuned code.
        runs = [self.run(command) for _ in range(times + 1)]
        result = json.loads(_json(runs[-1].output))
        return best(runs[1:]), (result["states"], result["transitions"])

    def inside(self, system: str, scope: str, *words: str) -> dict[str, float]:
        """Figures from inside a search: see ``inside``."""
        command = [sys.executable, "-m", "benchmarks.inside", system, scope, *words]
        self.run(command)
        done = self.run(command)
        figures: dict[str, float] = json.loads(done.output.splitlines()[-1])
        return figures

    def run(self, command: Sequence[str], **extra: str) -> Run:
        return run(command, ROOT, {**self.environment, **extra}, codes=(0, 1, 3))


def compare(
    *, managers: int | None, times: int, only: Sequence[str] | None, say: Say
) -> dict[str, Any]:
    """Everything, in one run: prints lines as they come, returns the figures.

    With ``managers`` all checkers get that size, otherwise each the largest that it takes some ten seconds for.
    """
    with _folder() as folder:
        ours = Ours(folder)
        rows = list(_peers(ours, managers, times, only, folder, say))
        size = managers or 9
        say(f"\nTwo-phase commit with {size} managers, from inside")
        small = ours.inside("two_phase_commit", f"Manager={size}")
        _tell(small, say)
        say(f"\nThe registry with {REGISTRY}")
        large = ours.inside("registry", REGISTRY if managers is None else "Time=2")
        _tell(large, say)
        factors = _spread(ours, managers or 8, say)
        first = _first_run(ours, folder, say)
    return {
        "peers": [{**row.__dict__, "ratio": row.ratio} for row in rows],
        "two_phase_commit": small,
        "registry": large,
        "words_factors": factors,
        "first_run": first,
    }


def _peers(
    ours: Ours, managers: int | None, times: int, only: Sequence[str] | None, folder: Path, say: Say
) -> Iterator[Row]:
    say(
        f"{'':12} managers    seconds        CPU   peak MB       states  transitions   times as long"
    )
    known: dict[int, tuple[Run, tuple[int, int]]] = {}
    chosen = [p for p in PEERS if only is None or p.name.lower() in only]
    sizes = sorted({managers or p.managers for p in chosen}, reverse=True) or [managers or 9]
    for size in sizes:
        known[size] = ours.two_phase_commit(size, times)
        done, (states, transitions) = known[size]
        say(_line("slotcheck", size, done, states, transitions, "1.0"))
        for peer in chosen:
            if (managers or peer.managers) == size:
                yield from _peer(peer, size, times, known[size], folder, say)


def _peer(
    peer: Peer, size: int, times: int, ours: tuple[Run, tuple[int, int]], folder: Path, say: Say
) -> Iterator[Row]:
    lacking = peer.missing()
    if lacking is not None:
        say(f"{peer.name:12} not here: {lacking}")
        return
    place = folder / f"{peer.name}-{size}"
    place.mkdir()
    try:
        peer.prepare(size, place)
        runs = [peer.measured(size, place) for _ in range(times)]
    except Failed as error:
        say(f"{peer.name:12} failed: {error}")
        return
    done = best([r for r, _ in runs])
    states, transitions = runs[0][1]
    # SPIN prints seven digits of large numbers.
    close = abs(transitions - ours[1][1]) <= ours[1][1] * 1e-6
    agrees = states == ours[1][0] and close
    row = Row(
        peer.name,
        size,
        done.seconds,
        done.cpu,
        done.peak,
        states,
        transitions,
        ours[0].seconds,
        agrees,
    )
    note = f"{row.ratio:.1f}" + ("" if agrees else "  OTHER COUNTS")
    say(_line(peer.name, size, done, states, transitions, note))
    yield row


def _line(name: str, size: int, done: Run, states: int, transitions: int, note: str) -> str:
    return (
        f"{name:12} {size:8} {done.seconds:8.2f} s {done.cpu:8.2f} s {done.peak / 1e6:9.0f} "
        f"{states:12,} {transitions:12,}   {note}"
    )


def _tell(figures: dict[str, float], say: Say) -> None:
    rate = figures["transitions"] / figures["search"]
    share = rate / figures["updates_per_second"]
    say(
        f"  {figures['states']:,.0f} states of {figures['words']:.0f} words, {figures['transitions']:,.0f} transitions; "
        f"lowering {figures['lowering']:.2f} s, search {figures['search']:.2f} s, "
        f"{figures['model'] / figures['search']:.0%} of it the model's own code"
    )
    say(f"  memory that the search adds: {figures['bytes_per_state']:.1f} bytes per state")
    say(
        f"  {rate / 1e6:.1f} million transitions a second, {share:.0%} of the machine's "
        f"{figures['updates_per_second'] / 1e6:.1f} million random updates in a table of that size"
    )


def _spread(ours: Ours, managers: int, say: Say) -> dict[int, float]:
    """How many times as long a transition takes if the same states are spread over several words."""
    say(f"\nTwo-phase commit with {managers} managers, its states spread over several words")
    seconds = {
        words: ours.inside("two_phase_commit", f"Manager={managers}", str(words))["search"]
        for words in (1, 2, 3, 4)
    }
    factors = {words: taken / seconds[1] for words, taken in seconds.items() if words > 1}
    shown = ", ".join(f"{words} words {factor:.2f}" for words, factor in factors.items())
    say(f"  times as long as with one word: {shown}")
    return factors


def _first_run(ours: Ours, folder: Path, say: Say) -> dict[str, float]:
    """A model that was never compiled before, the registry in its default scope; and the very first run."""
    command = [sys.executable, "-m", "explorer.cli", "check"]
    registry, other = [*command, "registry"], [*command, f"{MODEL}:TwoPhaseCommit"]
    ours.run([*registry, "--max-states", "1"])  # Python's compiled files
    empty, used = (
        {"SLOTCHECK_CACHE": str(folder / "empty")},
        {"SLOTCHECK_CACHE": str(folder / "used")},
    )
    very_first = ours.run(registry, **empty)
    ours.run(other, **used)
    first = ours.run(registry, **used)
    again = ours.run(registry, **used)
    try:
        bare = best([ours.run([sys.executable, "-c", "import numba, llvmlite"]) for _ in range(3)])
    except Failed:
        bare = None
    figures = {
        "very_first": very_first.seconds,
        "first": first.seconds,
        "first_cpu": first.cpu,
        "again": again.seconds,
    }
    say(
        f"\nThe registry in its default scope: first run {first.seconds:.2f} s, again {again.seconds:.2f} s; "
        f"with an empty cache {very_first.seconds:.2f} s"
    )
    if bare is not None:
        figures["imports"] = bare.seconds
        say(f"  `import numba, llvmlite` takes {bare.seconds:.2f} s")
    return figures


def _json(output: str) -> str:
    """The JSON object, which starts on a line of its own."""
    lines = output.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("{"))
    end = next(
        i
        for i in range(len(lines) - 1, -1, -1)
        if lines[i].startswith("}") or lines[i].endswith("}")
    )
    return "\n".join(lines[start : end + 1])


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="slotcheck-benchmarks-") as folder:
        yield Path(folder)
