"""The map behind a generated episode: grown again from its recipe, or found beside its suite, it answers calls that nobody recorded.

What a run's calls gave is never taken from its trace: the map is asked again.
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
from planspec.families.mobilitybench.calls import MODES, TOOLS, Canonical, canonical
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.live import NO_WAY, LiveTools, minute_of
from planspec.families.mobilitybench.map import KeptMap, MapRecipe, regrown
from planspec.families.mobilitybench.map_folder import map_file, restored
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import text_of
from planspec.families.mobilitybench.suite import sandbox_of
from planspec.traces.record import Call

EXACT: JsonResult = {"kind": "exact"}
KEPT = 8
"""The number of maps, each at a time of the day, that a process keeps."""


class LostMapError(PlanspecError, LookupError):
    """The map of an episode does not grow any more, or its file is not there; the text says why."""


class MapTools(Toolset):
    """The ten tools over the whole map of an episode; their answers have the form of the replayed ones.

    Args:
        map_: what answers.
    """

    def __init__(self, map_: LiveTools) -> None:
        self._map = map_
        super().__init__(
            ModelTool(name, text, model, partial(self._answer, name)) for name, (model, text) in TOOLS.items()
        )

    def _answer(self, name: str, arguments: Arguments) -> JsonResult:
        return {"match": dict(EXACT), "result": self._map.ask(name, arguments)}


def map_of(episode: Episode, suite: Path | None = None) -> LiveTools | None:
    """The map of an episode at its time; None where it has none.

    Args:
        episode: whose.
        suite: the folder of its suite, in which an imported map is.

    Raises:
        LostMapError: it does not grow any more, or it is not there.
    """
    if episode.recipe is None or episode.context.time is None:
        return None
    try:
        return _found(episode.recipe, suite, episode.context.time)
    except (KeyError, ValueError) as error:
        raise LostMapError(f"the episode `{episode.id}` has its map no more: {error.args[0]}") from None


def _found(recipe: MapRecipe | KeptMap, suite: Path | None, time: str) -> LiveTools:
    match recipe:
        case MapRecipe():
            return _grown(recipe, time)
        case KeptMap():
            return _restored(recipe, map_file(suite), time)
        case _ as never:
            assert_never(never)


@lru_cache(maxsize=KEPT)
def _grown(recipe: MapRecipe, time: str) -> LiveTools:
    return LiveTools(regrown(recipe), minute_of(time))


@lru_cache(maxsize=KEPT)
def _restored(recipe: KeptMap, file: FileState, time: str) -> LiveTools:
    return LiveTools(restored(recipe, file), minute_of(time))


def is_same(episode: Episode, map_: LiveTools) -> bool:
    """Whether a map answers the calls of an episode's program as they were recorded."""
    return all(
        record.arguments is None or _asked(map_, record.tool, record.arguments) == record.result
        for record in episode.snapshot
        if record.call is not None
    )


def answers(episode: Episode, suite: Path | None, call: Call) -> bool:
    """Whether the map answers a call that failed in a run: then a record is lacking, which is not the agent's doing.

    That there is no way is an answer, too.

    Args:
        episode: that was asked.
        suite: the folder of its suite.
        call: that failed.
    """
    try:
        return _result(episode, suite, call) is not None
    except RefusedCallError as refused:
        return call.name in MODES and refused.message.partition(":")[0] in NO_WAY


def widened(
    episode: Episode,
    calls: Sequence[Call],
    recording: ReplaySandbox | None = None,
    suite: Path | None = None,
) -> Episode:
    """An episode with what its map told in a run beside the recorded calls; the episode itself if that is nothing.

    A call was answered by the map if its result was found exactly, and no call with its arguments is recorded. Episodes
    of the public table have no map, and their suite may have a recording that answers calls beside their own.

    Args:
        episode: that was asked.
        calls: of the run.
        recording: of its suite.
        suite: the folder of its suite.
    """
    known = {_key(record) for record in episode.snapshot}
    more: dict[tuple[str, str], RecordedResult] = {}
    if episode.source is not None:
        told = _recorded(episode, calls, recording)
    else:
        told = (_told(episode, suite, call) for call in calls if _is_exact(call))
    for record in told:
        if record is not None and _key(record) not in known:
            more.setdefault(_key(record), record)
    if not more:
        return episode
    return episode.model_copy(update={"snapshot": (*episode.snapshot, *more.values())})


def _recorded(
    episode: Episode, calls: Sequence[Call], recording: ReplaySandbox | None
) -> Iterator[RecordedResult | None]:
    """The records of a suite that answered the calls of a run, and the episode's own."""
    if recording is None:
        return
    sandbox = sandbox_of(episode, recording)
    for call in calls:
        found = sandbox.recorded(call.name, call.arguments)
        if found is not None and call.result is not None and call.result.ok:
            yield RecordedResult(
                tool=found.tool, arguments=_plain(found.arguments), result=json.loads(found.result)
            )


def _plain(arguments: Canonical) -> dict[str, JsonValue]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in arguments}


def _is_exact(call: Call) -> bool:
    value = None if call.result is None or not call.result.ok else call.result.value
    match = value.get("match") if isinstance(value, Mapping) else None
    return isinstance(match, Mapping) and match.get("kind") == EXACT["kind"]


def _told(episode: Episode, suite: Path | None, call: Call) -> RecordedResult | None:
    """A call with what the map answers; None if that is no result."""
    try:
        return _result(episode, suite, call)
    except RefusedCallError:
        return None


def _result(episode: Episode, suite: Path | None, call: Call) -> RecordedResult | None:
    """A call with what the map answers; None where there is no map, or no such call.

    Raises:
        RefusedCallError: the arguments are wrong, or there is no result.
    """
    if call.name not in TOOLS or call.arguments is None or call.fault:
        return None
    try:
        map_ = map_of(episode, suite)
    except LostMapError:
        return None
    if map_ is None:
        return None
    read = read_arguments(TOOLS[call.name][0], call.arguments)
    result = map_.ask(call.name, read)
    return RecordedResult(
        tool=call.name, arguments=_plain(canonical(read)), result=json.loads(text_of(result))
    )


def _asked(map_: LiveTools, tool: str, arguments: object) -> object:
    """What a map answers, as it is recorded."""
    try:
        told = map_.ask(tool, read_arguments(TOOLS[tool][0], arguments))
    except RefusedCallError as refused:
        told = refused.result()
    return json.loads(text_of(told))


def _key(record: RecordedResult) -> tuple[str, str]:
    return record.tool, text_of(record.arguments)
