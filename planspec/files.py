"""Files that are whole at any moment: what is written stands beside them until it is complete, then takes their place."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def replace_bytes(path: Path, data: bytes) -> None:
    """Gives a file new contents, at once or not at all; see `replacing`.

    Raises:
        OSError: it cannot be written; it has its old contents then, or is still not there.
    """
    with replacing(path) as file:
        file.write(data)


def replace_text(path: Path, text: str) -> None:
    """Gives a file a new text in UTF-8, at once or not at all; see `replacing`.

    Raises:
        OSError: it cannot be written; it has its old contents then, or is still not there.
    """
    replace_bytes(path, text.encode("utf-8"))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Opens a file that takes the place of another when the block ends well.

    The data are on the disk before the name changes hands, so that neither a full disk nor the end of the process nor
    that of the machine leaves half a file. The mode stays, also the owner where that may be set; a symlink goes on
    pointing to what is replaced; other hard links keep the old contents. What is no regular file (a device, a pipe),
    and the standard streams under whatever name, cannot be replaced and is written to.

    Args:
        path: of the file; its folder must be there.

    Yields:
        What is written to. Nothing of it stays where the block raises.

    Raises:
        OSError: the file cannot be written. The error names `path`.
    """
    target = Path(os.path.realpath(path))
    part = _part(target)
    try:
        with _opened(path, target, part) as file:
            yield file
    except OSError as error:
        if error.filename in (None, str(path), str(target), str(part)):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise


@contextmanager
def building(path: Path) -> Iterator[Path]:
    """Names a file that takes the place of another when the block ends well: for what a library writes by itself.

    Args:
        path: of the file; its folder must be there.

    Yields:
        Where to write. Nothing is there yet, and nothing stays there.

    Raises:
        OSError: the file cannot be replaced.
    """
    part = _part(Path(os.path.realpath(path)))
    try:
        yield part
        with part.open("rb") as made:
            os.fsync(made.fileno())
        part.replace(os.path.realpath(path))
    finally:
        part.unlink(missing_ok=True)


def _part(target: Path) -> Path:
    return target.with_name(f".planspec-{os.urandom(8).hex()}.part")


@contextmanager
def _opened(path: Path, target: Path, part: Path) -> Iterator[BinaryIO]:
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is not None and (stream := _standard(found)) is not None:
        with os.fdopen(os.dup(stream), "wb") as file:
            yield file
    elif found is not None and not stat.S_ISREG(found.st_mode):
        with path.open("wb") as file:
            yield file
    else:
        if found is not None:
            path.open("r+b").close()  # a name may change hands where the file itself must not be written
        with _beside(target, part, found) as file:
            yield file


@contextmanager
def _beside(target: Path, part: Path, found: os.stat_result | None) -> Iterator[BinaryIO]:
    """The part of a file, which is moved to its place; without one left behind where that fails."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if found is not None:
                _liken(descriptor, found)
            yield file
            file.flush()
            os.fsync(descriptor)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _liken(descriptor: int, found: os.stat_result) -> None:
    """Takes over the owner, where that is allowed, and then the mode, of which a change of the owner takes bits away."""
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (found.st_uid, found.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, found.st_uid, found.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(found.st_mode))


def _standard(found: os.stat_result) -> int | None:
    """The standard output or error that a file is: `-o /dev/stdout > plan.json` names one."""
    for stream in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(stream), found):
                return stream
    return None
