"""A small town with coordinates, a task in it, and runs of agents that write hostile text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planspec.agents import AgentSpec, Limits
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import TaskView
from planspec.environments import open_task
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt

TASK = """\
planspec: task/1
id: {id}
title: A stroll & a night
query: >-
  See the mill and the park on 1 May, an hour each, between nine and noon, and sleep at the inn.
types: {{Mode: foot | bus}}
tables:
  Place:
    columns: {{name: text, lat: decimal, lon: decimal}}
    rows:
      - {{id: mill, name: Old <Mill>, lat: 52.50, lon: 13.40}}
      - {{id: park, name: Park, lat: 52.51, lon: 13.42}}
      - {{id: inn, name: Inn, lat: 52.52, lon: 13.41}}
plan:
  visits: {{place: key Place, day: date, start: time, end: time, mode: Mode = foot}}
  lodging: {{one: true, hotel: Place}}
scope:
  visits:
    - for: p in Place if p.id != "inn"
      place: p
      day: 2026-05-01
      start: 09:00..11:00 step 30min
      end: 10:00..12:00 step 30min
      mode: foot
  lodging: {{hotel: Place}}
constraints:
  hour:
    for: p in Place if p.id != "inn"
    hard: all(v.end - v.start == 60min for v in visits if v.place == p)
    kind: dwell
    message: "{{p}} gets {{sum(u.end - u.start for u in visits if u.place == p)}}, not 1h"
  order:
    hard: all(a.end <= b.start for a in visits for b in visits if a.place.id == "mill" and b.place.id == "park")
    kind: window
  night:
    hard: lodging.hotel.id == "inn"
    kind: preference
    message: "{{lodging.hotel}} is no inn"
"""
RIGHT: Mapping[str, Any] = {
    "visits": [
        {"place": "park", "day": "2026-05-01", "start": "10:30", "end": "11:30"},
        {"place": "mill", "day": "2026-05-01", "start": "09:00", "end": "10:00"},
    ],
    "lodging": {"hotel": "inn"},
}
WRONG: Mapping[str, Any] = {
    "visits": [
        {"place": "mill", "day": "2026-05-01", "start": "09:00", "end": "10:30"},
        {"place": "park", "day": "2026-05-01", "start": "10:30", "end": "11:30"},
    ],
    "lodging": {"hotel": "inn"},
}
HOSTILE = (
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "--><!--<script>",
    "]]>&lt;b&gt; '\"`{{ 7 * 7 }}",
    "\u202eright to left\u2066 \u05d0\u05d1\u05d2",
    "\x00\x07\x1b[31mred\x7f\x85",
    "half \ud83d a character",
)
"""Texts that agents may write: markup, comments, templates, direction marks, control characters."""


class FixedAgent:
    """An agent that gives a fixed answer after some messages."""

    def __init__(self, answer: Any, *texts: str) -> None:
        self._answer, self._texts = answer, texts

    def answer(self, view: TaskView, desk: Desk) -> Any:
        for text in self._texts:
            desk.record_message("assistant\u202e<b>", text)
            place, _ = desk.place_call(f"tool{text}", {text: [text, 1.5, None]})
            desk.record_message("assistant", None, calls=[place])
            desk.record_message("tool", "again", answers=place)
        if isinstance(self._answer, AttemptFailedError):
            raise self._answer
        return self._answer


def write_suite(folder: Path, *ids: str) -> Path:
    """Write a suite of strolls with these ids, and return its file."""
    folder.mkdir(exist_ok=True)
    for id_ in ids:
        (folder / f"{id_}.task.yaml").write_text(TASK.format(id=id_), "utf-8")
    path = folder / "strolls.suite.yaml"
    path.write_text('planspec: suite/1\nid: strolls\ntitle: Strolls\ntasks: ["*.task.yaml"]\n', "utf-8")
    return path


def write_run(folder: Path, suite_: Path, answers: Mapping[str, Any], *texts: str, agent: str = "empty") -> RunFolder:
    """Write a run with the given answers, by task. A task without an answer has no record."""
    run_folder = RunFolder(folder)
    header = begin(RunOptions(str(suite_), AgentSpec.read(agent)), run_folder)
    with run_folder.writing() as file:
        for task in header.tasks:
            if task in answers:
                opened = open_task(suite_.parent / f"{task}.task.yaml", None)
                spec = AttemptSpec(task, 0, 0)
                file.add(attempt(spec, FixedAgent(answers[task], *texts), agent, opened, Limits(), lambda: 0.0))
    return run_folder
