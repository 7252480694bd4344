"""MobilityBench's setting: the recorded tools, the user's context, and routes named by the calls that found them."""

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
from planspec.environments.opened import UnpreparedSettingError
from planspec.families.mobilitybench.environment.environment import episode_of
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.families.mobilitybench.metrics.scoring import score_trace
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import InvalidEpisodeError, SuiteWriter, read_episodes
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.mobilitybench.asker import Asker, asked
from tests.planspec.environments.views import attempted, bare, told, view_of
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions") / "some"
    with SuiteWriter(folder, "Questions") as writer:
        for scenario in Scenario:
            writer.add(asked(scenario))
    return folder


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated") / "some"
    generate(folder, SuiteOptions(seed=5, size=15, cities=1))
    return folder


def opened(folder: Path, episode: str) -> AgentTask:
    return open_task(folder / "tasks" / f"{episode}.yaml", "sandbox", folder=folder, workspace=WORKSPACE)


class Says:
    """Makes calls, and says what it was told to say."""

    def __init__(self, answer: Any, *calls: tuple[str, dict[str, Any]]) -> None:
        self.said, self.calls = answer, calls

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for tool, arguments in self.calls:
            assert "result" in desk.call(tool, arguments)
        return self.said


# ------------------------------------------------------------------ what can be learnt


@pytest.mark.parametrize("scenario", list(Scenario))
def test_an_agent_that_knows_the_view_alone_passes(questions: Path, scenario: Scenario) -> None:
    made = attempted(opened(questions, asked(scenario).id), Asker())
    assert made.failure is None
    assert made.verdict["status"] == "pass", made.verdict["findings"]
    assert made.trace.calls


def test_the_context_says_where_and_when_the_user_is(questions: Path) -> None:
    episode = asked(Scenario.NEARBY_SEARCH)
    view = view_of(opened(questions, episode.id))
    assert view.materials["Context"].splitlines() == [
        f"The user is at (longitude,latitude): {episode.context.location}", "City: London", "Time: 08:00",
    ]  # fmt: skip
    assert view.query == episode.query


def test_what_no_program_needs_is_not_answered(questions: Path) -> None:
    tools = view_of(opened(questions, asked(Scenario.POI_SEARCH).id)).tools
    assert len(tools.tools()) == 10
    assert tools.call("poi_query", {"keywords": "a place of another town"})["error"]["code"] == "not-found"


def test_the_calls_of_every_program_are_answered_and_their_results_make_a_right_answer(
    generated: Path,
) -> None:
    for episode in read_episodes(generated):
        own = opened(generated, episode.id)
        calls = [(call.tool, dict(call.arguments)) for call in episode.program]
        made = attempted(own, Says(reference_answer(episode), *calls))
        assert made.verdict["status"] == "pass", made.verdict["findings"]


def test_a_route_is_named_by_the_call_of_the_attempt_that_found_it(questions: Path) -> None:
    episode = asked(Scenario.POINT_TO_POINT)
    own = opened(questions, episode.id)
    drive = next(call for call in episode.program if call.tool == "driving_planning")
    call = drive.tool, dict(drive.arguments)
    right = attempted(own, Says({"answer": {"route": {"call": "call-1", "index": 0}}}, call))
    assert right.verdict["status"] == "pass"
    for wrong in ({"call": "call-2", "index": 0}, {"call": "call-1", "index": 7}):
        assert attempted(own, Says({"answer": {"route": wrong}}, call)).verdict["status"] == "fail"
    unasked = attempted(own, Says({"answer": {"route": {"call": "call-1", "index": 0}}}))
    assert unasked.verdict["status"] == "fail"


class Stumbles(Says):
    """The same, after a call that nothing is recorded for."""

    def answer(self, view: TaskView, desk: Desk) -> Any:
        assert "error" in desk.call("weather_query", {"city": "Atlantis"})
        return super().answer(view, desk)


def test_an_attempt_passes_exactly_where_its_final_pass_rate_is_1(generated: Path) -> None:
    """A call that stayed failed delivers nothing, however right the answer is: the verdict says so, as FPR does."""
    episode = next(iter(read_episodes(generated)))
    own = opened(generated, episode.id)
    calls = [(call.tool, dict(call.arguments)) for call in episode.program]
    right, stumbled = (attempted(own, agent(reference_answer(episode), *calls)) for agent in (Says, Stumbles))
    assert (right.verdict["status"], stumbled.verdict["status"]) == ("pass", "fail")
    for made in (right, stumbled):
        verdict = TypeAdapter(Verdict).validate_python(made.verdict)
        final = score_trace(episode, made.trace, verdict).metrics["FPR"].value
        assert made.failure is None and (final == 1) == (made.status == "pass")
    told = stumbled.verdict["findings"][0]
    assert (told["constraint"], told["kind"], told["message"]) == (
        "run", "undelivered-run", "weather_query stayed failed",
    )  # fmt: skip


# ------------------------------------------------------------------ what is not told


def test_a_view_is_the_same_without_rules_scope_reference_tables_and_what_is_true(generated: Path) -> None:
    for episode in read_episodes(generated):
        own = opened(generated, episode.id)
        shown = told(view_of(own))
        assert shown == told(view_of(bare(own, set(), set(own.judge.task.tables))))
        for wanted in ("best_time", "right_places", "usual_time", '"given"', '"program"', episode.checksum):
            assert wanted not in shown
        assert shown.count(episode.scenario.value) == view_of(own).brief.count(episode.scenario.value)


def test_the_brief_is_the_same_for_all(generated: Path) -> None:
    assert len({view_of(opened(generated, e.id)).brief for e in read_episodes(generated)}) == 1


# ------------------------------------------------------------------ episodes by their ids


@cache
def line(name: str, query: str) -> str:
    return asked(Scenario.POI_SEARCH).model_copy(update={"id": name, "query": query}).sealed().line()


def test_an_episode_is_found_by_its_id_also_without_the_folder(generated: Path) -> None:
    for episode in read_episodes(generated):
        path = generated / "tasks" / f"{episode.id}.yaml"
        assert episode_of(episode.id, str(path), generated) == episode
        assert episode_of(episode.id, str(path), None) == episode


def test_a_suite_without_episodes_says_what_makes_them(questions: Path, tmp_path: Path) -> None:
    path = tmp_path / "alone.yaml"
    text = (questions / "tasks" / f"{asked(Scenario.POI_SEARCH).id}.yaml").read_text("utf-8")
    path.write_text(text.replace("../ways.sqlite", str(questions / "ways.sqlite")), "utf-8")
    with pytest.raises(UnpreparedSettingError, match="planspec generate mobilitybench"):
        open_task(path)
    (tmp_path / "episodes.jsonl").write_text(line("another", "Where?") + "\n", "utf-8")
    with pytest.raises(UnpreparedSettingError, match=r"episodes\.jsonl"):
        open_task(path)


def test_an_episode_that_was_changed_is_not_taken(tmp_path: Path) -> None:
    changed = json.loads(line("one", "Where?")) | {"query": "Where to?"}
    for text, why in ((json.dumps(changed), "checksum"), (json.dumps({"id": "one"}), "family")):
        (tmp_path / "episodes.jsonl").write_text(text + "\n", "utf-8")
        with pytest.raises(InvalidEpisodeError, match=why):
            episode_of("one", str(tmp_path / "tasks" / "one.yaml"), tmp_path)


def test_an_episode_has_the_id_that_its_task_has(generated: Path) -> None:
    found: Episode = next(iter(read_episodes(generated)))
    assert opened(generated, found.id).judge.task.id == found.id
