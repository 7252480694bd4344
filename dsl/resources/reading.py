"""Files that a caller or a document names: regular ones alone, and no more of them than is stated."""

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
    """The path names no regular file, or one that is too large; `strerror` says which."""


def open_regular(path: str | os.PathLike[str], most: int) -> BinaryIO:
    """A regular file, opened to read; devices and pipes, which may never end or never begin, are refused.

    Args:
        path: the file.
        most: how many bytes it may have.

    Raises:
        OSError: it is none, is larger, or cannot be opened.
    """
    # Without waiting, since to open a pipe that nobody writes to waits for ever; it means nothing for regular files.
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(opened)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder, and a file is needed", os.fspath(path))
        if not stat.S_ISREG(found.st_mode):
            raise UnsuitableFileError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        if found.st_size > most:
            raise UnsuitableFileError(errno.EFBIG, f"it is larger than {size(most)}", os.fspath(path))
        return os.fdopen(opened, "rb")
    except BaseException:
        os.close(opened)
        raise


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file.

    Args:
        path: the file.
        most: how many there may be.

    Raises:
        OSError: it is no regular file, is larger, or cannot be read.
    """
    with open_regular(path, most) as file:
        return read_stream(file, os.fspath(path), most)


def read_gzip(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes that a regular gzip file holds; it is unpacked no further than they are bounded.

    Args:
        path: the file.
        most: how many bytes there may be, packed and unpacked.

    Raises:
        OSError: it is no regular file, is larger, is damaged or cut off, or cannot be read.
    """
    with open_regular(path, most) as file, unpacked(file) as opened:
        try:
            return read_stream(opened, os.fspath(path), most)
        except (EOFError, zlib.error) as error:
            raise UnsuitableFileError(
                errno.EINVAL, f"its packed data breaks off: {error}", os.fspath(path)
            ) from None


def unpacked(file: BinaryIO) -> GzipFile:
    """What an opened gzip file holds, as a file."""
    from gzip import GzipFile  # few files are packed

    return GzipFile(fileobj=file)


def read_stream(file: BinaryIO | GzipFile, name: str, most: int) -> bytes:
    """The rest of an opened file.

    Args:
        file: such as standard input.
        name: how an error calls it.
        most: how many bytes there may be.

    Raises:
        OSError: there are more, or they cannot be read.
    """
    data = file.read(
        most + 1
    )  # bounded, since not every file says how much it holds, such as those of `/proc`
    if len(data) > most:
        raise UnsuitableFileError(errno.EFBIG, f"it is larger than {size(most)}", name)
    return data


def lines_of(file: BinaryIO, name: str, most: int) -> Iterator[bytes]:
    """The lines of an opened file with their ends, one in memory at a time.

    Args:
        file: at the beginning of a line.
        name: how an error calls it.
        most: how many bytes a line may have.

    Raises:
        OSError: a line has more, or the file cannot be read.
    """
    while line := file.readline(most + 1):
        if len(line) > most:
            raise UnsuitableFileError(errno.EFBIG, f"a line is larger than {size(most)}", name)
        yield line


def open_text(
    path: str | os.PathLike[str], most: int, *, encoding: str = "utf-8", newline: str | None = None
) -> TextIO:
    """A regular file, opened to read its text.

    Args:
        path: the file.
        most: how many bytes it may have.
        encoding: such as `utf-8-sig`, which passes over a byte-order mark.
        newline: as `open` has it.

    Raises:
        OSError: it is none, is larger, or cannot be opened.
    """
    return TextIOWrapper(open_regular(path, most), encoding=encoding, newline=newline)


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """The UTF-8 text of a regular file, without a byte-order mark, with newlines as its only line ends.

    Raises:
        OSError: it is no regular file, is larger, or cannot be read.
        UnicodeDecodeError: it is no UTF-8.
    """
    return read_bytes(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def size(count: int) -> str:
    """A number of bytes in words: `10 MB`."""
    return f"{count // 1_000_000:,} MB" if count and count % 1_000_000 == 0 else f"{count:,} bytes"
