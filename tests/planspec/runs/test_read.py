"""Records, metrics and reports contain the facts that agents declare to have read, and the effects of misreading."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AgentSpec, Limits
from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.environments import AgentTask, open_task
from planspec.environments.reading import AgentReading, FactRead, ReadOutcome
from planspec.report import ReportOptions, gather, render
from planspec.report.perception import shown_reading
from planspec.report.texts import points
from planspec.runs import Attempt, RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.record import ReadCount
from planspec.scores import run_metrics, run_scores
from planspec.scores.rescoring import rescore
from planspec.traces.record import Trace
from planspec.verifiers.environment.other_worlds import WorldVariants
from tests.verifiers.environment.test_perception import NAMES, TEXT

SETTINGS = "  settings: {near: {calls: 9, brief: Look.}, far: {calls: 9, brief: Look from afar.}}\n"


class DeclaringAgent:
    """An agent that looks up all hotels, declares the rates that it has read, in cents, and chooses a hotel."""

    def __init__(self, chosen: str, **rates: int) -> None:
        self.chosen, self.rates = chosen, rates

    def answer(self, _: TaskView, desk: Desk) -> Any:
        for name in NAMES.values():
            desk.call("hotel", {"hotel": name})
        if self.rates:
            desk.note("read", self.rates)
        return {"stay": {"hotel": self.chosen}}


def read_rates(opened: AgentTask, trace: Trace) -> AgentReading | None:
    """Compare the rates that an agent declares with those of the facts, as a family's reader does."""
    note = trace.extra.get("read")
    if not isinstance(note, dict):
        return None
    facts, wrong = [], dict[Any, Any]()
    task = opened.judge.task
    for row in task.facts["Hotel"].rows:
        id_, rate = row.id, row.rate  # type: ignore[attr-defined]
        declared: Any = note.get(id_)
        outcome: ReadOutcome = "missing" if declared is None else "right" if declared == rate else "wrong"
        cue, state = ("grey", "full") if row.full else ("text", "")  # type: ignore[attr-defined]
        facts.append(
            FactRead(
                f"Hotel[{id_}].rate",
                "hotel rate",
                "list",
                cue,
                str(rate),
                state,
                outcome,
                str(declared or ""),
            )
        )
        if outcome == "wrong":
            wrong[row, "rate"] = declared
    return AgentReading(
        tuple(facts), len(note.keys() - NAMES), WorldVariants(task).with_cells(wrong) if wrong else None
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a task with settings."""
    path = tmp_path / "trip.task.yaml"
    path.write_text(TEXT + SETTINGS)
    return path


def make_attempt(file: Path, agent: Any, setting: str = "near", repeat: int = 0) -> Attempt:
    """Return the record of an agent's attempt at the task, with its declared rates compared."""
    opened = open_task(file, setting)
    seen = replace(opened, reader=lambda trace: read_rates(opened, trace))
    return attempt(AttemptSpec("trip", repeat, repeat), agent, "clerk", seen, Limits())


def write_run(file: Path, out: Path, setting: str, *agents: Any) -> RunFolder:
    """Write a run with one attempt of each agent."""
    folder = RunFolder(out)
    begin(RunOptions(str(file), AgentSpec.read("empty"), setting, repeats=len(agents)), folder)
    with folder.writing() as writing:
        for repeat, agent in enumerate(agents):
            writing.add(make_attempt(file, agent, setting, repeat))
    return folder


def test_a_wrong_answer_can_be_right_in_the_world_as_the_agent_read_it(file: Path) -> None:
    record = make_attempt(file, DeclaringAgent("den", inn=9_000, den=9_000, elsewhere=1))
    assert record.status == "fail"
    assert record.read is not None
    assert record.read.status == "pass"
    assert record.read.counts == (
        ReadCount(page="list", cue="grey", fact="hotel rate", state="full", missing=1),
        ReadCount(page="list", cue="text", fact="hotel rate", needed=True, right=1, wrong=1),
    )
    (wrong,) = record.read.wrong
    assert (wrong.fact, wrong.says, wrong.declared) == ("Hotel[den].rate", "12000", "9000")
    assert (record.read.elsewhere, record.read.wrong_share) == (1, Fraction(1, 2))
    shown = shown_reading(record.read)
    assert (shown.counts, shown.status, shown.wrong[0].how) == ((1, 1, 1), "pass", "list, text")


def test_a_right_answer_can_be_wrong_in_the_world_as_the_agent_read_it(file: Path) -> None:
    record = make_attempt(file, DeclaringAgent("inn", inn=90_000))
    assert record.read is not None
    assert (record.status, record.read.status) == ("pass", "fail")


def test_attempts_without_declarations_are_not_counted(file: Path, tmp_path: Path) -> None:
    assert make_attempt(file, DeclaringAgent("inn")).read is None
    folder = write_run(file, tmp_path / "run", "near", DeclaringAgent("inn"))
    assert "facts_misread" not in run_metrics(folder)
    assert run_scores(folder, resamples=20).reading == ()


def test_misread_facts_and_answers_that_fit_the_declared_facts_are_counted_as_metrics(
    file: Path, tmp_path: Path
) -> None:
    folder = write_run(
        file,
        tmp_path / "run",
        "near",
        DeclaringAgent("den", den=9_000),
        DeclaringAgent("inn", inn=9_000, den=9_000, ark=8_000),
        DeclaringAgent("ark", inn=9_000),
        DeclaringAgent("inn"),
    )
    metrics = run_metrics(folder)
    assert metrics["facts_misread"] == pytest.approx((1 + 1 / 3 + 0) / 3)
    assert metrics["right_as_read"] == pytest.approx(2 / 3)
    scores = run_scores(folder, resamples=20)
    assert scores.metrics["right_as_read"].n == 3
    counts = {
        (one.by, one.name, one.state): (one.right, one.wrong, one.missing, one.needed_wrong) for one in scores.reading
    }
    assert counts == {
        ("cue", "grey", "full"): (1, 0, 2, 0),
        ("cue", "text", None): (2, 2, 2, 1),
        ("page", "list", None): (2, 2, 2, 1),
        ("page", "list", "full"): (1, 0, 2, 0),
        ("fact", "hotel rate", None): (2, 2, 2, 1),
        ("fact", "hotel rate", "full"): (1, 0, 2, 0),
    }
    out = tmp_path / "again"
    rescore(folder.path, out=out)
    assert [one.read for one in RunFolder(out).attempts()] == [one.read for one in folder.attempts()]


def test_the_page_shows_declarations_and_differences_of_settings(file: Path, tmp_path: Path) -> None:
    near = write_run(file, tmp_path / "near", "near", DeclaringAgent("inn"))
    far = write_run(file, tmp_path / "far", "far", DeclaringAgent("den", den=9_000))
    page = gather([(one, run_scores(one, resamples=20)) for one in (near, far)], ReportOptions(seconds=None))
    (chapter,) = page.chapters
    (gap,) = chapter.setting_comparisons
    assert (gap.gap.first, gap.gap.second, gap.gap.difference) == (1, 0, -1)
    assert gap.gap.low is not None and gap.as_read is not None and gap.as_read.value == 1
    assert "`near` passes 1 and `far` 0" in gap.pair.said
    assert [run.scores.name for run in chapter.readers] == ["far"]
    ((name, state, (share,)),) = chapter.reading("cue")
    assert (name, state) == ("text", None)  # the fact shown by a grey cue was neither declared nor needed
    assert share is not None and (share.wrong, share.missing, share.needed_missing) == (1, 1, 1)
    text = render(page)
    assert 'id="reading-1"' in text and 'id="settings-1"' in text
    assert "−100\u00a0points" in text
    assert "1 of 1 wrong, 1 needed; 1 not declared, 1 needed" in text
    one = gather([(near, run_scores(near, resamples=20))], ReportOptions(seconds=None))
    assert 'id="reading-1"' not in render(one) and 'id="settings-1"' not in render(one)


def test_differences_are_shown_in_percentage_points() -> None:
    assert [points(share) for share in (None, 0.0, 0.01, -0.125, 0.004, -1.0)] == [
        "–",
        "0 points",
        "+1 point",
        "−12.5 points",
        "+0.4 points",
        "−100 points",
    ]
