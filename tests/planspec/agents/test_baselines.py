"""Agents without a model: their answers and scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import Agent, AttemptFailedError, Desk, Limits, UnknownAgentError, agent, agent_info
from planspec.agents.optional import privilege
from planspec.agents.replaying import InvalidRecordingError
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.environments.opened import settings_of
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.solvers.questions import greedy
from planspec.verifiers.answers.tables import write_tables

pytestmark = pytest.mark.slow

WORKSPACE = Workspace()
"""Workspace of all tests, so that shipped libraries and worlds are loaded once."""


@pytest.fixture(scope="module")
def berlin() -> AgentTask:
    """Return a shipped task, opened in its default setting."""
    return open_task("berlin-001", workspace=WORKSPACE)


@pytest.fixture(scope="module")
def oracle_result(berlin: AgentTask) -> Any:
    """Return the answer of the oracle, an agent that knows the right answer, and its desk, which records its calls."""
    return answer(agent("oracle"), berlin)


def answer(agent_: Agent, opened: AgentTask, turn: int = 0, seed: int = 0) -> tuple[Any, Desk]:
    if agent_info(agent_).gets_task:
        privilege(agent_, opened)
    limits = Limits(seconds=60)
    desk = Desk(opened.tools, limits)
    answers: list[str | None] = [None] * turn
    return agent_.answer(opened.view(turn, answers, limits, seed), desk), desk


def status(opened: AgentTask, answer_: Any, turn: int = -1) -> str:
    """Return the status of the verdict on an answer at a turn, by default the last one."""
    return opened.judges[turn].answer(answer_ if isinstance(answer_, str) else json.dumps(answer_)).status


def test_the_oracle_passes(berlin: AgentTask, oracle_result: Any) -> None:
    given, desk = oracle_result
    assert status(berlin, given) == "pass"
    assert desk.notes["solver"]["status"] == "optimal"


def test_the_oracle_answers_each_turn_of_a_conversation() -> None:
    menu = open_task("menu", workspace=WORKSPACE)
    for turn in range(len(menu.judges)):
        given, _ = answer(agent("oracle"), menu, turn)
        assert status(menu, given, turn) == "pass", turn


@pytest.mark.parametrize("name", ["empty", "constant:text=yes"])
def test_an_empty_answer_is_undelivered(name: str, berlin: AgentTask) -> None:
    given, _ = answer(agent(name), berlin)
    assert status(berlin, given) == "undelivered"


def test_an_agent_that_echoes_the_query_does_not_pass(berlin: AgentTask) -> None:
    given, _ = answer(agent("echo"), berlin)
    assert status(berlin, given) != "pass"


OWN = """
from planspec.agents import Desk, TaskView

class Mine:
    def answer(self, view: TaskView, desk: Desk) -> dict:
        return {"found": desk.call("get_attraction_list", {"city": "Berlin"})}
"""


def test_an_agent_can_be_defined_in_a_file(tmp_path: Path, berlin: AgentTask) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    given, desk = answer(agent(f"python:file={tmp_path / 'mine.py'}"), berlin)
    assert "found" in given
    assert [call.name for call in desk.calls] == ["get_attraction_list"]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("x = 1", "", "no class"),
        ("1 +", "", "cannot be run"),
        (OWN, ",name=Yours", "no agent `Yours`"),
        (OWN + OWN.replace("Mine", "Other"), "", "has Mine, Other"),
    ],
)
def test_an_unusable_file_is_reported(tmp_path: Path, text: str, options: str, message: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(UnknownAgentError, match=message):
        agent(f"python:file={tmp_path / 'mine.py'}{options}")
    with pytest.raises(UnknownAgentError, match="no file"):
        agent("python:file=/nowhere/mine.py")


def test_a_seed_decides_the_random_plan(berlin: AgentTask) -> None:
    one, again, other = (answer(agent("random"), berlin, seed=seed)[0] for seed in (1, 1, 2))
    assert one == again != other
    assert status(berlin, one) == "fail"


SUITES = {"worldtravel-berlin": None, "travelplanner-small": None, "veritrip": "facts", "mobilitybench": None}
"""Shipped suites of the families, each with a setting; None for the default setting."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suite", SUITES)
def test_random_plans_have_the_format_of_the_family(suite: str) -> None:
    """Official profiles and fact checks can therefore judge them like any agent's answer."""
    for path in Catalog().suite(suite).tasks[:3]:
        opened = open_task(path, workspace=WORKSPACE)
        given, _ = answer(agent("random"), opened)
        read, wrong = opened.judge.format.decode(opened.judge.task, given)
        assert opened.judge.encode(read) == given and not any(finding.fails for finding in wrong)
        assert given != write_tables(opened.judge.task, read)


