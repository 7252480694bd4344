"""The recording of a suite: an SQLite file of calls beside it, whose results are read on demand."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from planspec.environments.line_index import FileState
from planspec.families.mobilitybench.calls import Canonical
from planspec.families.mobilitybench.public.replaying import PublicSandbox
from planspec.families.mobilitybench.snapshot import KnownCall, RecordedCall, text_of

RECORDING = "sandbox.sqlite"
"""Name of the file in the folder of a suite."""
KEPT = 4
"""Number of recordings whose calls a process caches."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A recorded call whose result is read on demand.

    Attributes:
        tool: name of the tool.
        arguments: arguments in canonical form.
        file: the recording.
        place: key in the recording.
    """

    tool: str
    arguments: Canonical
    file: Path
    place: int

    @property
    def key(self) -> tuple[str, Canonical]:
        """Key for lookups."""
        return self.tool, self.arguments

    @property
    def result(self) -> str:
        """The answer as JSON text."""
        with closing(_opened(self.file)) as base:
            row = base.execute("select result from Call where place = ?", (self.place,)).fetchone()
        return str(row[0])


def write_recording(file: Path, calls: Iterable[RecordedCall]) -> None:
    """Write a recording; the file must not exist."""
    with closing(sqlite3.connect(file)) as base:
        base.execute("create table Call (place integer primary key, tool text, arguments text, result text)")
        base.executemany(
            "insert into Call values (?, ?, ?, ?)",
            ((n, call.tool, text_of(dict(call.arguments)), call.result) for n, call in enumerate(calls, 1)),
        )
        base.commit()


def recording_beside(episodes: Path | None) -> PublicSandbox | None:
    """Return the recording of a suite, beside its episodes' own results; None if it has none.

    Args:
        episodes: the file with the suite's episodes, or its folder.
    """
    if episodes is None:
        return None
    file = (episodes if episodes.is_dir() else episodes.parent) / RECORDING
    return _sandbox(FileState.of(file)) if file.is_file() else None


@lru_cache(maxsize=KEPT)
def _sandbox(file: FileState) -> PublicSandbox:
    return PublicSandbox(_calls(file.path))


def _calls(file: Path) -> list[KnownCall]:
    with closing(_opened(file)) as base:
        rows = base.execute("select place, tool, arguments from Call order by place").fetchall()
    return [StoredCall(tool, _canonical(arguments), file, place) for place, tool, arguments in rows]


def _canonical(text: str) -> Canonical:
    arguments = json.loads(text)
    return tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in sorted(arguments.items()))


def _opened(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
