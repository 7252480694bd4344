"""The benchmark of parsers counts how many facts of documents a parser reads correctly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.paths import ROOT

STATED = [
    (1, "West Lake", "ticket", "60"),
    (1, "West Lake", "opens", "09:00"),
    (1, "West Lake", "address", "1 Lake Road"),
    (2, "G7 2025-10-16", "to", "Shanghai Hongqiao"),
]


def write(path: Path, facts: list[tuple[int, str, str, str]], *more: dict[str, Any]) -> Path:
    rows = [{"document": d, "city": "X", "subject": s, "field": f, "value": v, "true": True} for d, s, f, v in facts]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in (*more, *rows)), "utf-8")
    return path


@pytest.fixture
def parsers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module of the benchmark."""
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks import veritrip_parsers

    return veritrip_parsers


def test_numbers_must_be_equal_and_texts_similar(parsers: Any, tmp_path: Path) -> None:
    write(tmp_path / "corpus" / "hidden.jsonl", STATED, {"document": 1, "kind": "guide"})
    declared = parsers.read_facts(tmp_path / "corpus" / "hidden.jsonl")
    other = [(1, "West Lake", "ticket", "60"), (1, "West Lake", "opens", "9:00"), STATED[2]]
    found = parsers.agreement(declared, parsers.read_facts(write(tmp_path / "a.jsonl", other)))
    assert (found.facts, found.found, found.exact, found.similarity) == (4, 0.75, 0.5, 0.5)
    assert parsers.agreement(declared, declared) == parsers.Agreement(4, 1.0, 1.0, pytest.approx(1.0))


def test_similarity_is_one_for_equal_texts_and_zero_for_texts_with_nothing_in_common(parsers: Any) -> None:
    assert parsers.cosine("Lake Road", "lake  road") == pytest.approx(1)
    assert 0.5 < parsers.cosine("1 Lake Road", "1 Lake Rd") < 1
    assert parsers.cosine("abc", "xyz") == parsers.cosine("abc", "") == 0


def test_the_sample_has_whole_documents(parsers: Any, tmp_path: Path) -> None:
    declared = parsers.read_facts(write(tmp_path / "a.jsonl", STATED))
    sample = parsers.sampled_facts(declared, 1)
    assert len({key[0] for key in sample}) == 1
    assert len(sample) in {1, 3}
    assert parsers.sampled_facts(declared, 9) == declared


def test_the_table_has_a_line_for_each_parser(parsers: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "corpus" / "hidden.jsonl", STATED)
    parsers.print_agreement(tmp_path, [write(tmp_path / "a.jsonl", STATED[:2]), write(tmp_path / "b.jsonl", STATED)])
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["a.jsonl", "4", "50.0%", "100.0%", "0.0%"],
        ["b.jsonl", "4", "100.0%", "100.0%", "100.0%"],
    ]


def test_a_line_without_a_fact_is_named(parsers: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for text in ('{"document": 1}', "[]", "{", '{"document": "x", "city": 1, "subject": 1, "field": 1, "value": 1}'):
        path.write_text(text + "\n", "utf-8")
        with pytest.raises(SystemExit, match=r"a\.jsonl:1: this is no fact"):
            parsers.read_facts(path)
    with pytest.raises(SystemExit, match=r"absent\.jsonl"):
        parsers.read_facts(tmp_path / "absent.jsonl")
