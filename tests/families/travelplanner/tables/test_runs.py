"""Tables of real runs on the small world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planspec.agents import AgentSpec
from planspec.api.judging import Judge
from planspec.cli import app
from planspec.commands.console import CommandLineError
from planspec.families.travelplanner.himap.note import Note
from planspec.families.travelplanner.tables.measures import MEASURES
from planspec.runs import RunFolder, RunOptions, begin, resume_run
from planspec.scores import run_scores
from tests.families.travelplanner.himap.small_trips import judge
from tests.in_process import attempts_in_process

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("trip-tables")]
CLI = CliRunner()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Write a run of `himap` with greedy executors on the first four tasks."""
    folder = RunFolder(tmp_path_factory.mktemp("tables") / "run")
    begin(RunOptions("travelplanner-small", AgentSpec.read("himap:policy=greedy"), limit=4), folder)
    with attempts_in_process():
        resume_run(folder, 1)
    return folder


def test_every_recorded_note_has_the_form_of_the_schema(run: RunFolder) -> None:
    notes = [Note.model_validate(attempt.trace.extra["himap"]) for attempt in run.attempts()]
    assert len(notes) == 4
    days = [day for note in notes for turn in note.root for round_ in turn.rounds for day in round_.days]
    assert all(day.city and day.role for day in days)


def test_each_table_of_the_run_has_rows(run: RunFolder) -> None:
    tables = {table.name: table for table in run_scores(run, anchors=False).tables}
    assert {"budget-by-day", "complexity", "tiers", "rules", "latency", "convergence", "cities"} <= set(tables)
    assert all(len(row) == len(table.columns) for table in tables.values() for row in table.rows)
    assert sum(row[2] for row in tables["complexity"].rows[:-1]) == 4  # type: ignore[misc]


def test_the_costs_of_the_days_sum_to_the_cost_of_the_plan() -> None:
    one: Judge = judge(1)
    answer = json.loads((Path("tasks") / "travelplanner-small" / "answers" / "1.json").read_text("utf-8"))
    measures = MEASURES.of_answer(one, answer)
    costs = measures["costs"]
    assert isinstance(costs, list) and len(costs) == 3
    total = one.answer(answer).metrics["total"]
    assert f"{sum(costs) / 100:.2f} USD" == total  # type: ignore[arg-type]
    assert measures["visited"] == 1


def test_an_answer_without_a_plan_has_no_measures() -> None:
    assert MEASURES.of_answer(judge(1), []) == {}


def test_a_table_is_printed_by_name(run: RunFolder, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    arguments = ["report", str(run.path), "--no-proofs", "-o", str(page), "--table", "convergence"]
    result = CLI.invoke(app, arguments)
    assert result.exit_code == 0
    assert "Convergence of bargaining (Table 31): run, himap:policy=greedy\n  round  reached  agreed" in result.stdout
    assert "Mean number of rounds" in result.stdout and "Complexity" not in result.stdout
    text = page.read_text("utf-8")
    assert "Tables of the publication" in text and "Complexity of the tasks (Table 14)" in text


def test_an_unknown_table_is_refused_with_the_names_of_the_others(run: RunFolder, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = CLI.invoke(app, ["report", str(run.path), "--no-proofs", "-o", str(page), "--table", "tears"])
    assert isinstance(result.exception, CommandLineError)
    assert "`tears`" in str(result.exception) and "tiers" in str(result.exception)
    assert not page.exists()
