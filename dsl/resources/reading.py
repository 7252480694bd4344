"""Reading of files named by a caller or a document. Only regular files within a size limit are read."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from io import TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO, TextIO

if TYPE_CHECKING:
    from gzip import GzipFile


class UnsuitableFileError(OSError):
    """The path is not a regular file, or the file is too large; `strerror` has the reason."""


def open_regular(path: str | os.PathLike[str], max_bytes: int) -> BinaryIO:
    """Open a regular file for reading. Devices and pipes are refused, since reading them may never end.

    Args:
        path: the file.
        max_bytes: maximum size in bytes.

    Raises:
        OSError: it is not a regular file, is larger, or cannot be opened.
    """
    # Non-blocking, since opening a pipe without a writer would block. This does not affect regular files.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder, and a file is needed", os.fspath(path))
        if not stat.S_ISREG(status.st_mode):
            raise UnsuitableFileError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        if status.st_size > max_bytes:
            raise UnsuitableFileError(errno.EFBIG, f"it is larger than {size_text(max_bytes)}", os.fspath(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Return the bytes of a regular file.

    Args:
        path: the file.
        max_bytes: maximum size in bytes.

    Raises:
        OSError: it is not a regular file, is larger, or cannot be read.
    """
    with open_regular(path, max_bytes) as file:
        return read_stream(file, os.fspath(path), max_bytes)


def read_gzip(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """Return the decompressed bytes of a regular gzip file; decompression stops at the limit.

    Args:
        path: the file.
        max_bytes: maximum size in bytes, compressed and decompressed.

    Raises:
        OSError: it is not a regular file, is larger, is damaged or truncated, or cannot be read.
    """
    with open_regular(path, max_bytes) as file, decompressed(file) as opened:
        try:
            return read_stream(opened, os.fspath(path), max_bytes)
        except (EOFError, zlib.error) as error:
            raise UnsuitableFileError(errno.EINVAL, f"its packed data breaks off: {error}", os.fspath(path)) from None


def decompressed(file: BinaryIO) -> GzipFile:
    """Return a file from which the decompressed contents of an opened gzip file can be read."""
    from gzip import GzipFile  # few files are compressed

    return GzipFile(fileobj=file)


def read_stream(file: BinaryIO | GzipFile, name: str, max_bytes: int) -> bytes:
    """Return the rest of an opened file.

    Args:
        file: an opened file, such as standard input.
        name: its name in errors.
        max_bytes: maximum size in bytes.

    Raises:
        OSError: the rest is larger, or cannot be read.
    """
    data = file.read(max_bytes + 1)  # bounded, since some files, such as those of `/proc`, do not report their size
    if len(data) > max_bytes:
        raise UnsuitableFileError(errno.EFBIG, f"it is larger than {size_text(max_bytes)}", name)
    return data


def lines_of(file: BinaryIO, name: str, max_bytes: int) -> Iterator[bytes]:
    """Yield the lines of an opened file with their line ends. Only one line is in memory at a time.

    Args:
        file: an opened file at the beginning of a line.
        name: its name in errors.
        max_bytes: maximum length of a line in bytes.

    Raises:
        OSError: a line is longer, or the file cannot be read.
    """
    while line := file.readline(max_bytes + 1):
        if len(line) > max_bytes:
            raise UnsuitableFileError(errno.EFBIG, f"a line is larger than {size_text(max_bytes)}", name)
        yield line


def open_text(
    path: str | os.PathLike[str], max_bytes: int, *, encoding: str = "utf-8", newline: str | None = None
) -> TextIO:
    """Open a regular file for reading text.

    Args:
        path: the file.
        max_bytes: maximum size in bytes.
        encoding: encoding of the text, such as `utf-8-sig`, which skips a byte-order mark.
        newline: as for `open`.

    Raises:
        OSError: it is not a regular file, is larger, or cannot be opened.
    """
    return TextIOWrapper(open_regular(path, max_bytes), encoding=encoding, newline=newline)


def read_text(path: str | os.PathLike[str], max_bytes: int) -> str:
    """Return the UTF-8 text of a regular file, without a byte-order mark and with newlines as line ends.

    Raises:
        OSError: it is not a regular file, is larger, or cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, max_bytes).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def size_text(count: int) -> str:
    """Return a size in bytes as text, such as `10 MB`."""
    return f"{count // 1_000_000:,} MB" if count and count % 1_000_000 == 0 else f"{count:,} bytes"
