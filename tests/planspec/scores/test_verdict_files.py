"""Verdicts of another judge are read from JSON lines or CSV. Errors name the wrong line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.errors import UnsuitableAnswersError
from planspec.scores.verdict_files import read_verdicts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "v.jsonl",
            '{"task": "a", "pass": true}\n\n{"task": "b", "pass": 0.5}\n{"task": "c", "pass": 1.0, "by": "x"}\n',
        ),
        ("v.csv", "task,pass\na,true\nb,0.5\nc,1\n"),
        ("v.csv", "\ufeffnote;pass;task\n;YES;a\nx;no;b\n;1.0;c\n"),
    ],
)
def test_truth_values_and_scores_are_verdicts(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert read_verdicts(path) == {"a": True, "b": False, "c": True}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("v.jsonl", '{"task": "a", "pass": true}\n{"task": "b"}\n', "line 2 is no verdict"),
        ("v.jsonl", '{"task": "a", "pass": NaN}\n', "line 1 is no verdict"),
        ("v.jsonl", '{"task": 1, "pass": true}\n', "line 1 is no verdict"),
        ("v.jsonl", '{"task": "a", "pass": true}\n{"task": "a", "pass": true}\n', "line 2 is a second verdict on `a`"),
        ("v.jsonl", "task a\n", "line 1 is not JSON"),
        ("v.csv", "id,pass\na,true\n", "has no columns `task` and `pass`"),
        ("v.csv", "task,pass\na,perhaps\n", "line 2 is no verdict"),
    ],
)
def test_a_line_that_is_not_a_verdict_is_named(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(UnsuitableAnswersError, match=message):
        read_verdicts(path)


def test_a_file_in_another_encoding_is_reported_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_bytes("task,pass\ncafé,1\n".encode("latin-1"))
    with pytest.raises(UnsuitableAnswersError, match="not UTF-8"):
        read_verdicts(path)
