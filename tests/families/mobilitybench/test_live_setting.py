"""In MobilityBench's setting `live`, the episode's map answers any call. Superfluous calls are not penalized."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from planspec.agents.desk import Desk
from planspec.agents.tools import read_arguments
from planspec.agents.view import TaskView
from planspec.environments import AgentTask, open_task
from planspec.environments.agent_task import UnpreparedSettingError
from planspec.families.mobilitybench.calls import MODES, TOOLS
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.episode_map import add_map_answers, answers_as_recorded, map_of
from planspec.families.mobilitybench.generating import SuiteOptions, generate
from planspec.families.mobilitybench.metrics.scoring import score_trace
from planspec.families.mobilitybench.metrics.trace_metrics import verdict_of
from planspec.families.mobilitybench.reference import reference_answer
from planspec.families.mobilitybench.suite import SuiteWriter, read_episodes
from planspec.runs.record import Attempt
from planspec.verifiers.meaning.verdict import Verdict
from tests.families.mobilitybench.question_agent import question_episode
from tests.planspec.environments.views import record_of_attempt
from tests.shipped import WORKSPACE

pytestmark = pytest.mark.slow
SMALL_SHIFT_DEGREES = 0.00012
"""Shift in degrees of longitude: about ten metres, more than rounding errors and less than the distance between
houses.
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a generated suite."""
    folder = tmp_path_factory.mktemp("live") / "some"
    generate(folder, SuiteOptions(seed=5, size=13, cities=1))
    return folder


@pytest.fixture(scope="module")
def episodes(suite: Path) -> list[Episode]:
    return list(read_episodes(suite))


def open_episode(folder: Path, episode: Episode, setting: str) -> AgentTask:
    """Open an episode's task in a setting."""
    path = folder / "tasks" / f"{episode.id}.yaml"
    return open_task(path, setting, folder=folder, workspace=WORKSPACE)


class ProgramAgent:
    """An agent that makes the given calls, then the reference program's calls, and returns a given answer.

    Origins of routes are shifted eastwards by `shift_degrees`.
    """

    def __init__(
        self,
        episode: Episode,
        own_answer: Any,
        *first_calls: tuple[str, dict[str, Any]],
        shift_degrees: float = 0,
    ) -> None:
        self.episode, self.own_answer, self.first_calls, self.shift_degrees = (
            episode,
            own_answer,
            first_calls,
            shift_degrees,
        )

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for tool, arguments in self.first_calls:
            desk.call(tool, arguments)
        for call in self.episode.program:
            arguments = dict(call.arguments)
            if call.tool in MODES:
                longitude, latitude = str(arguments["origin"]).split(",")
                arguments["origin"] = f"{float(longitude) + self.shift_degrees:.6f},{latitude}"
            assert "result" in desk.call(call.tool, arguments)
        return self.own_answer


class OneMoreCallAgent:
    """An agent that acts like another agent and then makes one more call, which returns no result."""

    def __init__(self, first: ProgramAgent, last: tuple[str, dict[str, Any]]) -> None:
        self.first, self.last = first, last

    def answer(self, view: TaskView, desk: Desk) -> Any:
        own_answer = self.first.answer(view, desk)
        assert "error" in desk.call(*self.last)
        return own_answer


def episodes_with_one_route(episodes: list[Episode]) -> Iterator[Episode]:
    """Yield the episodes whose answer is one route of one call."""
    return (episode for episode in episodes if isinstance(reference_answer(episode)["answer"].get("route"), str))


def final_pass_rate(episode: Episode, attempt: Attempt) -> float | None:
    """Return the final pass rate of an attempt."""
    verdict = TypeAdapter(Verdict).validate_python(attempt.verdict)
    value = score_trace(episode, attempt.trace, verdict).metrics["FPR"].value
    return None if value is None else float(value)


@pytest.mark.thorough
def test_the_regenerated_map_gives_the_recorded_result_of_every_call(
    episodes: list[Episode],
) -> None:
    for episode in episodes:
        map_ = map_of(episode)
        assert map_ is not None
        whole = episode.model_copy(
            update={"snapshot": tuple(r.model_copy(update={"call": 0}) for r in episode.snapshot)}
        )
        assert answers_as_recorded(whole, map_), episode.id


