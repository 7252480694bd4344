"""Generation of episodes from random draws: query, executed reference program, recorded results and ground truth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments
from planspec.families.mobilitybench.drawing import Scene, Town, UndrawableRequestError, decoy_calls, draw
from planspec.families.mobilitybench.drawing.scene import FIRST_MIN, LAST_MIN, clock_text
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario, StandardCall
from planspec.families.mobilitybench.map import public_holiday
from planspec.families.mobilitybench.program import ProgramExecution, UnansweredCallError, execute, programs
from planspec.families.mobilitybench.row_collector import EpisodeRows
from planspec.families.mobilitybench.snapshot import Recorder
from planspec.families.mobilitybench.spoken import WORDED, Language
from planspec.families.mobilitybench.wording import wording

VISITOR_PERCENT = 12
"""Percentage of queries in the language of visitors instead of residents."""
MIDNIGHT = "24:00"
LONG_DRIVE_M = 250_000
"""Minimum length in metres of a route by car that may end on the next day."""


class DroppedDrawError(Exception):
    """Error if a random draw yields no episode. The message is the reason; discarded draws are counted by it."""


@dataclass(frozen=True, slots=True)
class SettledEpisode:
    """A complete episode, with results of its checks that the episode does not store.

    Attributes:
        episode: the episode with its checksum.
        wishes_are_binding: whether its wishes change the best route; None if it has no wishes.
        episode_rows: rows of the task's tables, from the tools' results; None until they are computed.
    """

    episode: Episode
    wishes_are_binding: bool | None
    episode_rows: EpisodeRows | None = None


@dataclass(frozen=True, slots=True)
class DraftedBlock:
    """Episodes of one city on one day, with the number of discarded draws by reason."""

    episodes: tuple[SettledEpisode, ...]
    dropped: Counter[str]
    city: str
    country: str
    day: str


def draft_episode(town: Town, scenario: Scenario, name: str, rng: Random) -> SettledEpisode:
    """Draw one episode in a scenario.

    Args:
        town: the city and its recipe.
        scenario: scenario of the query.
        name: id of the episode.
        rng: random generator.

    Raises:
        DroppedDrawError: the drawn request has no answer, or no answer that fits the scenario.
    """
    language = draw_language(town.city.language, rng)
    scene = Scene(town, language, rng.randint(FIRST_MIN, LAST_MIN), rng)
    try:
        draft = draw(scenario, scene)
    except UndrawableRequestError as reason:
        raise DroppedDrawError(f"{scenario.value}: {reason}") from None
    query = wording(language).query(scenario, draft.slots, town.city.today, rng, scene.clock, draft.travel_tool)
    holiday = public_holiday(town.city)
    context = Context(
        location=str(draft.user_location),
        city=town.city.name,
        time=clock_text(scene.now),
        travel_tool=draft.travel_tool,
        extra={"day": town.city.today, **({} if holiday is None else {"holiday": holiday})},
    )
    recorder = Recorder(scene.ask)
    try:
        executed = execute(programs()[scenario], draft.slots, context, recorder.call)
    except UnansweredCallError as reason:
        raise DroppedDrawError(f"{scenario.value}: {_without_names(str(reason))}") from None
    _check_times(scenario, scene, executed)
    for tool, arguments in decoy_calls(scenario, scene, draft.slots, str(draft.user_location), executed.program):
        recorder.call(tool, arguments)
    if scenario is Scenario.TRAFFIC:
        _record_traffic_on_ways(recorder, town.city.name, executed.program)
    episode = Episode(
        id=name,
        family=scenario.family,
        scenario=scenario,
        language=language,
        query=query,
        context=context,
        constraints=draft.slots,
        program=executed.program,
        steps=executed.steps,
        recipe=town.recipe,
        currency=town.city.currency,
        given=executed.given,
        snapshot=_ordered_records(scenario, recorder, executed),
    )
    return SettledEpisode(episode.with_checksum(), draft.wishes_are_binding)


def draw_language(local: Language, rng: Random) -> Language:
    """Draw the language of a query: the residents' or the visitors' language.

    Visitors speak English, or Chinese if the residents speak English.
    """
    resident: Language = local if local in WORDED else "en"
    visitors: Language = "zh" if resident == "en" else "en"
    return visitors if rng.randrange(100) < VISITOR_PERCENT else resident


def _without_names(reason: str) -> str:
    """Remove the quoted names from a reason, so that equal reasons can be counted together."""
    parts = reason.split("`")
    return "...".join(parts[::2]) if len(parts) > 1 else reason


def _check_times(scenario: Scenario, scene: Scene, executed: ProgramExecution) -> None:
    """Raise DroppedDrawError if the departure is in the past or the trip ends after midnight.

    Long trips by car may end after midnight, unless the query is about times.
    """
    for result in executed.results:
        routes: Any = result.get("routes", ()) if isinstance(result, dict) else ()
        if not routes or str(routes[0]["arrive"]) < MIDNIGHT:
            continue
        far = routes[0]["mode"] == "drive" and routes[0]["distance"] >= LONG_DRIVE_M
        if not far or scenario is Scenario.TIME:
            raise DroppedDrawError(f"{scenario.value}: the way ends after midnight")
    leave = executed.given.get("right_depart")
    if isinstance(leave, str) and leave <= scene.clock:
        raise DroppedDrawError(f"{scenario.value}: one must have left before")


def _record_traffic_on_ways(recorder: Recorder, city: str, program: Sequence[StandardCall]) -> None:
    """Record the traffic on the roads of all recorded routes, since an agent may look it up to choose a route."""
    traffic_call = next(call for call in program if call.tool == "traffic_info_query")
    at = {"at": traffic_call.arguments["at"]} if "at" in traffic_call.arguments else {}
    roads: dict[str, None] = {}
    for call in recorder.snapshot():
        result = json.loads(call.result)
        for route in result.get("routes", ()):
            roads.update(dict.fromkeys(step["road"] for step in route["steps"] if step["road"] is not None))
    for road in roads:
        recorder.call("traffic_info_query", {"road": road, "city": city, **at})


def _ordered_records(scenario: Scenario, recorder: Recorder, executed: ProgramExecution) -> tuple[RecordedResult, ...]:
    """Return the records of the program's calls in their order, then the records of other calls.

    Raises:
        DroppedDrawError: two calls of the program are the same.
    """
    numbers = {_call_key(call): number for number, call in enumerate(executed.program)}
    if len(numbers) < len(executed.program):
        raise DroppedDrawError(f"{scenario.value}: two calls of the program are the same")
    records = [
        RecordedResult(
            call=numbers.get((call.tool, call.arguments)),
            tool=call.tool,
            arguments={name: list(value) if isinstance(value, tuple) else value for name, value in call.arguments},
            result=json.loads(call.result),
        )
        for call in recorder.snapshot()
    ]
    return tuple(sorted(records, key=lambda record: (record.call is None, record.call or 0)))


def _call_key(call: StandardCall) -> tuple[str, Any]:
    return call.tool, canonical_arguments(read_arguments(TOOLS[call.tool][0], call.arguments))
