"""Files that are whole at any moment: what is written stands beside them until it is complete, then takes their place."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import stat
import time
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
    part = part_of(target)
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
    part = part_of(Path(os.path.realpath(path)))
    try:
        yield part
        with part.open("rb") as made:
            os.fsync(made.fileno())
        part.replace(os.path.realpath(path))
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Makes a folder beside what it is for, and takes it away in the end with what is left in it.

    Args:
        parent: the folder that it stands in.

    Yields:
        The folder, which only its owner can read.

    Raises:
        OSError: it cannot be made.
    """
    made = part_of(parent / "folder")
    made.mkdir(mode=0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def part_of(target: Path) -> Path:
    """Names what is written beside a file until it takes the file's place.

    The name says which process it belongs to. What ended processes left in the folder is taken away when a process writes
    there for the first time.
    """
    folder = target.parent
    if folder not in _SWEPT:
        _SWEPT.add(folder)
        _sweep(folder)
    return folder / f".planspec-{_machine()}-{os.getpid()}-{os.urandom(8).hex()}.part"


_SWEPT: set[Path] = set()
_PART = re.compile(r"\.planspec-(?:([0-9a-f]{12})-(\d{1,10})-)?[0-9a-f]{16}\.part")
_OLD_S = 86_400.0
"""The age at which a part belongs to nobody, also where it cannot be seen whether its process has ended."""


def _sweep(folder: Path) -> None:
    """Take away the parts of a folder whose process has ended, and those that nobody has written to for a day."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _PART.fullmatch(entry.name)
            if found is not None and (_is_ended(*found.groups()) or _is_old(entry)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        Path(entry.path).unlink()


def _is_old(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD_S
    return False


def _is_ended(machine: str | None, process: str | None) -> bool:
    """Whether a process of this machine is no more."""
    if (
        machine != _machine() or process is None or os.name == "nt"
    ):  # there a signal 0 is none that does nothing
        return False
    with suppress(PermissionError, OverflowError):
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            return True
    return False


@functools.cache
def _machine() -> str:
    """What the numbers of processes hold for: a machine since it was started, or a container of it."""
    told = "" if os.name == "nt" else os.uname().nodename
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        told = f"{boot}{Path('/proc/self/ns/pid').stat().st_ino}"
    return hashlib.sha256(told.encode()).hexdigest()[:12]


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
