"""`planspec docs`: pages, sections, and messages about unknown names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec.commands.docs import DocsPage, docs_pages
from tests.paths import ROOT
from tests.planspec.commands.test_command_line import run


def test_every_page_is_listed_with_its_title(monkeypatch: Any, capsys: Any) -> None:
    _, out, _ = run(monkeypatch, capsys, "docs")
    assert [line.split()[0] for line in out.splitlines()] == sorted(path.stem for path in (ROOT / "docs").glob("*.md"))
    assert "tutorial" in out
    _, output, _ = run(monkeypatch, capsys, "docs", "--format", "json")
    assert [entry["page"] for entry in json.loads(output)] == list(docs_pages())


@pytest.mark.parametrize("name", ["limits", "limits.md", "docs/limits.md"])
def test_a_page_is_printed_unchanged(name: str, monkeypatch: Any, capsys: Any) -> None:
    assert run(monkeypatch, capsys, "docs", name)[:2] == (0, (ROOT / "docs" / "limits.md").read_text("utf-8"))


def test_the_option_path_prints_where_the_documentation_is(monkeypatch: Any, capsys: Any) -> None:
    assert run(monkeypatch, capsys, "docs", "--path")[1] == f"{(ROOT / 'docs').resolve()}\n"
    assert Path(run(monkeypatch, capsys, "docs", "limits", "--path")[1].strip()).samefile(ROOT / "docs" / "limits.md")


def test_a_section_ends_before_the_next_one(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# Page\n\n## One: `a`, b\n\n```sh\n# no heading\n```\n\n### Below\n\nx\n\n## Two\n\ny\n", "utf-8")
    page = DocsPage("page", path)
    assert page.anchors == ["page", "one-a-b", "below", "two"]
    assert page.section("one-a-b") == "## One: `a`, b\n\n```sh\n# no heading\n```\n\n### Below\n\nx\n\n"
    assert page.section("below") == "### Below\n\nx\n\n"
    assert page.section("two") == "## Two\n\ny\n"
    assert page.section("three") is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tutorail", "there is no page `tutorail`; did you mean `tutorial`?"),
        ("zzz", "there is no page `zzz`; `planspec docs` lists all of them"),
        ("language#shard", "the page `language` has no section `shard`; did you mean `shards`?"),
        (
            "language#zzzzzz",
            "the page `language` has no section `zzzzzz`; `planspec docs language` has all of them",
        ),
    ],
)
def test_an_unknown_name_gets_the_nearest_suggestion(name: str, message: str, monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "docs", name)
    assert (code, out) == (2, "")
    assert err == f"error: {message}\n"
