"""Helpers for files: the package's folder, the user's cache folder, and atomic writing.

Data are written to a temporary file, which replaces the target after it is complete.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

PACKAGE = Path(__file__).parent
"""Folder of the installed package."""


def id_as_file_name(id: str) -> str:
    """Return a task's id for use in a file name: percent-encoded except for the characters `A-Za-z0-9_.-@~`."""
    return quote(id, safe="@~")


def replace_bytes(path: Path, data: bytes) -> None:
    """Replace a file's contents atomically; see `replacing`.

    Raises:
        OSError: the file cannot be written. It is unchanged, or still missing.
    """
    with replacing(path) as file:
        file.write(data)


def replace_text(path: Path, text: str) -> None:
    """Replace a file's text atomically, in UTF-8; see `replacing`.

    Raises:
        OSError: the file cannot be written. It is unchanged, or still missing.
    """
    replace_bytes(path, text.encode("utf-8"))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces a file if the block succeeds.

    The data are on the disk before the temporary file is renamed. A full disk, a killed process or a machine failure
    thus never leaves an incomplete file. The mode is preserved, and also the owner if the process may set it. A symlink
    is kept and its target replaced; other hard links keep the old contents. Devices, pipes and the standard streams,
    under any name, are written to directly.

    Args:
        path: path of the file, in an existing folder.

    Yields:
        The file to write to. It is removed if the block fails.

    Raises:
        OSError: the file cannot be written. The error names `path`.
    """
    target = Path(os.path.realpath(path))
    part = temporary_path(target)
    try:
        with _open_target(path, target, part) as file:
            yield file
    except OSError as error:
        if error.filename in (None, str(path), str(target), str(part)):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise


@contextmanager
def building(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file that replaces a file if the block succeeds.

    Use this for libraries that write to a path.

    Args:
        path: path of the file, in an existing folder.

    Yields:
        The path to write to. It does not exist yet, and is gone afterwards.

    Raises:
        OSError: the file cannot be replaced.
    """
    part = temporary_path(Path(os.path.realpath(path)))
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(os.path.realpath(path))
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Create a temporary folder, and remove it with its contents at the end.

    Args:
        parent: folder in which to create it.

    Yields:
        The folder, readable only by its owner.

    Raises:
        OSError: the folder cannot be created.
    """
    folder = temporary_path(parent / "folder")
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def temporary_path(target: Path) -> Path:
    """Return the path of a temporary file that will replace `target`, in the same folder.

    The name includes the process id. On the first call for a folder, temporary files of ended processes are removed.
    """
    folder = target.parent
    if folder not in _SWEPT:
        _SWEPT.add(folder)
        _remove_stale_files(folder)
    return folder / f".planspec-{_machine()}-{os.getpid()}-{os.urandom(8).hex()}.part"


_SWEPT: set[Path] = set()
_PART = re.compile(r"\.planspec-(?:([0-9a-f]{12})-(\d{1,10})-)?[0-9a-f]{16}\.part")
_OLD_S = 86_400.0
"""Age in seconds from which a temporary file counts as abandoned, even if its process cannot be checked."""


def _remove_stale_files(folder: Path) -> None:
    """Remove a folder's temporary files that are a day old or belong to an ended process."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _PART.fullmatch(entry.name)
            if match is not None and (_is_ended(*match.groups()) or _is_old(entry)):
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
    """Return whether a process has ended; False if that is unknown, as for a process on another machine."""
    if machine != _machine() or process is None or os.name == "nt":  # on Windows, signal 0 would end the process
        return False
    with suppress(PermissionError, OverflowError):
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            return True
    return False


@functools.cache
def _machine() -> str:
    """Return an identifier of the scope of process ids: a machine since its boot, or a container on it."""
    identity = "" if os.name == "nt" else os.uname().nodename
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
        identity = f"{boot}{Path('/proc/self/ns/pid').stat().st_ino}"
    return hashlib.sha256(identity.encode()).hexdigest()[:12]


@contextmanager
def _open_target(path: Path, target: Path, part: Path) -> Iterator[BinaryIO]:
    try:
        existing = path.stat()
    except FileNotFoundError:
        existing = None
    if existing is not None and (stream := _standard_stream(existing)) is not None:
        with os.fdopen(os.dup(stream), "wb") as file:
            yield file
    elif existing is not None and not stat.S_ISREG(existing.st_mode):
        with path.open("wb") as file:
            yield file
    else:
        if existing is not None:
            path.open("r+b").close()  # fails for a read-only file, which a rename would replace
        with _replacement(target, part, existing) as file:
            yield file


@contextmanager
def _replacement(target: Path, part: Path, existing: os.stat_result | None) -> Iterator[BinaryIO]:
    """Open a temporary file that is renamed to the target, and removed on failure."""
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if existing is not None:
                _copy_owner_and_mode(descriptor, existing)
            yield file
            file.flush()
            os.fsync(descriptor)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _copy_owner_and_mode(descriptor: int, existing: os.stat_result) -> None:
    """Copy the owner if allowed, then the mode, because a change of owner clears mode bits."""
    created = os.fstat(descriptor)
    if (created.st_uid, created.st_gid) != (existing.st_uid, existing.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, existing.st_uid, existing.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(existing.st_mode))


def _standard_stream(existing: os.stat_result) -> int | None:
    """Return 1 or 2 if a file is open as standard output or error, as in `-o /dev/stdout > plan.json`; else None."""
    for stream in (1, 2):
        with suppress(OSError):
            if os.path.samestat(os.fstat(stream), existing):
                return stream
    return None


def cache_home() -> Path | None:
    """Return the folder for planspec's caches; None if the user has no home folder.

    The folder may not exist yet. `XDG_CACHE_HOME` or, on Windows, `LOCALAPPDATA` can set its parent.
    """
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "planspec"
    except RuntimeError:  # the user has no home folder
        return None


def add_checksum(data: bytes) -> bytes:
    """Return a cache entry: a line with the checksum of the data, and the data."""
    return _checksum(data) + b"\n" + data


def strip_checksum(entry: bytes) -> bytes | None:
    """Return the data in a cache entry; None if the checksum is wrong."""
    checksum, _, data = entry.partition(b"\n")
    return data if checksum == _checksum(data) else None


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).hexdigest().encode()
