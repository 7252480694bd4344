"""Every example of the language reference has the result that the page shows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from planspec import check
from planspec.dsl.check.builtins import BUILTINS
from tests.docs.generate import diagnostics_page, language_page, limits_page
from tests.docs.pages import Block, blocks
from tests.docs.sample import CODE, Example, codes_of, examples, shows_of, tool_result, value_or_codes
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = list(blocks(PAGE))
EXAMPLES = [example for block in BLOCKS if block.language == "planspec" for example in examples(block)]
CALLS = [
    (before.text, call) for before, block in pairwise(BLOCKS) if block.language == "calls" for call in examples(block)
]
SHOWS = [(before.text, block) for before, block in pairwise(BLOCKS) if block.language == "shows"]
FRAGMENTS = [block for block in BLOCKS if block.language == "yaml" and block.file is None]


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"line-{example.line}" for example in EXAMPLES])
def test_an_expression_has_the_value_on_the_page(example: Example) -> None:
    assert value_or_codes(example.expression) == example.expected


@pytest.mark.parametrize("block", FRAGMENTS, ids=[f"line-{block.start}" for block in FRAGMENTS])
def test_a_fragment_of_a_task_is_valid_or_has_the_named_mistake(block: Block) -> None:
    codes = codes_of(block.text)
    expected = set(CODE.findall(block.rest))
    assert expected == codes - {"PS210"}  # a new scope may leave names of the sample unused


@pytest.mark.parametrize(("fragment", "call"), CALLS, ids=[f"line-{call.line}" for _, call in CALLS])
def test_a_tool_returns_the_result_on_the_page(fragment: str, call: Example) -> None:
    assert tool_result(fragment, call.expression) == call.expected


@pytest.mark.parametrize(("fragment", "block"), SHOWS, ids=[f"line-{block.start}" for _, block in SHOWS])
def test_an_agent_gets_the_shows_on_the_page(fragment: str, block: Block) -> None:
    assert shows_of(fragment) == block.text


def test_the_documents_on_the_page_have_no_mistakes(tmp_path: Path) -> None:
    for block in BLOCKS:
        if block.file is not None:
            (tmp_path / block.file).write_text(block.text + "\n", encoding="utf-8")
    diagnostics = check([tmp_path])
    assert not [f"{d.code} {d.message} {d.span.text}" for d in diagnostics]


def test_every_block_of_the_page_is_tested() -> None:
    assert {block.language for block in BLOCKS} <= {"planspec", "yaml", "csv", "calls", "shows"}


def test_the_builtins_of_the_page_are_those_of_the_language() -> None:
    assert language_page(PAGE) == PAGE, "run `make docs`"


def test_every_builtin_has_a_heading() -> None:
    assert [name for name in BUILTINS if f"### {name}\n" not in PAGE] == []


def test_the_page_of_limits_is_generated_from_the_code() -> None:
    assert (ROOT / "docs" / "limits.md").read_text(encoding="utf-8") == limits_page()


def test_the_index_of_diagnostics_is_generated_from_the_codes() -> None:
    assert (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8") == diagnostics_page(), "run `make docs`"
