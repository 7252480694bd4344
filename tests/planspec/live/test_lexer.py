"""The Pygments lexer colours planspec documents and loses no character."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest
from pygments.lexers import get_lexer_by_name, guess_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String

from planspec.live.lexer import PlanspecLexer
from tests.paths import ROOT
from tests.planspec.live.language.texts import SAMPLE

TEXT = """\
planspec: task/1
query: >-
  for each of us, 3 places
constraints:
  slow:  # a remark
    hard: >-
      all(dwell(v) >= 90min
          for v in visits)
    message: '{v} is short'
  near: {soft: sum(v.cost for v in visits) <= 20 EUR, kind: money}
define:
  dwell(v visits): v.end - v.start
environment:
  role: You plan for 2 of us.
"""


def test_the_lexer_is_found_by_name_and_by_file_name() -> None:
    assert "planspec.live.lexer:PlanspecLexer" in {point.value for point in entry_points(group="pygments.lexers")}
    assert isinstance(get_lexer_by_name("planspec"), PlanspecLexer)
    assert isinstance(guess_lexer_for_filename("x.task.yaml", TEXT), PlanspecLexer)


def test_expressions_and_texts_are_coloured_differently() -> None:
    tokens = {(value, token) for _, token, value in PlanspecLexer().get_tokens_unprocessed(TEXT)}
    for expected in [
        ("hard", Name.Tag),
        ("all", Name.Builtin),
        ("90min", Number),
        ("for", Keyword),
        ("20 EUR", Number),
        ("dwell(v visits)", Name.Tag),
        ("# a remark", Comment.Single),
        ("kind", Name.Tag),
    ]:
        assert expected in tokens
    assert ("for each of us, 3 places", String) in tokens
    assert (" You plan for 2 of us.", String) in tokens


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        SAMPLE,
        SAMPLE[:700],
        "a: {b",
        "- - x: 1\n",
        "\n\n",
        (ROOT / "tasks/libraries/worldtravel.library.yaml").read_text(),
    ],
)
def test_no_character_is_lost(text: str) -> None:
    at = 0
    for start, _, value in PlanspecLexer().get_tokens_unprocessed(text):
        assert start == at
        at += len(value)
    assert at == len(text)
