"""Facts on which a verdict depends: the record of an attempt names those that the agent saw.

A run has the mean share of the facts that were seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AgentInfo, AgentSpec, AttemptFailedError, Limits
from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.environments import open_task
from planspec.report.perception import shown_perception
from planspec.runs import Attempt, RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.scores import compare, run_metrics, run_scores
from planspec.scores.rescoring import rescore
from tests.verifiers.environment.test_perception import NAMES, TEXT


class HotelAgent:
    """An agent that looks up some hotels and chooses one. It fails if `chosen` is None."""

    def __init__(self, chosen: str | None, *query: str) -> None:
        self.chosen, self.queries = chosen, query

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for name in self.queries:
            desk.call("hotel", {"hotel": NAMES[name]})
        if self.chosen is None:
            raise AttemptFailedError("decode", "nothing said")
        return {"stay": {"hotel": self.chosen}}


class PrivilegedHotelAgent(HotelAgent):
    """A privileged agent, which receives the task itself."""

    info = AgentInfo(privileged=True)

    def privilege(self, opened: object) -> None:
        pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a task."""
    path = tmp_path / "trip.task.yaml"
    path.write_text(TEXT)
    return path


def make_attempt(file: Path | str, agent: Any, setting: str | None = None, repeat: int = 0) -> Attempt:
    """Return the record of an agent's attempt at the task."""
    opened = open_task(file, setting)
    return attempt(AttemptSpec("trip", repeat, repeat), agent, "clerk", opened, Limits())


def write_run(file: Path, out: Path, *agents: Any) -> RunFolder:
    """Write a run with one attempt of each agent."""
    folder = RunFolder(out)
    begin(RunOptions(str(file), AgentSpec.read("empty"), repeats=len(agents)), folder)
    with folder.writing() as writing:
        for repeat, agent in enumerate(agents):
            writing.add(make_attempt(file, agent, repeat=repeat))
    return folder


def test_the_record_names_the_call_that_revealed_each_needed_fact(file: Path, tmp_path: Path) -> None:
    folder = write_run(file, tmp_path / "run", HotelAgent("inn", "den", "inn"))
    (record,) = folder.attempts()
    assert record.turns[0].calls == 2
    assert record.facts is not None
    by = {fact.fact: (fact.status, fact.by, fact.call) for fact in record.facts.facts}
    assert by == {
        "budget": ("seen", "query", None),
        "nights": ("seen", "query", None),
        "Hotel[inn].rate": ("seen", "call", 1),
        "Hotel[inn].full": ("seen", "call", 1),
    }
    assert [fact.how for fact in shown_perception(record.facts).facts][:3] == [
        "the query",
        "the query",
        "call 2, hotel",
    ]
    assert record.facts.untried == 0


def test_the_metrics_are_means_over_the_attempts_with_known_shares(file: Path, tmp_path: Path) -> None:
    """The second attempt saw four of six needed facts and ignored three. The share of the third is unknown."""
    folder = write_run(
        file,
        tmp_path / "run",
        HotelAgent("inn", "inn"),
        HotelAgent("den", "den"),
        PrivilegedHotelAgent("inn"),
        HotelAgent("inn"),
    )
    metrics = run_metrics(folder)
    shares = [1.0, 4 / 6, 0.5]
    assert metrics["facts_seen"] == pytest.approx(sum(shares) / 3)
    assert metrics["facts_ignored"] == pytest.approx((0 + 3 / 4 + 0) / 3)
    scores = run_scores(folder, resamples=50)
    assert scores.metrics["facts_seen"].n == 3
    assert (scores.metrics["facts_seen"].better, scores.metrics["facts_ignored"].better) == (
        "higher",
        "lower",
    )
    assert {"facts_seen", "facts_ignored"} <= {one.metric for one in compare(scores, scores).differences}


def test_there_is_no_metric_without_known_shares(file: Path, tmp_path: Path) -> None:
    folder = write_run(file, tmp_path / "run", PrivilegedHotelAgent("inn", "inn"))
    (record,) = folder.attempts()
    assert record.facts is None
    assert "facts_seen" not in run_metrics(folder)


def test_an_attempt_without_an_answer_needs_the_facts_of_the_reference(file: Path) -> None:
    record = make_attempt(file, HotelAgent(None, "inn"))
    assert record.status == "undelivered"
    assert record.facts is not None
    assert record.facts.seen_share == 1
    assert record.facts.ignored_share == 0
    assert {fact.needed_by for fact in record.facts.facts} == {"reference"}


def test_calls_beyond_the_limit_reveal_nothing(file: Path) -> None:
    file.write_text(TEXT + "  settings: {few: {calls: 1, brief: Be quick.}}\n")
    record = make_attempt(file, HotelAgent("inn", "den", "inn"))
    assert record.facts is not None
    assert {fact.status for fact in record.facts.facts if fact.fact.startswith("Hotel")} == {"never-seen"}


def test_facts_name_the_turn_of_the_call_that_revealed_them(file: Path) -> None:
    """The second turn needs no call, because the agent still knows results of the first turn."""
    query = "query: Two nights in town for at most 200 euros, please.\n"
    assert query in TEXT
    turns = f"turns:\n  - {{{query.strip().replace(', please.', '')}}}\n  - {{query: At most 185 euros, given: {{budget: 185 EUR}}}}\n"
    file.write_text(TEXT.replace(query, "") + turns)

    class FirstTurnAgent(HotelAgent):
        def answer(self, view: TaskView, desk: Desk) -> Any:
            self.queries = ("inn",) if view.turn == 0 else ()
            return super().answer(view, desk)

    record = make_attempt(file, FirstTurnAgent("inn"))
    assert [turn.calls for turn in record.turns] == [1, 0]
    assert record.facts is not None
    facts = {fact.fact: (fact.status, fact.by, fact.turn) for fact in record.facts.facts}
    assert facts["Hotel[inn].rate"] == ("seen", "call", 0)
    assert facts["budget"] == ("seen", "query", 1)
    assert [fact.how for fact in shown_perception(record.facts, turns=2).facts][-1].endswith("turn 1")


def test_rescoring_by_a_changed_suite_drops_the_facts(file: Path, tmp_path: Path) -> None:
    folder = write_run(file, tmp_path / "run", HotelAgent("inn", "inn"))
    rescore(folder.path, out=tmp_path / "same")
    (same,) = RunFolder(tmp_path / "same").attempts()
    assert same.facts is not None
    file.write_text(TEXT.replace("stars: 5", "stars: 4"))
    rescore(folder.path, out=tmp_path / "other")
    (other,) = RunFolder(tmp_path / "other").attempts()
    assert other.facts is None


@pytest.mark.slow
def test_facts_are_unknown_for_tools_in_code() -> None:
    """The facts cannot be determined for tools that are written in Python, such as VeriTrip's."""

    class ToolAgent:
        def answer(self, view: TaskView, desk: Desk) -> Any:
            for tool in view.tools:
                desk.call(tool.name, {})
            return {"plan": []}

    record = make_attempt("veritrip-001", ToolAgent(), "facts")
    assert record.trace.calls
    assert record.facts is None
