"""`planspec import worldtravel`: tasks with rubrics in the form of the paper's Tables 7 and 8, answers to them, and what is neither."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.families.worldtravel.importing import ANSWERS, NOT_KNOWN, import_worldtravel
from tests.planspec.commands.test_command_line import run

RUBRIC = [
    {"function": "if_poi_enough_time()", "poi": "Neues Museum", "date_range": "7.1-7.1", "time_constraint": 90},
    {"function": "if_poi_in_time", "params": {"poi": "Borchardt", "date_range": ["2026-07-01", "2026-07-01"], "target_time_range": "18:00-20:00"}},
    {"function": "if_poi_start_time_delayed", "poi": "Neues Museum", "delay_minutes": 15},
    {"function": "if_poi_cost_matches", "poi": "Neues Museum", "item_type": "attraction", "expected_cost": 28.5},
    {"function": "if_poi_cost_matches", "poi": "Circus Hotel", "item_type": "hotel", "expected_cost": 93},
    {"function": "if_poi_present", "poi": "Circus Hotel", "date_range": "7.1"},
]  # fmt: skip
TASK: dict[str, Any] = {
    "id": "berlin_03",
    "city": "Berlin",
    "query": "One day in Berlin.",
    "constraints": RUBRIC,
}


def item(kind: str, time: str, name: str, cost: float = 0, origin: str | None = None) -> dict[str, Any]:
    return {
        "item": kind, "time": time, "departure": origin or name, "destination": name, "cost": cost,
        "transportation": "foot" if origin else "none", "referenceImage": "x.png",
    }  # fmt: skip


DAY = [
    item("hotel", "8:00-8:00", "Circus Hotel", 93),
    item("transportation", "9:00-9:20", "Neues Museum", origin="Circus Hotel"),
    item("attraction", "10:00-11:30", "Neues Museum", 28.5),
    item("transportation", "11:30-12:00", "Borchardt", origin="Neues Museum"),
    item("restaurant", "18:00-19:30", "Borchardt", 98),
    item("transportation", "19:30-20:00", "Circus Hotel", origin="Borchardt"),
    item("hotel", "20:00-20:00", "Circus Hotel"),
]


def itinerary(**changes: Any) -> dict[str, Any]:
    """The day, with some items changed by their places: `i2={"time": ...}`."""
    items = [{**entry, **changes.get(f"i{place}", {})} for place, entry in enumerate(DAY)]
    return {"itinerary": [{"date": "7.1", "schedule": items}]}


def written(path: Path, *records: Any, lines: bool = False) -> Path:
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    tasks = written(tmp_path / "tasks.json", TASK)
    answers = written(tmp_path / "answers.jsonl", {"id": "berlin_03", "answer": itinerary()}, lines=True)
    out = tmp_path / "authors"
    made = import_worldtravel([tasks], [answers], 2026, out)
    assert (made.tasks, made.left_out) == (("berlin_03",), ())
    assert {count.table: count.kept for count in made.tables} == {
        "if_poi_enough_time": 1, "if_poi_in_time": 1, "if_poi_start_time_delayed": 1, "if_poi_cost_matches": 2, "if_poi_present": 1,
    }  # fmt: skip
    assert made.notes[0] == NOT_KNOWN
    return out


def verdict(folder: Path, answer: Any) -> planspec.Verdict:
    return planspec.verify(planspec.load(folder / "tasks" / "berlin_03.yaml"), json.dumps(answer))


def test_an_imported_suite_is_clean_and_its_answers_are_scored(imported: Path) -> None:
    assert planspec.check([imported]) == ()
    scores = planspec.score(str(imported), (imported / ANSWERS).read_text("utf-8").splitlines())
    assert [found.status for found in scores.verdicts] == ["pass"]
    assert scores.verdicts[0].soft.satisfied == scores.verdicts[0].soft.total == 3
    assert (scores.verdicts[0].hard.total, scores.metrics["feasibility_rate"]) == (3, 1)


@pytest.mark.parametrize(
    ("changes", "violated"),
    [
        ({"i2": {"time": "10:00-11:29"}}, {"enough-time[1]"}),
        ({"i2": {"time": "9:30-11:00"}, "i1": {"time": "9:00-9:16"}}, {"delayed[3]"}),
        ({"i2": {"time": "9:30-11:00"}, "i1": {"time": "9:00-9:15"}}, set()),
        ({"i4": {"time": "17:59-19:30"}}, {"in-time[2]"}),
        ({"i4": {"time": "20:00-21:30"}, "i5": {"time": "21:30-22:00"}, "i6": {"time": "22:00-22:00"}}, set()),
        ({"i2": {"cost": 28}}, {"cost-matches[4]"}),
        ({"i0": {"cost": 94}}, {"cost-matches[5]"}),
    ],
)  # fmt: skip
def test_each_function_is_violated_by_what_it_is_about(
    imported: Path, changes: dict[str, Any], violated: set[str]
) -> None:
    found = verdict(imported, itinerary(**changes))
    assert {f.constraint for f in found.findings if f.status == "violated"} == violated


def test_a_place_that_nobody_visits_keeps_nothing(imported: Path) -> None:
    nothing = {"itinerary": [{"date": "7.1", "schedule": [DAY[0], DAY[-1]]}]}
    found = verdict(imported, nothing)
    assert (found.hard.satisfied, found.soft.satisfied) == (0, 2)


def test_records_that_are_none_are_left_out_with_their_reasons(tmp_path: Path) -> None:
    tasks = written(
        tmp_path / "tasks.json", TASK, TASK, {**TASK, "id": "b", "constraints": []},
        {**TASK, "id": "c", "constraints": [{"function": "if_poi_fun", "poi": "x"}]},
        {**TASK, "id": "d", "constraints": [{"function": "if_poi_enough_time", "poi": "x"}]},
        {**TASK, "id": "e", "constraints": [{"function": "if_poi_present", "poi": "x", "date_range": "July"}]},
        {**TASK, "id": "f", "constraints": [{"function": "if_poi_in_time", "poi": "Borchardt", "date_range": "7.1-7.1", "target_time_range": "noon-two"}]},
        {**TASK, "id": "g h"},
        {**TASK, "id": "i", "dates": ["2026-01-01", "2026-12-31"]},
    )  # fmt: skip
    answers = written(tmp_path / "answers.json", {"id": "nobody", "answer": {}}, {"id": "berlin_03"})
    made = import_worldtravel([tasks], [answers], 2026, tmp_path / "out")
    said = [str(line) for line in made.left_out]
    assert [line.split(": ")[0] for line in said] == [
        *(f"tasks.json:{n}" for n in range(2, 10)),
        "answers.json:1",
        "answers.json:2",
    ]
    for line, why in zip(
        said,
        ("already", "at least 1", "if_poi_in_time", "no `time_constraint`", "`July` is no day", "`noon` is no time", "id `g h`", "31 days", "no task is `nobody`", "answer"),
        strict=True,
    ):  # fmt: skip
        assert why in line


def test_names_that_no_answer_says_are_taken_for_places_and_that_is_said(tmp_path: Path) -> None:
    made = import_worldtravel(
        [written(tmp_path / "tasks.json", {**TASK, "constraints": RUBRIC[:2]})], [], 2026, tmp_path / "out"
    )
    assert "Neues Museum, Borchardt" in made.notes[1]


def test_the_command_counts_and_says_what_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = written(tmp_path / "tasks.json", TASK, {"id": 4})
    words = ("import", "worldtravel", "--tasks", str(tasks), "--out", str(tmp_path / "out"))
    code, out, err = run(monkeypatch, capsys, *words)
    assert code == 2
    assert "if_poi_cost_matches  2 of 2 rows" in out
    assert "tasks.json:2" in err and NOT_KNOWN in err