def test_the_reference_program_passes_every_episode_on_the_live_map(suite: Path, episodes: list[Episode]) -> None:
    for episode in episodes:
        attempt = record_of_attempt(
            open_episode(suite, episode, "live"), ProgramAgent(episode, reference_answer(episode))
        )
        assert attempt.status == "pass", attempt.verdict["findings"]
        assert final_pass_rate(episode, attempt) == 1


@pytest.mark.parametrize("setting", ["sandbox", "live"])
def test_one_more_call_that_the_map_answers_does_not_change_the_final_pass_rate(
    suite: Path, episodes: list[Episode], setting: str
) -> None:
    others = [e for e in episodes if all(call.tool != "weather_query" for call in e.program)]
    for episode in others[::5]:
        more = ("weather_query", {"city": episode.context.city, "type": "forecast"})
        attempt = record_of_attempt(
            open_episode(suite, episode, setting), ProgramAgent(episode, reference_answer(episode), more)
        )
        assert (attempt.status, final_pass_rate(episode, attempt)) == ("pass", 1)
        unknown = ("weather_query", {"city": "Atlantis"})
        attempt = record_of_attempt(
            open_episode(suite, episode, setting), ProgramAgent(episode, reference_answer(episode), unknown)
        )
        assert (attempt.status, final_pass_rate(episode, attempt)) == ("fail", 0)


@pytest.mark.parametrize("setting", ["sandbox", "live"])
def test_the_map_may_answer_that_there_is_no_route(suite: Path, episodes: list[Episode], setting: str) -> None:
    episode = next(episodes_with_one_route(episodes))
    ends = {
        name: next(c for c in episode.program if c.tool in MODES).arguments[name] for name in ("origin", "destination")
    }
    for more, status in (
        ({"max_transfers": 0, "modes": ["ferry"]}, "pass"),
        ({"use_line": "the Moon's"}, "fail"),
    ):
        # the reference program does not call this tool again afterwards
        calls = ProgramAgent(episode, reference_answer(episode)), ("bus_planning", ends | more)
        attempt = record_of_attempt(open_episode(suite, episode, setting), OneMoreCallAgent(*calls))
        assert (attempt.status, final_pass_rate(episode, attempt)) == (status, float(status == "pass")), (
            attempt.verdict["findings"][:1]
        )


def test_an_unrecorded_route_is_judged_by_the_map(suite: Path, episodes: list[Episode]) -> None:
    judged = 0
    for episode in episodes_with_one_route(episodes):
        own_answer = {"answer": {"route": {"index": 0}}}
        attempt = record_of_attempt(
            open_episode(suite, episode, "live"), ProgramAgent(episode, own_answer, shift_degrees=SMALL_SHIFT_DEGREES)
        )
        assert attempt.status == "pass", (episode.id, attempt.verdict["findings"])
        assert add_map_answers(episode, attempt.trace.calls) is not episode
        again = verdict_of(suite / "tasks" / f"{episode.id}.yaml", episode, attempt.trace)
        assert again is not None and again.status == "pass"
        judged += 1
    assert judged >= 2


def test_a_route_with_another_origin_than_the_query_fails(suite: Path, episodes: list[Episode]) -> None:
    episode = next(episodes_with_one_route(episodes))
    attempt = record_of_attempt(
        open_episode(suite, episode, "live"),
        ProgramAgent(episode, {"answer": {"route": {"index": 0}}}, shift_degrees=0.004),
    )
    broken = {finding["constraint"] for finding in attempt.verdict["findings"] if finding["status"] == "violated"}
    assert attempt.status == "fail" and "starts" in broken


