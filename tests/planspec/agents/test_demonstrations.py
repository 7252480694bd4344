"""The oracle demonstrates tasks: it calls the tools that reveal the answer, and then answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import planspec
from planspec.agents import Limits, agent
from planspec.runs.attempting import AttemptSpec, attempt
from planspec.runs.perceived import needed_facts
from planspec.runs.record import Attempt
from tests.paths import ROOT, SHARED
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow

SMALL = ROOT / "tasks" / "travelplanner-small" / "tasks"
CALLS = {
    ("berlin-001", None): 18,
    (str(SMALL / "6.yaml"), None): 10,
    ("veritrip-001", "facts"): 5,
    ("mb-000016", None): 3,
}
"""Number of calls with which the oracle demonstrates a task, by task and setting."""


def demonstrate(task: str, setting: str | None, spec: str = "oracle") -> tuple[Attempt, planspec.Environment]:
    """Run an agent on a task. Return the record of the attempt, and the environment of the task."""
    episode = planspec.environment(planspec.load(task, workspace=WORKSPACE), setting, floor=0.0)
    opened = episode._opened
    return attempt(AttemptSpec(episode.task, 0, 0), agent(spec), spec, opened, Limits(seconds=60)), episode


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("task", "setting"), CALLS)
def test_the_oracle_makes_real_calls_that_reveal_its_answer(task: str, setting: str | None) -> None:
    attempt, again = demonstrate(task, setting)
    calls = attempt.trace.calls
    assert (attempt.status, len(calls)) == ("pass", CALLS[task, setting])
    assert [call.result and call.result.error for call in calls] == [None] * len(calls)
    for call in calls:  # the same calls in a new environment have the same results
        assert call.name is not None and call.arguments is not None and call.result is not None
        assert again.call(call.name, call.arguments) == call.result.value
    assert len({(call.name, json.dumps(call.arguments)) for call in calls}) == len(calls)
    assert again.submit(attempt.turns[-1].answer)["pass"] == 1


@pytest.mark.thorough
@pytest.mark.parametrize("task", ["berlin-001", str(SMALL / "6.yaml")])
def test_calls_of_the_oracle_reveal_every_fact_on_which_its_verdict_depends(task: str) -> None:
    """The facts are read from the trace, in the same way as for other agents."""
    attempt, episode = demonstrate(task, None)
    facts = needed_facts(episode._opened, attempt.turns, attempt.status, attempt.trace)
    assert facts is not None and facts.untried == 0
    assert [fact.fact for fact in facts.facts if fact.status != "seen"] == []
    assert {fact.by for fact in facts.facts} == {"query", "call"}
    one_less = attempt.trace.model_copy(update={"calls": attempt.trace.calls[:-1]})
    turns = tuple(turn.model_copy(update={"calls": len(one_less.calls)}) for turn in attempt.turns)
    less = needed_facts(episode._opened, turns, attempt.status, one_less)
    assert less is not None and "never-seen" in {fact.status for fact in less.facts}  # the removed call is needed


def test_the_oracle_can_answer_without_calls() -> None:
    attempt, _ = demonstrate("berlin-001", None, "oracle:calls=false")
    assert (attempt.status, attempt.trace.calls) == ("pass", ())


WIDE = """planspec: task/1
id: wide
query: Go from town 0 to any other, cheaply.
tables:
  Town:
    columns: {size: int}
    rows:
TOWNS  Way:
    columns: {from: key Town, to: key Town, price: int}
    rows:
WAYSplan: {trip: {one: true, to: Town}}
scope: {trip: {to: Town.t1}}
constraints:
  cheap:
    hard: (Way[Town.t0, trip.to].price ?? 99) <= 9
environment:
  shows:
    towns: {each: t in Town, as: key(t)}
  tools:
    way:
      doc: The price of a way.
      params: {from: Town, to: Town}
      returns:
        price: Way[arg.from, arg.to].price
"""


def test_the_oracle_answers_even_if_there_are_too_many_calls_to_search(tmp_path: Path) -> None:
    """With as many towns as a public benchmark has, a hundred thousand calls are possible."""
    count = 320
    towns = "".join(f"      - {{id: t{n}, size: {n}}}\n" for n in range(count))
    ways = "".join(f"      - {{from: t{n}, to: t{n + 1}, price: {n % 7}}}\n" for n in range(count - 1))
    path = tmp_path / "wide.task.yaml"
    path.write_text(WIDE.replace("TOWNS", towns).replace("WAYS", ways))
    attempt, _ = demonstrate(str(path), None)
    assert attempt.status == "pass"
    assert not attempt.trace.calls


@pytest.mark.thorough
def test_the_oracle_answers_on_the_public_tables_of_travelplanner(tmp_path: Path) -> None:
    """The oracle answers well within the attempt's time with tables of 312 cities and 20,000 rows."""
    data = SHARED / "data" / "travelplanner"
    if not (data / "queries_validation_odd.jsonl").is_file():
        pytest.skip("TravelPlanner's public tables are not here")
    lines = (data / "queries_validation_odd.jsonl").read_text("utf-8").splitlines()
    (queries := tmp_path / "queries.jsonl").write_text(lines[30] + "\n", "utf-8")
    out = tmp_path / "trips"
    command = ["import", "travelplanner", "--db", data / "db", "--queries", queries, "--out", out]
    subprocess.run([sys.executable, "-m", "planspec", *map(str, command)], check=True, capture_output=True)
    (task,) = (out / "tasks").glob("*.yaml")
    attempt, _ = demonstrate(str(task), None)
    assert attempt.status == "pass"
