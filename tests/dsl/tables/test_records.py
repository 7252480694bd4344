"""Records of JSON lines and JSON files. Invalid and hostile texts are reported at their position."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.tables.records import JsonFile, JsonLines
from planspec.dsl.yaml.nodes import Scalar

DIGITS = "9" * 5000


def lines(folder: Path, data: str | bytes, name: str = "a.jsonl") -> JsonLines:
    """Write a file of JSON lines, and return its reader."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return JsonLines(path, name)


def scanned(records: JsonLines | JsonFile) -> tuple[list[dict[str, Any]], list[tuple[str, int, str]]]:
    """Return the records, and code, line and label of each mistake."""
    report = Report()
    found = [record for _, record in records.scan(report)]
    return found, [(each.code, each.span.line, each.primary.text) for each in report.diagnostics]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 1}\n{"a": 2}', ["1", "2"]),
        ('\ufeff{"a": 1}\r\n\r\n{"a": 2}\r\n', ["1", "2"]),
        ('{"a": "x\u2028\x85y"}\n', ["x\u2028\x85y"]),
        ('{"a": "\\ud83d\\ude00"}\n', ["\U0001f600"]),
        ('{"a":\r1}\n', ["1"]),
        (f'{{"a": {DIGITS}}}\n', [DIGITS]),
        ('{"a": 1.50}\n', ["1.50"]),
        ("", []),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_only_a_line_feed_ends_a_line_and_numbers_are_stored_as_strings(
    tmp_path: Path, text: str, values: list[str], packed: bool
) -> None:
    data = gzip.compress(text.encode()) if packed else text.encode()
    records = lines(tmp_path, data, "a.jsonl.gz" if packed else "a.jsonl")
    found, mistakes = scanned(records)
    assert (mistakes, [record["a"] for record in found]) == ([], values)
    for index, value in enumerate(values):
        node = records.node(index, Report())
        assert node is not None and isinstance(node.entries[0][1], Scalar)
        assert node.entries[0][1].text == value


@pytest.mark.parametrize(
    ("line", "code", "label"),
    [
        ("[" * 100_000, "PS015", "it nests deeper than 100 levels"),
        ('{"a": "\\ud800"}', "PS015", "half of a surrogate pair is not a character"),
        ('{"\\udc00": 1}', "PS015", "half of a surrogate pair is not a character"),
        (b'{"a": "\xed\xa0\x80"}', "PS001", "byte 0xed is not valid here"),
        ("[1]", "PS015", "a list, not an object"),
        ("null", "PS015", "a single value, not an object"),
        ('{"a": 1} x', "PS015", "Extra data"),
        ('{"a": "' + "x" * 10_000_000, "PS015", "Unterminated string starting at"),
    ],
)
def test_a_bad_line_is_reported_and_the_others_are_read(
    tmp_path: Path, line: str | bytes, code: str, label: str
) -> None:
    data = b'{"a": 1}\n' + (line.encode() if isinstance(line, str) else line) + b'\n{"a": 3}\n'
    found, mistakes = scanned(lines(tmp_path, data))
    assert ([record["a"] for record in found], mistakes) == (["1", "3"], [(code, 2, label)])


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ('{"a": NaN}', "NaN is no JSON"),
        ('{"a": ' + "[" * 200 + "]" * 200 + "}", "it nests deeper than 100 levels"),
        ('{"a": 1, "a": 2}', "a key is repeated"),
        ('{"a": 1e9999999999999999999999}', "1e9999999999999999999999 is too large"),
    ],
)
def test_the_mistake_in_a_record_is_reported_when_the_record_is_read(tmp_path: Path, line: str, label: str) -> None:
    records, report = lines(tmp_path, f"{line}\n"), Report()
    assert len(scanned(records)[0]) == 1
    assert records.node(0, report) is None
    assert [(each.code, each.primary.text) for each in report.diagnostics] == [("PS015", label)]


@pytest.mark.parametrize(
    "data",
    [gzip.compress(b'{"a": 1}\n', mtime=0)[:-9], b"not packed", gzip.compress(b"{}\n", mtime=0) + b"junk"],
    ids=["cut off", "not packed", "with more bytes"],
)
def test_a_damaged_packed_file_is_reported(tmp_path: Path, data: bytes) -> None:
    assert [code for code, _, _ in scanned(lines(tmp_path, data, "a.jsonl.gz"))[1]] == ["PS007"]


def test_a_folder_or_a_file_that_vanished_is_reported(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").mkdir()
    assert [code for code, _, _ in scanned(JsonLines(tmp_path / "b.jsonl", "b.jsonl"))[1]] == ["PS007"]
    records, report = lines(tmp_path, '{"a": 1}\n'), Report()
    scanned(records)
    records.path.unlink()
    assert records.node(0, report) is None
    assert [each.code for each in report.diagnostics] == ["PS007"]
    assert records.place(0).text == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`a.json` is not JSON"),
        ("3", "`a.json` has no records"),
        ("[" * 100_000, "`a.json` is not JSON"),
        ('[{"a": 1e9999999999999999999999}]', "`a.json` is not JSON"),
        ("[1]", "a record is an object"),
        ('{"x": 1}', "a record is an object"),
    ],
)
def test_a_file_without_records_is_reported(text: str, message: str) -> None:
    report = Report()
    assert JsonFile.of(Source("a.json", text), report).items == []
    assert [(each.code, each.message) for each in report.diagnostics] == [("PS015", message)]


def test_the_key_of_an_object_takes_precedence_over_a_field_with_the_same_name() -> None:
    found, _ = scanned(JsonFile.of(Source("a.json", '{"x": {"@key": "y", "b": null}}'), Report()))
    assert found == [{"@key": "x", "b": None}]
