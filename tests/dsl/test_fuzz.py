"""Randomly damaged documents are refused with diagnostics or still valid, and never cause a crash."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.rendering import render_text
from planspec.dsl.documents.documents import task_from_text
from tests.dsl.cases import diagnostics_of
from tests.dsl.diagnostics.test_diagnostics import CASES
from tests.dsl.small_trip import LIBRARY, ONE_FILE, TASK, WORLD

PIECES = st.one_of(
    st.sampled_from(
        [
            *"()[]{}<>=!?.,:;'\"|&*#%@`-+/\\ \n\t\0\x85\u2028é§٣0",
            "\r\n",
            "..",
            "??",
            "//",
            "==",
            ": ",
            " #",
            "\n  ",
        ]
    ),
    st.sampled_from(
        [
            "none",
            "for x in",
            "if",
            "else",
            "not",
            "implies",
            "is none",
            "step",
            "key",
            "set of",
            "list of",
            "steps(",
        ]
    ),
    st.sampled_from(
        [
            "visits",
            "Place",
            "Mode",
            "v",
            "0",
            "1.5",
            "2026-07-01",
            "09:00",
            "30min",
            "5 EUR",
            "99999999999999999999",
        ]
    ),
    st.text(max_size=3),
)


@st.composite
def damaged_texts(draw: st.DrawFn, text: str) -> str:
    """Draw a text with one to four changes: parts are removed, inserted, doubled or moved."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 2, 5, 20, 60])))
        match draw(st.sampled_from(["out", "in", "double", "move"])):
            case "out":
                text = text[:start] + text[end:]
            case "in":
                text = text[:start] + draw(PIECES) + text[start:]
            case "double":
                text = text[:end] + text[start:end] + text[end:]
            case _:
                to = draw(st.integers(0, len(text)))
                cut = text[:start] + text[end:]
                text = cut[:to] + text[start:end] + cut[to:]
    return text


def check_task_text(text: str) -> None:
    """Check that a task's text is valid or has diagnostics that can be printed."""
    try:
        task_from_text(text)
    except DiagnosticError as error:
        diagnostics = error.diagnostics
    else:
        return
    assert diagnostics
    for diagnostic in diagnostics:
        assert diagnostic.code in CODES
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(diagnostic.span.source.text)
        assert diagnostic.message
    assert render_text(diagnostics)


def test_the_undamaged_task_is_correct() -> None:
    assert task_from_text(ONE_FILE).measures == ("tickets", "total", "ridden")


@given(damaged_texts(ONE_FILE))
def test_a_damaged_task_is_refused_or_read(text: str) -> None:
    check_task_text(text)


@given(st.sampled_from([next(iter(case.files.values())) for case in CASES]).flatmap(damaged_texts))
def test_a_task_with_a_mistake_can_be_damaged_further(text: str) -> None:
    check_task_text(text)


@given(st.sampled_from(["trips.yaml", "oldtown.yaml", "trip-1.yaml"]), st.data())
def test_a_damaged_library_world_or_task_is_refused_or_read(name: str, data: st.DataObject) -> None:
    texts = {"trips.yaml": LIBRARY, "oldtown.yaml": WORLD, "trip-1.yaml": TASK}
    texts[name] = data.draw(damaged_texts(texts[name]))
    with tempfile.TemporaryDirectory() as folder:
        for each, text in texts.items():
            (Path(folder) / each).write_text(text, "utf-8", errors="replace", newline="")
        render_text(diagnostics_of(Path(folder) / "trip-1.yaml"))


@given(st.binary(max_size=60), st.integers(0, len(TASK)), st.booleans())
def test_damaged_bytes_raise_no_exception(junk: bytes, at: int, alone: bool) -> None:
    text = TASK.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.yaml"
        path.write_bytes(junk if alone else text[:at] + junk + text[at:])
        render_text(diagnostics_of(path))