def test_random_plans_of_veritrip_have_cells_whose_facts_are_checked() -> None:
    opened = open_task("veritrip-001", workspace=WORKSPACE)
    facts = facts_of(opened.judge.answer(answer(agent("random"), opened)[0]))
    assert facts is not None and facts.cells


def test_both_profiles_judge_random_plans() -> None:
    for path in Catalog().suite("travelplanner-small").tasks[:4]:
        opened = open_task(path, workspace=WORKSPACE)
        given, _ = answer(agent("random"), opened)
        official = planspec.Judge(opened.judge.task, "official").answer(json.dumps(given))
        assert (official.status == "undelivered") == (status(opened, given) == "undelivered")


@pytest.mark.parametrize("suite", [*SUITES, "examples"])
def test_the_default_setting_of_every_shipped_suite_works(suite: str) -> None:
    (path, *_) = Catalog().suite(suite).tasks
    opened = open_task(path, workspace=WORKSPACE)
    assert opened.setting == SUITES.get(suite) or opened.setting == next(iter(settings_of(opened.judge.task)))


def test_a_greedy_planner_that_chooses_no_row_fails_without_an_answer(
    berlin: AgentTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty answer would be judged as unreadable."""
    nothing = greedy.GreedyRun("nearest", "visits", 0, 3, "stuck")
    monkeypatch.setattr(greedy, "greedy_runs", lambda *_, **__: (nothing,))
    with pytest.raises(AttemptFailedError, match="settled nothing") as failed:
        answer(agent("greedy:strategy=nearest"), berlin)
    assert failed.value.boundary == "adapter"


@pytest.mark.parametrize("strategy", ["nearest", "earliest", "cheapest"])
def test_greedy_agents_that_get_stuck_answer_with_the_rows_chosen_so_far(strategy: str, berlin: AgentTask) -> None:
    given, desk = answer(agent(f"greedy:strategy={strategy}"), berlin)
    assert desk.notes["greedy"]["end"] == "stuck"
    assert status(berlin, given) == "fail"


def test_the_agent_constant_can_answer_with_the_text_of_a_file(tmp_path: Path, berlin: AgentTask) -> None:
    (tmp_path / "answer.txt").write_text("{}")
    assert answer(agent(f"constant:text=@{tmp_path / 'answer.txt'}"), berlin)[0] == "{}"


def test_recorded_answers_are_replayed(tmp_path: Path, berlin: AgentTask) -> None:
    right, _ = answer(agent("oracle"), berlin)
    file = tmp_path / "answers.jsonl"
    lines = [
        {"task": "berlin-001", "plan": {}},
        {"task": "other", "answer": "x"},
        {"task": "berlin-001", "plan": right},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    replay = agent(f"replay:file={file}")
    assert answer(replay, berlin)[0] == right  # the last of several recorded answers is replayed
    assert replay.about()["file"] == "answers.jsonl"  # type: ignore[attr-defined]
    with pytest.raises(AttemptFailedError, match="nothing is recorded"):
        answer(replay, open_task("berlin-002", workspace=WORKSPACE))


def test_a_recorded_answer_of_null_is_an_answer_without_a_plan(tmp_path: Path, berlin: AgentTask) -> None:
    """The answer is judged in the same way as by `planspec score`, and does not count as missing."""
    file = tmp_path / "answers.jsonl"
    file.write_text('{"task": "berlin-001", "plan": null}\n')
    given, _ = answer(agent(f"replay:file={file}"), berlin)
    assert status(berlin, given) == "undelivered"


def test_answers_to_turns_are_replayed_turn_by_turn(tmp_path: Path) -> None:
    menu = open_task("menu", workspace=WORKSPACE)
    file = tmp_path / "answers.jsonl"
    file.write_text(
        json.dumps({"task": "menu", "turns": [{"answer": "one"}, {"answer": None}, {"answer": "three"}]}) + "\n"
    )
    replay = agent(f"replay:file={file}")
    assert answer(replay, menu, 0)[0] == "one"
    assert answer(replay, menu, 2)[0] == "three"
    with pytest.raises(AttemptFailedError, match="turn 2"):
        answer(replay, menu, 1)


@pytest.mark.parametrize("line", ["{", '{"plan": {}}', "[]"])
def test_an_invalid_recording_is_reported_at_once(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.jsonl").write_text('{"task": "a", "plan": {}}\n' + line + "\n")
    with pytest.raises(InvalidRecordingError, match="line 2"):
        agent(f"replay:file={tmp_path / 'x.jsonl'}")


class LearningAgent:
    """An agent that answers wrongly first, and correctly after feedback."""

    def __init__(self, right: Any) -> None:
        self.right = right
        self.queries: list[str] = []

    def answer(self, view: Any, desk: Desk) -> Any:
        self.queries.append(view.query)
        return self.right if view.earlier else {"itinerary": []}


def test_the_verifiers_findings_are_sent_until_the_answer_passes(berlin: AgentTask, oracle_result: Any) -> None:
    repairer = agent("repair:of=empty,k=2")
    inner = LearningAgent(oracle_result[0])
    repairer._inner = inner  # type: ignore[attr-defined]
    given, desk = answer(repairer, berlin)
    assert status(berlin, given) == "pass"
    assert desk.notes["repair"]["statuses"][-1] == "pass"
    assert len(inner.queries) == 2
    assert "The verifier found" in inner.queries[1]


class TiringAgent(LearningAgent):
    """An agent that answers once, and then fails."""

    def answer(self, view: Any, desk: Desk) -> Any:
        if view.earlier:
            raise AttemptFailedError("limit", "the tokens are used up")
        return {"itinerary": []}


def test_an_answer_is_returned_if_the_next_round_fails(berlin: AgentTask) -> None:
    repairer = agent("repair:of=empty,k=2")
    repairer._inner = TiringAgent(None)  # type: ignore[attr-defined]
    given, desk = answer(repairer, berlin)
    assert given == {"itinerary": []}
    assert desk.notes["repair_ended"] == "limit: the tokens are used up"


class ReferringAgent:
    """An agent that refers to a route by the call that returned it, as agents of the public toolkit do."""

    def answer(self, view: Any, desk: Desk) -> Any:
        near = {"origin": "14.111733,52.716429", "destination": "13.717221,52.680578"}
        desk.call("driving_planning", near | {"avoid_roads": ["Autobahn Berlin-Königgrund Markt"]}, id="way")
        return {"answer": {"route": {"call": "way", "index": 0}}}


@pytest.mark.parametrize("wrapper", ["repair", "minimal-repair"])
def test_references_to_calls_are_resolved_before_judging(wrapper: str) -> None:
    folder = Catalog().suite_path("mobilitybench").parent
    opened = open_task(folder / "tasks" / "mb-000017.yaml", folder=folder)
    outer = agent(f"{wrapper}:of=empty")
    outer._inner = ReferringAgent()  # type: ignore[attr-defined]
    _, desk = answer(outer, opened)
    if wrapper == "repair":
        assert desk.notes["repair"]["statuses"] == ["pass"]
    else:
        assert (desk.notes["minimal_repair"]["before"], desk.notes["minimal_repair"]["edits"]) == ("pass", 0)


def test_rounds_of_feedback_from_the_verifier_are_limited(berlin: AgentTask) -> None:
    _, desk = answer(agent("repair:of=empty,k=2"), berlin)
    assert desk.notes["repair"] == {"rounds": 2, "statuses": ["undelivered"] * 3}


@pytest.mark.thorough
def test_the_nearest_right_plan_replaces_a_wrong_answer(berlin: AgentTask) -> None:
    given, desk = answer(agent("minimal-repair:of=(random)"), berlin, seed=3)
    assert status(berlin, given) == "pass"
    assert desk.notes["minimal_repair"]["before"] == "fail"
    assert desk.notes["minimal_repair"]["edits"] > 0
    right, desk = answer(agent("minimal-repair:of=(oracle)"), berlin)
    assert desk.notes["minimal_repair"]["edits"] == 0
    assert status(berlin, right) == "pass"