def test_forged_results_are_ignored(suite: Path, episodes: list[Episode]) -> None:
    """The map answers the calls again. A route that it does not return is unknown, even if the trace contains it."""
    episode = next(episodes_with_one_route(episodes))
    own = open_episode(suite, episode, "live")
    attempt = record_of_attempt(
        own, ProgramAgent(episode, {"answer": {"route": {"index": 7}}}, shift_degrees=SMALL_SHIFT_DEGREES)
    )
    call = attempt.trace.calls[-1]
    assert call.result is not None
    value: Any = call.result.value
    forged = {**value, "result": {"routes": value["result"]["routes"] * 9}}
    calls = (
        *attempt.trace.calls[:-1],
        call.model_copy(update={"result": call.result.model_copy(update={"value": forged})}),
    )
    trace = attempt.trace.model_copy(update={"calls": calls})
    assert own.verdict('{"answer": {"route": {"index": 7}}}', trace).status == "fail"
    assert own.verdict('{"answer": {"route": {"index": 0}}}', trace).status == "pass"


def test_names_without_their_accents_are_the_same_names(suite: Path) -> None:
    from planspec.families.mobilitybench.live import LiveTools
    from planspec.families.mobilitybench.map import grow_city

    city = grow_city("Munich", 3, 300)
    tools = LiveTools(city, 600)
    for kind, name, arguments in (
        (
            "traffic_info_query",
            next(r.name for r in city.roads if "ß" in r.name or "ü" in r.name),
            {"city": "München"},
        ),
        ("poi_query", next(p.name for p in city.pois if not p.name.isascii()), {}),
    ):
        field = "road" if kind == "traffic_info_query" else "keywords"
        model = TOOLS[kind][0]
        bare = "".join(
            dict(zip("äöüßÄÖÜé", ("a", "o", "u", "ss", "A", "O", "U", "e"), strict=True)).get(c, c) for c in name
        )
        written, folded = (tools.ask(kind, read_arguments(model, {field: word, **arguments})) for word in (name, bare))
        assert bare != name and written == folded


def test_words_for_kinds_of_places_are_folded() -> None:
    """A word in half-width characters is the same word. Without its voicing marks, it is a different word."""
    from planspec.families.mobilitybench.live import LiveTools
    from planspec.families.mobilitybench.map import grow_city

    city = grow_city("Tokyo", 3, 300)
    tools = LiveTools(city, 600)
    options = {"location": str(city.centre), "radius": 3000}
    model = TOOLS["nearby_poi_query"][0]
    written, narrow, bare = (
        tools.ask("nearby_poi_query", read_arguments(model, options | {"keywords": word}))
        for word in ("スーパー", "ｽｰﾊﾟｰ", "スーハー")
    )
    assert written["pois"] and written == narrow
    assert bare != written


def test_a_suite_without_a_map_reports_why_it_has_no_live_setting(
    suite: Path, episodes: list[Episode], tmp_path: Path
) -> None:
    by_hand = question_episode(Scenario.POI_SEARCH)
    other = episodes[0]
    assert other.recipe is not None
    moved = other.recipe.model_copy(update={"seed": other.recipe.seed + 1})
    gone = other.recipe.model_copy(update={"city": "Atlantis"})
    episodes_made = [
        by_hand,
        other.model_copy(update={"id": "moved", "recipe": moved}),
        other.model_copy(update={"id": "gone", "recipe": gone}),
    ]
    with SuiteWriter(tmp_path / "other", "Others") as writer:
        for episode in episodes_made:
            writer.add(episode)
    for episode, why in zip(
        episodes_made,
        ("needs a map", "answers otherwise than it was recorded", "no city 'Atlantis'"),
        strict=True,
    ):
        with pytest.raises(UnpreparedSettingError, match=why):
            open_episode(tmp_path / "other", episode, "live")
        own = open_episode(tmp_path / "other", episode, "sandbox")
        assert own.setting == "sandbox"
        # an unrecorded call is judged even without a map
        tried = record_of_attempt(
            own,
            OneMoreCallAgent(ProgramAgent(episode, {"answer": {}}), ("weather_query", {"city": "Atlantis"})),
        )
        assert tried.status == "undelivered" or tried.verdict["findings"][0]["constraint"] == "run"
