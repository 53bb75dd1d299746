"""The file in which finished searches are kept: a line for each, added when it is finished."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import explorer
from explorer.batch.job import Job, Outcome
from explorer.files import read_text
from explorer.lang.errors import ModelError
from explorer.lang.properties import properties_for
from explorer.lang.text import Json
from explorer.loading import Found
from explorer.trace.digest import digest

SCHEMA = "slotcheck.batch/1"


class Store:
    """Finished searches of one system in one version, by job."""

    def __init__(self, found: Found, path: Path | None) -> None:
        """Takes up the searches in the file, or begins one; without a path nothing is kept.

        Raises ModelError for a file that is none of this, or of another model. A last line that was not written whole, because the run was
        killed, is left out.
        """
        self.path = path
        self.known: dict[str, Outcome] = {}
        if path is None:
            return
        header = {"schema": SCHEMA, "system": found.name, "digest": fingerprint(found)}
        if path.exists() and (not path.is_file() or path.stat().st_size > 0):
            self._read(path, header)
        else:
            _append(path, _line(header))

    def __getitem__(self, job: Job) -> Outcome | None:
        """What is known of a job."""
        return self.known.get(job.key)

    def add(self, job: Job, outcome: Outcome) -> None:
        """Keeps what a search found. Raises ModelError if the file cannot be written."""
        self.known[job.key] = outcome
        if self.path is not None:
            _append(self.path, _line({"job": job.key, "outcome": outcome.to_json()}))

    def _read(self, path: Path, header: Mapping[str, Json]) -> None:
        lines = read_text(path, "file of finished searches").split("\n")
        first = _content(lines[0])
        if not isinstance(first, dict) or first.get("schema") != SCHEMA:
            raise ModelError(
                f"{path} holds no finished searches",
                hint="name a new file, or one that --resume made",
            )
        if first != header:
            what = "system" if first.get("system") != header["system"] else "model or version"
            raise ModelError(
                f"{path} holds searches of another {what}",
                hint="name a new file: what was true then may not be true now",
            )
        for number, line in enumerate(lines[1:-1], 2):
            content = _content(line)
            if content is None:
                raise ModelError(f"{path}:{number}: this line is damaged", hint="take it out")
            self._take(path, number, content)
        if lines[-1]:
            # What a killed run left of a line would spoil the next one.
            os.truncate(path, path.stat().st_size - len(lines[-1].encode("utf-8")))

    def _take(self, path: Path, number: int, content: Json) -> None:
        try:
            assert isinstance(content, dict)
            outcome = content["outcome"]
            assert isinstance(outcome, dict)
            self.known[str(content["job"])] = Outcome.of_json(outcome)
        except (AssertionError, KeyError, TypeError, ValueError):
            raise ModelError(f"{path}:{number}: this is no finished search") from None


def fingerprint(found: Found) -> str:
    """A digest of all that an outcome depends on: the model, its properties, and the checker."""
    total = hashlib.sha256(digest(found.cls).encode())
    files = {p.file for p in properties_for(found.cls())}
    own = Path(explorer.__file__).parent
    for file in sorted(map(Path, files)) + sorted(own.rglob("*.py")):
        total.update(file.name.encode() + b"\0" + file.read_bytes().replace(b"\r\n", b"\n"))
    return f"sha256:{total.hexdigest()}"


def _line(content: Mapping[str, Json]) -> str:
    text = json.dumps(content, sort_keys=True)
    return f"{_sum(text)} {text}\n"


def _content(line: str) -> Json:
    """What a line says; None if it is not whole."""
    checksum, _, text = line.partition(" ")
    content: Json = json.loads(text) if text and checksum == _sum(text) else None
    return content


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise ModelError(f"cannot write {path}: {error.strerror}") from None
