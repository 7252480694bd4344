"""MobilityBench's settings for agents, with replayed or live tools, and their reading and judging of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from planspec.api.judging import Judge
from planspec.environments.agent_task import AgentTask, Setting, UnpreparedSettingError
from planspec.environments.line_index import folder_with, line_of, task_path
from planspec.families.mobilitybench.answers import resolve_routes
from planspec.families.mobilitybench.episode import Context, Episode, Scenario
from planspec.families.mobilitybench.episode_map import (
    LostMapError,
    MapTools,
    add_map_answers,
    answers_as_recorded,
    map_of,
)
from planspec.families.mobilitybench.judging import wider_judge
from planspec.families.mobilitybench.program import Slot, slots
from planspec.families.mobilitybench.recording import recording_beside
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.steps import atomic_steps
from planspec.families.mobilitybench.suite import InvalidEpisodeError, read_episode, sandbox_of
from planspec.families.mobilitybench.suite_files import EPISODES, episodes_beside, suite_folder
from planspec.traces.record import Trace
from planspec.verifiers.meaning.verdict import Verdict

_TASK = """\
Answer the user's question about places and ways with what the tools tell. The context says where the user is, and when it is; what
the question leaves open is meant there and then. A tool's answer is {"match": ..., "result": ...}, or {"error": ...}. Places are told to the tools as `longitude,latitude`: find those that are named
first. Wishes about a way (no tolls, a line, few transfers, a time) go into the call that plans it. Make up nothing."""
_FORMAT = """\
# The answer

One JSON object with `intent`, `constraints`, `steps` and `answer`. Only `answer` decides whether the question is answered; what it says
is looked up. Say in it what the question asks for, and leave out the rest:

- `place`: the place that is asked for, by its name as a tool told it, or {{"name": ..., "location": "longitude,latitude", "address": ...}};
  where the question names the place itself, its location or its address has to be there
- `location`: only its coordinates, `address`: only its address
- `places`: a list of several, the nearest first; [] if there is none
- `level`: how traffic flows, in the words of the tool; near a place on the street of its address, on the way to a place on the road
  that the way is longest on
- `weather`: a list of days, each {{"day": "YYYY-MM-DD", "weather": ..., "temperature": ..., "low": ..., "high": ...}} in °C
- `depart`, `arrive`: times HH:MM, past midnight 24:10
- `duration` of a whole way: seconds, or "45 min"; `distance`: metres, or "12.3 km"; `transfers` and `traffic_lights`: numbers
- `tolls`, `fare`: whole numbers of the smallest unit of money as the tools tell them, or a text with the currency: "2.50 EUR"
- `possible`: true or false
- `route`: the way, where one is asked for. Name it by its `id` as the planner told it, or by the call that found it and its place
  there, from 0: {{"call": "call-3", "index": 0}}; {{"index": 0}} alone is of the last call that planned a way. A way of several calls is a list
  of such in order. Nothing else needs to be said of it.

Write one value each, without "about" and without alternatives. A name, value or route that no tool told fails the answer.

`intent` is one of: {intents}.
`constraints` says what the user asked for, in the user's own words, and nothing that was not said. The keys are these; leave out the
others:
{slots}
`steps` lists what had to be done, each once and in order, by these names:
{steps}

To another question ("A drive without tolls from Mill Street 4 to the Opera, how long is it?") an answer is:

