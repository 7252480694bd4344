"""Tasks of MobilityBench for agents: recorded tools, the user's context, and references to routes by call and index."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView
from planspec.environments import AgentTask, open_task
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.families.mobilitybench.environment.environment import episode_of
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.families.mobilitybench.metrics.scoring import score_trace
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import InvalidEpisodeError, SuiteWriter, read_episodes
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.mobilitybench.question_agent import QuestionAgent, question_episode
from tests.planspec.environments.views import open_without_secrets, record_of_attempt, view_of, view_text
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a suite with a question about London for each scenario."""
    folder = tmp_path_factory.mktemp("questions") / "some"
    with SuiteWriter(folder, "Questions") as writer:
        for scenario in Scenario:
            writer.add(question_episode(scenario))
    return folder


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small generated suite."""
    folder = tmp_path_factory.mktemp("generated") / "some"
    generate(folder, SuiteOptions(seed=5, size=15, cities=1))
    return folder


def open_episode(folder: Path, episode: str) -> AgentTask:
    """Open an episode's task in the setting with recorded tools."""
    return open_task(folder / "tasks" / f"{episode}.yaml", "sandbox", folder=folder, workspace=WORKSPACE)


class ScriptedAgent:
    """An agent that makes given calls and returns a given answer."""

    def __init__(self, answer: Any, *calls: tuple[str, dict[str, Any]]) -> None:
        self.own_answer, self.calls = answer, calls

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for tool, arguments in self.calls:
            assert "result" in desk.call(tool, arguments)
        return self.own_answer


# ------------------------------------------------------------------ the view


@pytest.mark.parametrize("scenario", list(Scenario))
def test_an_agent_passes_with_no_information_except_its_view(questions: Path, scenario: Scenario) -> None:
    attempt = record_of_attempt(open_episode(questions, question_episode(scenario).id), QuestionAgent())
    assert attempt.failure is None
    assert attempt.verdict["status"] == "pass", attempt.verdict["findings"]
    assert attempt.trace.calls


def test_the_context_has_the_users_location_and_time(questions: Path) -> None:
    episode = question_episode(Scenario.NEARBY_SEARCH)
    view = view_of(open_episode(questions, episode.id))
    assert view.materials["Context"].splitlines() == [
        f"The user is at (longitude,latitude): {episode.context.location}",
        "City: London",
        "Time: 08:00",
    ]
    assert view.query == episode.query


def test_calls_outside_the_recording_are_not_answered(questions: Path) -> None:
    tools = view_of(open_episode(questions, question_episode(Scenario.POI_SEARCH).id)).tools
    assert len(tools.tools()) == 10
    assert tools.call("poi_query", {"keywords": "a place of another town"})["error"]["code"] == "not-found"


def test_every_reference_program_is_answered_and_leads_to_a_right_answer(
    generated: Path,
) -> None:
    for episode in read_episodes(generated):
        own = open_episode(generated, episode.id)
        calls = [(call.tool, dict(call.arguments)) for call in episode.program]
        attempt = record_of_attempt(own, ScriptedAgent(reference_answer(episode), *calls))
        assert attempt.verdict["status"] == "pass", attempt.verdict["findings"]


def test_an_answer_refers_to_a_route_by_a_call_of_its_own_attempt(questions: Path) -> None:
    episode = question_episode(Scenario.POINT_TO_POINT)
    own = open_episode(questions, episode.id)
    drive = next(call for call in episode.program if call.tool == "driving_planning")
    call = drive.tool, dict(drive.arguments)
    right = record_of_attempt(own, ScriptedAgent({"answer": {"route": {"call": "call-1", "index": 0}}}, call))
    assert right.verdict["status"] == "pass"
    for wrong in ({"call": "call-2", "index": 0}, {"call": "call-1", "index": 7}):
        assert record_of_attempt(own, ScriptedAgent({"answer": {"route": wrong}}, call)).verdict["status"] == "fail"
    unjudged = record_of_attempt(own, ScriptedAgent({"answer": {"route": {"call": "call-1", "index": 0}}}))
    assert unjudged.verdict["status"] == "fail"


