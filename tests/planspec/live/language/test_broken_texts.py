"""Every request of an editor gets a result, even if the text of the document is damaged."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.live.language.positions import position_of
from planspec.live.language.renaming import RenameRefusedError
from planspec.live.language.requests import METHODS, handle_request
from tests.planspec.live.language.texts import LIBRARY, SAMPLE, TASK, Session
from tests.random_examples import examples

pytestmark = pytest.mark.slow

INSERTED_TEXTS = [
    "\n",
    "  ",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ": ",
    "- ",
    " #",
    "'",
    '"',
    "|\n",
    ">-\n",
    "&a ",
    "*a",
    "!t ",
    "%",
    "@",
    "`",
    ",",
    ".",
    "v.",
    "Place.",
    "sum(",
    " for x in ",
    "\t",
    "é",
    "🚶",
    "\r",
    "\n---\n",
    "\x00",
    "==",
    "= ",
    "?",
    "..",
    "turns:\n  - query: x\n",
    "{{",
    "planspec: task/1\n",
    "cases: {a: {from: reference}}\n",
]
NAMES = {"day.task.yaml": TASK, "walks.library.yaml": LIBRARY, "sample.task.yaml": SAMPLE}


@st.composite
def damaged_texts(draw: st.DrawFn) -> tuple[str, str, int]:
    """Generate the name of a document, a damaged text, and an offset in the text."""
    name = draw(st.sampled_from(sorted(NAMES)))
    text = NAMES[name]
    at = draw(st.integers(0, len(text)))
    match draw(st.sampled_from(["cut", "insert", "delete", "type"])):
        case "cut":
            text = text[:at]
        case "insert":
            text = text[:at] + draw(st.sampled_from(INSERTED_TEXTS)) + text[at:]
        case "delete":
            text = text[:at] + text[at + draw(st.integers(1, 60)) :]
        case _:
            text = text[:at] + draw(st.text(max_size=4)) + text[at:]
    return name, text, min(at, len(text))


@given(damaged_texts())
@settings(max_examples=examples(20), deadline=None)
def test_every_request_about_a_damaged_text_has_a_result(case: tuple[str, str, int]) -> None:
    name, text, at = case
    session = Session(Path(tempfile.gettempdir()) / "nowhere")
    session.open_all_three()
    document = session.open(name, text)
    place = position_of(document.source, min(at, len(document.source.text)))
    params = {
        "textDocument": {"uri": document.uri},
        "position": place,
        "positions": [place],
        "newName": "other",
        "range": {"start": place, "end": {"line": place["line"] + 3, "character": 4}},
        "context": {"diagnostics": [], "includeDeclaration": True},
    }
    for method in METHODS:
        try:
            result = handle_request(session.editor, method, params)
        except RenameRefusedError as refused:
            result = str(refused)
        json.dumps(result)
