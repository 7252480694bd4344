"""All outputs about conflicts use the same sentences. They call a conflict minimal only if this is proved."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planspec.api.conflict_outputs import conflict_output, conflict_words
from planspec.commands import why as command
from planspec.dsl.documents.documents import task_from_text
from planspec.live.panel.panels import conflict_panel
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.conflicts import Conflict, why
from planspec.verifiers.meaning.ground import ground
from tests.paths import ROOT
from tests.planspec.live.test_notebook import panel_in

TASK = """planspec: task/1
id: calls
query: Three calls.
plan: {call: {one: true, a: int, b: int}}
scope: {call: {a: 0..9, b: 0..9}}
constraints:
  low: {hard: call.a <= 2}
  high: {hard: call.a >= 4}
  other: {hard: call.a + call.b >= 20}
  idle: {hard: call.b >= 0}
"""
CLAIM = re.compile(r"cannot (all|both) hold, and|this alone cannot hold", re.IGNORECASE)


@pytest.fixture(scope="module")
def proved_conflict() -> Conflict:
    """Return the task's conflict with all of its MUSes, which are proved minimal."""
    conflict = why(ground(task_from_text(TASK)), every=True, bounds=False)
    assert conflict.complete
    assert len(conflict.mus_sets) == 2
    return conflict


@pytest.fixture(scope="module")
def unproved_conflict(proved_conflict: Conflict) -> Conflict:
    """Return a conflict as it is after a timeout: constraints in conflict that are not proved minimal."""
    members = tuple({member.id: member for mus in proved_conflict.mus_sets for member in mus}.values())
    return replace(proved_conflict, mus_sets=(), complete=False, relaxations=(), relaxed=False, core=members)


def outputs(conflict: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> dict[str, str]:
    """Return the text about a conflict by kind of output."""
    task = task_from_text(TASK)
    output = conflict_output(task, conflict)
    command._print(output, several=False)
    panel = conflict_panel(conflict)
    return {
        "text": capsys.readouterr().out,
        "json": json.dumps(output.model_dump(mode="json")),
        "panel": panel.model_dump_json(),
        "notebook": panel_in(conflict._repr_html_()).model_dump_json(),
    }


def test_every_output_calls_a_proved_conflict_minimal(
    proved_conflict: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = conflict_words(proved_conflict)
    for name, shown in outputs(proved_conflict, monkeypatch, capsys).items():
        assert all(heading in shown for heading in words.conflicts), name
        assert "There is no other conflict." in shown, name


def test_no_output_calls_an_unproved_conflict_minimal(
    unproved_conflict: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = conflict_words(unproved_conflict)
    for name, shown in outputs(unproved_conflict, monkeypatch, capsys).items():
        assert words.core in shown, name
        assert "There may be other conflicts." in shown, name
        assert not CLAIM.search(shown), name


@pytest.mark.parametrize("path", ["planspec/live/panel/template/panel.js", "planspec/live/playground/page/results.js"])
def test_page_programs_contain_no_sentences_about_conflicts(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    assert "cannot" not in text
    assert "Cheapest" not in text
    assert "told" in text


def test_an_enumeration_finds_the_conflict_of_a_single_search_first() -> None:
    """Within the same effort, an enumeration of conflicts finds at least the conflict that a single search finds."""
    task = ground(task_from_text(TASK))
    one = why(task, bounds=False)
    conflicts: list[Conflict] = []
    why(task, every=True, bounds=False, on_progress=conflicts.append)
    assert conflicts[0].mus_sets == one.mus_sets
    tight = Limits(seconds=None, effort=1e-6)
    assert why(task, every=True, bounds=False, limits=tight).core == why(task, bounds=False, limits=tight).core


def test_a_relaxation_is_found_before_the_enumeration_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for further conflicts ends at once, as after a timeout."""
    from planspec.errors import LimitReachedError
    from planspec.solvers.questions import conflicts

    def reach_time_limit(*_: object) -> Any:
        raise LimitReachedError("time")

    monkeypatch.setattr(conflicts, "marco", reach_time_limit)
    conflict = why(ground(task_from_text(TASK)), every=True, bounds=False)
    assert len(conflict.mus_sets) == 1
    assert not conflict.complete
    assert conflict.relaxations