```json
{{"intent": "Route Property Query", "constraints": {{"origin": "Mill Street 4", "destination": "the Opera", "mode": "drive", "preferences": ["avoid_tolls"], "asked": "time"}}, "steps": ["find_place", "plan_drive", "keep_to_options", "read_figure"], "answer": {{"duration": "17 min"}}}}
```"""


@cache
def _brief_text() -> str:
    answer_format = _FORMAT.format(
        intents=", ".join(scenario.value for scenario in Scenario),
        slots="\n".join(f"- `{name}`: {_slot_text(slot)}" for name, slot in slots().items()),
        steps="\n".join(f"- `{name}`: {step.does}" for name, step in atomic_steps().items()),
    )
    return f"{_TASK}\n\n{answer_format}"


def _slot_text(slot: Slot) -> str:
    words = f" ({', '.join(slot.words)})" if slot.words else ""
    several = ", a list" if slot.kind in {"texts", "places", "dates", "choices"} else ""
    return f"{slot.says}{words}{several}"


def sandbox(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """Open a task with tools that answer from recorded calls."""
    try:
        episode = episode_of(judges[-1].task.id.partition("@")[0], name, folder)
    except InvalidEpisodeError as error:
        raise UnpreparedSettingError(str(error)) from None
    file = _episodes_file(name, folder)
    more = recording_beside(file) if episode.source is not None else None
    resources = _SuiteResources(more, None if file is None else suite_folder(file))
    return AgentTask(
        name,
        judges,
        "sandbox",
        brief=_brief_text(),
        materials={"Context": _context_text(episode.context)},
        tools=sandbox_of(episode, more),
        folder=folder,
        resolve=partial(_resolve_answer, episode, resources),
        wider=partial(_judge_with_run_results, episode, resources, judges[-1]),
        final=partial(_final_verdict, episode, resources),
    )


def live(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """Open a task with tools that compute the answer to each call on the episode's map.

    The map is generated from the episode's recipe, or loaded from the suite's folder.
    """
    task = judges[-1].task.id.partition("@")[0]
    opened = sandbox(name, judges, folder)
    episode = episode_of(task, name, folder)
    file = _episodes_file(name, folder)
    try:
        map_ = map_of(episode, None if file is None else suite_folder(file))
    except LostMapError as error:
        raise UnpreparedSettingError(str(error)) from None
    if map_ is None:
        raise UnpreparedSettingError(
            f"the setting `live` needs a map, and the episode `{task}` says none: episodes have it that this "
            "version of `planspec generate mobilitybench` wrote, and episodes of a public table never do; `sandbox` replays what was recorded"
        )
    if not answers_as_recorded(episode, map_):
        raise UnpreparedSettingError(
            f"the map of the episode `{task}` answers otherwise than it was recorded: another version of planspec wrote it; generate the suite "
            "again, or use `sandbox`, which replays what was recorded"
        )
    return replace(opened, setting="live", tools=MapTools(map_))


@dataclass(frozen=True, slots=True)
class _SuiteResources:
    """Resources of a suite besides its episodes.

    Attributes:
        recording: sandbox with the recorded caches of the public toolkit; None if the suite has none.
        suite: folder of the suite, which may hold a map; None if unknown.
    """

    recording: ReplaySandbox | None
    suite: Path | None

    def add_run_answers(self, episode: Episode, trace: Trace) -> Episode:
        """Return the episode with the additional tool results that its map or the recording gave during a run."""
        return add_map_answers(episode, trace.calls, self.recording, self.suite)


def _resolve_answer(episode: Episode, resources: _SuiteResources, text: str, trace: Trace) -> Any:
    return resolve_routes(text, trace, resources.add_run_answers(episode, trace))


def _judge_with_run_results(episode: Episode, resources: _SuiteResources, judge: Judge, trace: Trace) -> Judge | None:
    """Return a judge with tables that include tool results given only in this run; None if there are none."""
    extended_episode = resources.add_run_answers(episode, trace)
    return None if extended_episode is episode else wider_judge(judge, extended_episode)


def _final_verdict(episode: Episode, resources: _SuiteResources, verdict: Verdict, trace: Trace) -> Verdict:
    from planspec.families.mobilitybench.metrics.scoring import run_verdict

    return run_verdict(verdict, episode, trace, resources.suite)


def _context_text(context: Context) -> str:
    day = context.extra.get("day")
    lines = [
        ("The user is at (longitude,latitude)", context.location),
        ("City", context.city),
        ("Day", day if isinstance(day, str) else None),
        ("Time", context.time),
        ("Travels by, unless the question says otherwise", context.travel_tool),
    ]
    return "\n".join(f"{what}: {value}" for what, value in lines if value) or "nothing is known"


def episode_of(episode: str, task: str, folder: Path | None) -> Episode:
    """Return the episode of a task from its suite.

    Args:
        episode: id of the episode.
        task: name under which the task was loaded.
        folder: folder of the suite, if known.

    Raises:
        UnpreparedSettingError: the suite has no episodes, or none with this id.
        InvalidEpisodeError: the episode's line cannot be parsed, or was changed after it was written.
    """
    path = _episodes_file(task, folder)
    line = None if path is None else line_of(path, episode)
    if line is None:
        raise UnpreparedSettingError(
            f"the setting `sandbox` needs `{EPISODES}` beside the task `{episode}`, with its episode: suites have it that "
            "`planspec generate mobilitybench` or `planspec import mobilitybench` wrote"
        )
    return read_episode(line, f"the episode `{episode}`: ")


def _episodes_file(task: str, folder: Path | None) -> Path | None:
    """Return the file that holds the episode of a task; None if there is none."""
    shard_file = episodes_beside(Path(task) if folder is not None else task_path(task))
    if shard_file is not None:
        return shard_file if shard_file.is_file() else None
    root = folder_with(EPISODES, task, folder)
    return None if root is None else root / EPISODES


SETTINGS: Mapping[str, Setting] = {"sandbox": sandbox, "live": live}
