"""Every command on the pages prints the output that the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.generate import PAGES
from tests.docs.pages import Block, exchanges, outputs_match, run_page
from tests.in_process import attempts_in_process
from tests.paths import ROOT

ELSEWHERE = ("README.md", "docs/monitor.md")
"""Pages whose commands other tests run."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_every_command_prints_what_the_page_shows(page: str, tmp_path: Path) -> None:
    with attempts_in_process():
        differences, _ = run_page((ROOT / page).read_text(encoding="utf-8"), tmp_path, starts_processes=False)
    assert not differences, "\n\n".join(map(str, differences))


def test_a_different_output_is_found_and_replaced(tmp_path: Path) -> None:
    page = "```console\n$ echo one\ntwo\n$ echo three\nthree\n```\n"
    differences, corrected = run_page(page, tmp_path)
    assert [difference.command for difference in differences] == ["echo one"]
    assert corrected == "```console\n$ echo one\none\n$ echo three\nthree\n```\n"


def test_the_last_exit_code_can_be_printed(tmp_path: Path) -> None:
    differences, _ = run_page("```console\n$ exit 3\n$ echo $?\n3\n```\n", tmp_path)
    assert not differences


def test_a_file_of_the_page_exists_when_commands_run(tmp_path: Path) -> None:
    differences, _ = run_page("```yaml a.yaml\nid: a\n```\n\n```console\n$ cat a.yaml\nid: a\n```\n", tmp_path)
    assert not differences


@pytest.mark.parametrize(
    ("expected", "printed", "equal"),
    [
        ("found (0.10 s)", "found (2.35 s)", True),
        ('"seconds": 0.0012,', '"seconds": 1e-05,', True),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...", "a\nb", True),
        ("...\nd", "a\nd", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("a", "a\nb", False),
        ("a.c", "abc", False),
        ("", "a", False),
    ],
)
def test_times_and_omitted_lines_are_not_compared(expected: str, printed: str, *, equal: bool) -> None:
    assert outputs_match(expected, printed) is equal


def test_a_command_ends_where_the_next_begins() -> None:
    block = Block("console", "", "$ a\nx\ny\n$ b", 1, 5)
    assert [(e.command, e.printed) for e in exchanges(block)] == [("a", "x\ny"), ("b", "")]
