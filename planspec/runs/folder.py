"""The folder of a run: an append-only file of attempts that is whole at any moment, whatever ends the run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from planspec.files import replace_text
from planspec.runs.record import Attempt, Run


class BrokenRun(ValueError):
    """A folder that is no run, or another one than is asked to go on."""


class BusyRun(RuntimeError):
    """Another process writes to the run."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where a run lies: `run.json`, `attempts.jsonl`, and `lock` while it is written.

    An attempt is one line that ends with a line feed. What stands after the last line feed was being written when the
    process ended: it is no attempt, is passed over by readers, and is cut off before the next line is written.
    """

    path: Path

    @property
    def header(self) -> Path:
        """The file of what all attempts share."""
        return self.path / "run.json"

    @property
    def attempts_file(self) -> Path:
        """The file of the attempts."""
        return self.path / "attempts.jsonl"

    def create(self, run: Run) -> None:
        """Begin a run.

        Raises:
            BrokenRun: there is something in the folder.
            OSError: it cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if any(self.path.iterdir()):
            raise BrokenRun(f"`{self.path}` is not empty; go on with a run by --resume")
        replace_text(self.header, run.model_dump_json(indent=2) + "\n")
        self.attempts_file.touch()

    def run(self) -> Run:
        """The header.

        Raises:
            BrokenRun: the folder has none.
        """
        try:
            return Run.model_validate_json(self.header.read_bytes())
        except FileNotFoundError:
            raise BrokenRun(f"`{self.path}` is no run: it has no run.json") from None
        except ValidationError as error:
            raise BrokenRun(f"`{self.header}`: {error.errors()[0]['msg']}") from None

    def attempts(self) -> Iterator[Attempt]:
        """The attempts in the order in which they ended.

        Raises:
            BrokenRun: a whole line is no attempt.
        """
        try:
            opened = self.attempts_file.open("rb")
        except FileNotFoundError:
            return
        with opened:
            for number, line in enumerate(opened, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield Attempt.model_validate(json.loads(line))
                except json.JSONDecodeError as error:
                    raise BrokenRun(f"`{self.attempts_file}`, line {number}: {error}") from None
                except ValidationError as error:
                    told = error.errors()[0]
                    place = ".".join(map(str, told["loc"]))
                    raise BrokenRun(
                        f"`{self.attempts_file}`, line {number}: {place}: {told['msg']}"
                    ) from None

    @contextmanager
    def writing(self) -> Iterator[AttemptFile]:
        """The file of attempts, for one process alone.

        Raises:
            BusyRun: another process has it.
        """
        with (self.path / "lock").open("a+b") as lock:
            _lock(lock, self.path)
            with self.attempts_file.open("a+b") as opened:
                _cut(opened)
                yield AttemptFile(opened)


@dataclass(frozen=True, slots=True)
class AttemptFile:
    """Takes attempts as they end."""

    _file: IO[bytes]

    def add(self, attempt: Attempt) -> None:
        """Write an attempt; when this returns it is on the disk.

        Raises:
            OSError: it cannot be written.
        """
        line = json.dumps(
            attempt.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, allow_nan=False
        )
        self._file.write(line.encode("utf-8", "backslashreplace") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _cut(opened: IO[bytes]) -> None:
    """Take away what stands after the last line feed."""
    size = end = opened.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - (1 << 16))
        opened.seek(begin)
        found = opened.read(end - begin).rfind(b"\n")
        if found >= 0:
            end = begin + found + 1
            break
        end = begin
    if end != size:
        opened.truncate(end)
    opened.seek(0, os.SEEK_END)


def _lock(opened: IO[bytes], folder: Path) -> None:
    """Hold the lock until the file is closed, which the end of the process does."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(opened.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(opened.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BusyRun(f"another process writes to `{folder}`") from None
