"""The map of a generated episode, which can answer calls that were not recorded.

The map is generated again from its recipe, or loaded from the suite's folder. Results in a run's trace are not trusted;
the map answers the calls again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset, read_arguments
from planspec.environments.line_index import FileState
from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import MODES, TOOLS, Canonical, canonical_arguments
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.live import NO_ROUTE_REASONS, LiveTools, minute_of
from planspec.families.mobilitybench.map import MapRecipe, StoredMap, regrow
from planspec.families.mobilitybench.map_folder import map_file, restore_map
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import text_of
from planspec.families.mobilitybench.suite import sandbox_of
from planspec.traces.record import Call

EXACT: JsonResult = {"kind": "exact"}
MAX_CACHED_MAPS = 8
"""Maximum number of cached maps in a process, each at one time of day."""


class LostMapError(PlanspecError, LookupError):
    """Error if an episode's map cannot be generated again, or its file is missing. The message gives the reason."""


class MapTools(Toolset):
    """The ten tools, with answers computed on the map of an episode, in the form of replayed results.

    Args:
        map_: the map's tools, with results in raw form.
    """

    def __init__(self, map_: LiveTools) -> None:
        self._map = map_
        super().__init__(
            ModelTool(name, text, model, partial(self._answer, name)) for name, (model, text) in TOOLS.items()
        )

    def _answer(self, name: str, arguments: Arguments) -> JsonResult:
        return {"match": dict(EXACT), "result": self._map.ask(name, arguments)}


def map_of(episode: Episode, suite: Path | None = None) -> LiveTools | None:
    """Return the tools over the map of an episode, at the episode's time; None if it has no map.

    Args:
        episode: the episode.
        suite: folder of its suite, which holds an imported map.

    Raises:
        LostMapError: the map cannot be generated again, or its file is missing.
    """
    if episode.recipe is None or episode.context.time is None:
        return None
    try:
        return _open_map(episode.recipe, suite, episode.context.time)
    except (KeyError, ValueError) as error:
        raise LostMapError(f"the episode `{episode.id}` has its map no more: {error.args[0]}") from None


def _open_map(recipe: MapRecipe | StoredMap, suite: Path | None, time: str) -> LiveTools:
    match recipe:
        case MapRecipe():
            return _grow_map(recipe, time)
        case StoredMap():
            return _restored(recipe, map_file(suite), time)
        case _ as never:
            assert_never(never)


@lru_cache(maxsize=MAX_CACHED_MAPS)
def _grow_map(recipe: MapRecipe, time: str) -> LiveTools:
    return LiveTools(regrow(recipe), minute_of(time))


@lru_cache(maxsize=MAX_CACHED_MAPS)
def _restored(recipe: StoredMap, file: FileState, time: str) -> LiveTools:
    return LiveTools(restore_map(recipe, file), minute_of(time))


def answers_as_recorded(episode: Episode, map_: LiveTools) -> bool:
    """Return whether a map still gives the recorded results for the calls of an episode's program."""
    return all(
        record.arguments is None or _map_answer(map_, record.tool, record.arguments) == record.result
        for record in episode.snapshot
        if record.call is not None
    )


def map_can_answer(episode: Episode, suite: Path | None, call: Call) -> bool:
    """Return whether the map of an episode answers a call that failed in a run.

    If so, the call failed only because its result was not recorded, which is not the agent's fault. A message that no
    route exists is also an answer.

    Args:
        episode: the episode of the run.
        suite: folder of its suite.
        call: the failed call.
    """
    try:
        return _answered_record(episode, suite, call) is not None
    except RefusedCallError as refused:
        return call.name in MODES and refused.message.partition(":")[0] in NO_ROUTE_REASONS


def add_map_answers(
    episode: Episode,
    calls: Sequence[Call],
    recording: ReplaySandbox | None = None,
    suite: Path | None = None,
) -> Episode:
    """Add results that the map returned in a run to an episode's recorded results.

    The map answered a call if the trace marks the result as an exact match and the episode has no record of such a
    call. Episodes of the public table have no map. For them, results are added from the suite's recording.

    Args:
        episode: the episode of the run.
        calls: calls of the run.
        recording: sandbox with the suite's recording; None if there is none.
        suite: folder of the suite.

    Returns:
        A copy with more results, or the episode itself if there is nothing to add.
    """
    recorded = {_record_key(record) for record in episode.snapshot}
    more: dict[tuple[str, str], RecordedResult] = {}
    if episode.source is not None:
        additional = _used_records(episode, calls, recording)
    else:
        additional = (_answered_record_or_none(episode, suite, call) for call in calls if _is_exact_match(call))
    for record in additional:
        if record is not None and _record_key(record) not in recorded:
            more.setdefault(_record_key(record), record)
    if not more:
        return episode
    return episode.model_copy(update={"snapshot": (*episode.snapshot, *more.values())})


def _used_records(
    episode: Episode, calls: Sequence[Call], recording: ReplaySandbox | None
) -> Iterator[RecordedResult | None]:
    """Yield the recorded calls that answered a run's successful calls.

    They are from the suite's recording or from the episode. Yield nothing if the suite has no recording.
    """
    if recording is None:
        return
    sandbox = sandbox_of(episode, recording)
    for call in calls:
        record = sandbox.matching_record(call.name, call.arguments)
        if record is not None and call.result is not None and call.result.ok:
            yield RecordedResult(
                tool=record.tool,
                arguments=_json_arguments(record.arguments),
                result=json.loads(record.result),
            )


def _json_arguments(arguments: Canonical) -> dict[str, JsonValue]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}


def _is_exact_match(call: Call) -> bool:
    value = None if call.result is None or not call.result.ok else call.result.value
    match = value.get("match") if isinstance(value, Mapping) else None
    return isinstance(match, Mapping) and match.get("kind") == EXACT["kind"]


def _answered_record_or_none(episode: Episode, suite: Path | None, call: Call) -> RecordedResult | None:
    """Return a record of a call with the map's answer; None if the map has no answer or refuses the call."""
    try:
        return _answered_record(episode, suite, call)
    except RefusedCallError:
        return None


def _answered_record(episode: Episode, suite: Path | None, call: Call) -> RecordedResult | None:
    """Return a record of a call with the map's answer; None if there is no map or the call is malformed.

    Raises:
        RefusedCallError: the map refuses the call.
    """
    if call.name not in TOOLS or call.arguments is None or call.fault:
        return None
    try:
        map_ = map_of(episode, suite)
    except LostMapError:
        return None
    if map_ is None:
        return None
    parsed = read_arguments(TOOLS[call.name][0], call.arguments)
    result = map_.ask(call.name, parsed)
    return RecordedResult(
        tool=call.name,
        arguments=_json_arguments(canonical_arguments(parsed)),
        result=json.loads(text_of(result)),
    )


def _map_answer(map_: LiveTools, tool: str, arguments: object) -> object:
    """Return a map's answer, or its refusal, in the form in which results are recorded."""
    try:
        answer = map_.ask(tool, read_arguments(TOOLS[tool][0], arguments))
    except RefusedCallError as refused:
        answer = refused.result()
    return json.loads(text_of(answer))


def _record_key(record: RecordedResult) -> tuple[str, str]:
    return record.tool, text_of(record.arguments)