class StumblingAgent(ScriptedAgent):
    """A `ScriptedAgent` whose first call has no recorded result."""

    def answer(self, view: TaskView, desk: Desk) -> Any:
        assert "error" in desk.call("weather_query", {"city": "Atlantis"})
        return super().answer(view, desk)


def test_an_attempt_passes_if_and_only_if_its_final_pass_rate_is_1(generated: Path) -> None:
    """If a call fails and the tool is not called again successfully, both the verdict and the final pass rate treat
    the run as undelivered.
    """
    episode = next(iter(read_episodes(generated)))
    own = open_episode(generated, episode.id)
    calls = [(call.tool, dict(call.arguments)) for call in episode.program]
    right, stumbled = (
        record_of_attempt(own, agent(reference_answer(episode), *calls)) for agent in (ScriptedAgent, StumblingAgent)
    )
    assert (right.verdict["status"], stumbled.verdict["status"]) == ("pass", "fail")
    for attempt in (right, stumbled):
        verdict = TypeAdapter(Verdict).validate_python(attempt.verdict)
        final = score_trace(episode, attempt.trace, verdict).metrics["FPR"].value
        assert attempt.failure is None and (final == 1) == (attempt.status == "pass")
    finding = stumbled.verdict["findings"][0]
    assert (finding["constraint"], finding["kind"], finding["message"]) == (
        "run",
        "undelivered-run",
        "weather_query stayed failed",
    )


# ------------------------------------------------------------------ what stays hidden


def test_a_view_reveals_neither_rules_nor_truth(generated: Path) -> None:
    for episode in read_episodes(generated):
        own = open_episode(generated, episode.id)
        shown = view_text(view_of(own))
        assert shown == view_text(view_of(open_without_secrets(own, set(), set(own.judge.task.tables))))
        for hidden in ("best_time", "right_places", "usual_time", '"given"', '"program"', episode.checksum):
            assert hidden not in shown
        assert shown.count(episode.scenario.value) == view_of(own).brief.count(episode.scenario.value)


def test_the_brief_is_the_same_for_all_episodes(generated: Path) -> None:
    assert len({view_of(open_episode(generated, e.id)).brief for e in read_episodes(generated)}) == 1


# ------------------------------------------------------------------ episodes by their ids


@cache
def episode_line(name: str, query: str) -> str:
    """Return the JSON line of an episode with this id and query."""
    return question_episode(Scenario.POI_SEARCH).model_copy(update={"id": name, "query": query}).with_checksum().line()


def test_an_episode_is_found_by_its_id_even_if_its_folder_is_not_given(generated: Path) -> None:
    for episode in read_episodes(generated):
        path = generated / "tasks" / f"{episode.id}.yaml"
        assert episode_of(episode.id, str(path), generated) == episode
        assert episode_of(episode.id, str(path), None) == episode


def test_the_error_for_missing_episodes_names_the_command_that_generates_them(questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "alone.yaml"
    text = (questions / "tasks" / f"{question_episode(Scenario.POI_SEARCH).id}.yaml").read_text("utf-8")
    path.write_text(text.replace("../ways.sqlite", str(questions / "ways.sqlite")), "utf-8")
    with pytest.raises(UnpreparedSettingError, match="planspec generate mobilitybench"):
        open_task(path)
    (tmp_path / "episodes.jsonl").write_text(episode_line("another", "Where?") + "\n", "utf-8")
    with pytest.raises(UnpreparedSettingError, match=r"episodes\.jsonl"):
        open_task(path)


def test_a_changed_episode_is_refused(tmp_path: Path) -> None:
    changed = json.loads(episode_line("one", "Where?")) | {"query": "Where to?"}
    for text, why in ((json.dumps(changed), "checksum"), (json.dumps({"id": "one"}), "family")):
        (tmp_path / "episodes.jsonl").write_text(text + "\n", "utf-8")
        with pytest.raises(InvalidEpisodeError, match=why):
            episode_of("one", str(tmp_path / "tasks" / "one.yaml"), tmp_path)


def test_an_episode_has_the_id_that_its_task_has(generated: Path) -> None:
    episode: Episode = next(iter(read_episodes(generated)))
    assert open_episode(generated, episode.id).judge.task.id == episode.id
