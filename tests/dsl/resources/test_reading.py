"""Irregular files (such as pipes) and oversized files are refused at once, without waiting."""

from __future__ import annotations

import errno
import os
from io import BytesIO
from pathlib import Path

import pytest

from planspec.dsl.resources import limits
from planspec.dsl.resources.reading import (
    UnsuitableFileError,
    lines_of,
    open_regular,
    open_text,
    read_bytes,
    read_stream,
    read_text,
)


def read_error(path: str | Path, max_bytes: int = 10) -> tuple[int | None, str | None, str]:
    """Read a file, and return number, message and file name of the error that this must raise."""
    with pytest.raises(OSError, match=r"\S") as caught:
        read_bytes(path, max_bytes)
    return caught.value.errno, caught.value.strerror, str(caught.value.filename)


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    assert read_bytes(path, 10) == b"0123456789"
    assert read_error(path, 9) == (errno.EFBIG, "it is larger than 9 bytes", str(path))


def test_a_pipe_without_a_writer_is_refused_without_waiting(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert read_error(path) == (errno.EINVAL, "it is not a regular file", str(path))


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/tty", "/dev/stdin"])
def test_devices_are_refused(name: str) -> None:
    with pytest.raises(OSError, match=name):
        read_bytes(name, 10)


def test_a_folder_and_a_missing_file_have_different_errors(tmp_path: Path) -> None:
    assert read_error(tmp_path)[0] == errno.EISDIR
    assert read_error(tmp_path / "none")[0] == errno.ENOENT


def test_a_file_without_a_known_size_is_read_up_to_the_limit() -> None:
    with pytest.raises(UnsuitableFileError):
        read_bytes("/proc/self/maps", 10)


def test_a_stream_is_read_up_to_the_limit() -> None:
    assert read_stream(BytesIO(b"123"), "standard input", 3) == b"123"
    with pytest.raises(UnsuitableFileError, match="larger than 2 bytes"):
        read_stream(BytesIO(b"123"), "standard input", 2)


def test_a_line_is_read_up_to_the_limit_however_long_the_file_is() -> None:
    assert list(lines_of(BytesIO(b"abc\n\nd"), "lines", 4)) == [b"abc\n", b"\n", b"d"]
    with pytest.raises(OSError, match="a line is larger than 3 bytes"):
        list(lines_of(BytesIO(b"a\nabc\n"), "lines", 3))


def test_texts_lose_their_byte_order_mark_and_foreign_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(path, 100) == "a\nb\nc\n"
    with open_text(path, 100, encoding="utf-8-sig") as file:
        assert file.readlines() == ["a\n", "b\n", "c\n"]


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to("a")
    with open_regular(tmp_path / "b", 1) as file:
        assert file.read() == b"x"


def test_limits_of_files_read_at_once_fit_in_32_bits() -> None:
    """In a browser sizes have 32 bits, and larger ones raise OverflowError. Files that are read line by line may be
    larger.
    """
    sizes = {name: value for name, value in vars(limits).items() if name.endswith("_BYTES")}
    assert {name for name, most in sizes.items() if most + 1 >= 2**31} == {"STREAM_BYTES"}
