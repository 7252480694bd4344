"""Reading of files as text, and the diagnostics of files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.yaml.source_files import read_source


def read_diagnostic(path: Path, max_bytes: int = 1_000) -> tuple[str, str, str]:
    """Read a file, which must fail, and return code, headline and label of the diagnostic."""
    report = Report()
    assert read_source(path, "t.yaml", report=report, max_bytes=max_bytes) is None
    (diagnostic,) = report.diagnostics
    return diagnostic.code, diagnostic.message, diagnostic.primary.text


def test_a_file_is_read_without_its_mark_and_with_newlines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\nb: c\r\n")
    source = read_source(path, report=Report())
    assert source is not None
    assert (source.name, source.text) == (str(path), "a: é\nb: c\n")


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    assert read_diagnostic(tmp_path / "a.yaml") == (
        "PS007",
        "`t.yaml` cannot be read",
        "there is no such file",
    )


def test_a_folder_in_place_of_a_file_is_reported(tmp_path: Path) -> None:
    assert read_diagnostic(tmp_path) == (
        "PS007",
        "`t.yaml` cannot be read",
        "it is a folder, and a file is needed",
    )


def test_an_invalid_path_is_reported(tmp_path: Path) -> None:
    assert read_diagnostic(tmp_path / "a\0b")[0] == "PS007"
    assert read_diagnostic(tmp_path / ("a" * 5_000))[0] == "PS007"


def test_a_file_below_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    assert read_diagnostic(tmp_path / "a" / "b.yaml")[:2] == ("PS007", "`t.yaml` cannot be read")


def test_a_large_file_is_reported_and_the_limit_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: bcdef\n")
    assert read_diagnostic(path, max_bytes=8) == ("PS005", "`t.yaml` is too large", "more than 8 bytes")
    assert read_source(path, report=Report(), max_bytes=9) is not None


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero on this system")
def test_a_device_is_not_a_file() -> None:
    assert read_diagnostic(Path("/dev/zero"))[0] == "PS007"


def test_a_byte_that_is_not_utf8_is_underlined_in_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: caf\xe9 x\r\nc: 2\r\n")
    report = Report()
    assert read_source(path, report=report) is None
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "PS001"
    assert (diagnostic.span.line, diagnostic.span.column) == (2, 7)
    assert diagnostic.span.source.line_text(2) == "b: caf\ufffd x"
    assert diagnostic.primary.text == "byte 0xe9 is not valid here"


def test_utf16_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes("a: b\n".encode("utf-16"))
    report = Report()
    assert read_source(path, report=report) is None
    assert report.diagnostics[0].help == "this looks like UTF-16: save the file as UTF-8"
