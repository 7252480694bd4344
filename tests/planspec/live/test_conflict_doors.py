"""No place that shows conflicts claims more than was proved: each shows the sentences that are made from what was."""

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
from planspec.live.panel.telling import conflict_panel
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
def proved() -> Conflict:
    """Every conflict, proved minimal."""
    found = why(ground(task_from_text(TASK)), every=True, bounds=False)
    assert found.complete
    assert len(found.mus_sets) == 2
    return found


@pytest.fixture(scope="module")
def unproved(proved: Conflict) -> Conflict:
    """Time ran out before a minimal conflict was found: what is known is a set in which one is."""
    members = tuple({member.id: member for mus in proved.mus_sets for member in mus}.values())
    return replace(proved, mus_sets=(), complete=False, relaxations=(), relaxed=False, core=members)


def doors(found: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> dict[str, str]:
    """What each place shows of conflicts, as text."""
    task = task_from_text(TASK)
    output = conflict_output(task, found)
    command._print(output, several=False)
    panel = conflict_panel(found)
    return {
        "text": capsys.readouterr().out,
        "json": json.dumps(output.model_dump(mode="json")),
        "panel": panel.model_dump_json(),
        "notebook": panel_in(found._repr_html_()).model_dump_json(),
    }


def test_what_is_proved_minimal_is_called_so_everywhere(
    proved: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = conflict_words(proved)
    for name, shown in doors(proved, monkeypatch, capsys).items():
        assert all(heading in shown for heading in words.conflicts), name
        assert "There is no other conflict." in shown, name


def test_what_is_not_proved_minimal_is_called_so_nowhere(
    unproved: Conflict, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    words = conflict_words(unproved)
    for name, shown in doors(unproved, monkeypatch, capsys).items():
        assert words.core in shown, name
        assert "There may be other conflicts." in shown, name
        assert not CLAIM.search(shown), name


@pytest.mark.parametrize(
    "path", ["planspec/live/panel/template/panel.js", "planspec/live/playground/page/results.js"]
)
def test_pages_have_no_sentences_of_their_own_about_conflicts(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    assert "cannot" not in text
    assert "Cheapest" not in text
    assert "told" in text


def test_every_conflict_begins_with_what_one_conflict_finds() -> None:
    """With no more effort than one conflict takes, asking for all of them finds as much."""
    task = ground(task_from_text(TASK))
    one = why(task, bounds=False)
    found: list[Conflict] = []
    why(task, every=True, bounds=False, on_progress=found.append)
    assert found[0].mus_sets == one.mus_sets
    tight = Limits(seconds=None, effort=1e-6)
    assert (
        why(task, every=True, bounds=False, limits=tight).core == why(task, bounds=False, limits=tight).core
    )


def test_a_way_out_is_there_before_every_conflict_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the others ends at once, as if time had run out."""
    from planspec.errors import LimitReachedError
    from planspec.solvers.questions import conflicts

    def none_left(*_: object) -> Any:
        raise LimitReachedError("time")

    monkeypatch.setattr(conflicts, "marco", none_left)
    found = why(ground(task_from_text(TASK)), every=True, bounds=False)
    assert len(found.mus_sets) == 1
    assert not found.complete
    assert found.relaxations
