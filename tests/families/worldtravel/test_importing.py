"""`planspec import worldtravel`: tasks, answers and invalid records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.families.worldtravel.importing import ANSWERS, NOT_KNOWN, import_worldtravel
from tests.planspec.commands.test_command_line import run

RUBRIC: list[dict[str, Any]] = [
    {"function": "if_poi_enough_time()", "poi": "Neues Museum", "date_range": "7.1-7.1", "time_constraint": 90},
    {
        "function": "if_poi_in_time",
        "params": {"poi": "Borchardt", "date_range": ["2026-07-01", "2026-07-01"], "target_time_range": "18:00-20:00"},
    },
    {"function": "if_poi_start_time_delayed", "poi": "Neues Museum", "delay_minutes": 15},
    {"function": "if_poi_cost_matches", "poi": "Neues Museum", "item_type": "attraction", "expected_cost": 28.5},
    {"function": "if_poi_cost_matches", "poi": "Circus Hotel", "item_type": "hotel", "expected_cost": 93},
    {"function": "if_poi_present", "poi": "Circus Hotel", "date_range": "7.1"},
]
TASK: dict[str, Any] = {
    "id": "berlin_03",
    "city": "Berlin",
    "query": "One day in Berlin.",
    "constraints": RUBRIC,
}


def item(kind: str, time: str, name: str, cost: float = 0, origin: str | None = None) -> dict[str, Any]:
    """Return an item of an itinerary."""
    return {
        "item": kind,
        "time": time,
        "departure": origin or name,
        "destination": name,
        "cost": cost,
        "transportation": "foot" if origin else "none",
        "referenceImage": "x.png",
    }


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
    """Return an itinerary of one day with changed items. The keyword `i2={"time": ...}` changes the item with the
    index 2.
    """
    items = [{**entry, **changes.get(f"i{place}", {})} for place, entry in enumerate(DAY)]
    return {"itinerary": [{"date": "7.1", "schedule": items}]}


def write_json(path: Path, *records: Any, lines: bool = False) -> Path:
    """Write records to a JSON file or, if `lines` is true, to a file of JSON lines."""
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """Return the folder of an imported suite."""
    tasks = write_json(tmp_path / "tasks.json", TASK)
    answers = write_json(tmp_path / "answers.jsonl", {"id": "berlin_03", "answer": itinerary()}, lines=True)
    out = tmp_path / "authors"
    result = import_worldtravel([tasks], [answers], 2026, out)
    assert (result.tasks, result.left_out) == (("berlin_03",), ())
    assert {count.table: count.stored for count in result.tables} == {
        "if_poi_enough_time": 1,
        "if_poi_in_time": 1,
        "if_poi_start_time_delayed": 1,
        "if_poi_cost_matches": 2,
        "if_poi_present": 1,
    }
    assert result.notes[0] == NOT_KNOWN
    return out


def verdict(folder: Path, answer: Any) -> planspec.Verdict:
    return planspec.verify(planspec.load(folder / "tasks" / "berlin_03.yaml"), json.dumps(answer))


def test_an_imported_suite_has_no_mistakes_and_its_answers_are_scored(imported: Path) -> None:
    assert planspec.check([imported]) == ()
    scores = planspec.score(str(imported), (imported / ANSWERS).read_text("utf-8").splitlines())
    assert [result.status for result in scores.verdicts] == ["pass"]
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
)
def test_each_function_judges_its_own_part_of_an_itinerary(
    imported: Path, changes: dict[str, Any], violated: set[str]
) -> None:
    result = verdict(imported, itinerary(**changes))
    assert {f.constraint for f in result.findings if f.status == "violated"} == violated


def test_rubrics_on_places_that_are_not_visited_are_violated(imported: Path) -> None:
    nothing = {"itinerary": [{"date": "7.1", "schedule": [DAY[0], DAY[-1]]}]}
    result = verdict(imported, nothing)
    assert (result.hard.satisfied, result.soft.satisfied) == (0, 2)


def test_invalid_records_are_skipped_with_reasons(tmp_path: Path) -> None:
    tasks = write_json(
        tmp_path / "tasks.json",
        TASK,
        TASK,
        {**TASK, "id": "b", "constraints": []},
        {**TASK, "id": "c", "constraints": [{"function": "if_poi_fun", "poi": "x"}]},
        {**TASK, "id": "d", "constraints": [{"function": "if_poi_enough_time", "poi": "x"}]},
        {**TASK, "id": "e", "constraints": [{"function": "if_poi_present", "poi": "x", "date_range": "July"}]},
        {
            **TASK,
            "id": "f",
            "constraints": [
                {
                    "function": "if_poi_in_time",
                    "poi": "Borchardt",
                    "date_range": "7.1-7.1",
                    "target_time_range": "noon-two",
                }
            ],
        },
        {**TASK, "id": "g h"},
        {**TASK, "id": "i", "dates": ["2026-01-01", "2026-12-31"]},
    )
    answers = write_json(tmp_path / "answers.json", {"id": "nobody", "answer": {}}, {"id": "berlin_03"})
    result = import_worldtravel([tasks], [answers], 2026, tmp_path / "out")
    actual = [str(line) for line in result.left_out]
    assert [line.split(": ")[0] for line in actual] == [
        *(f"tasks.json:{n}" for n in range(2, 10)),
        "answers.json:1",
        "answers.json:2",
    ]
    for line, why in zip(
        actual,
        (
            "already",
            "constraints: it must not be empty",
            "if_poi_in_time",
            "no `time_constraint`",
            "`July` is not a day",
            "constraints[1]: `noon` is not a time",
            "id `g h`",
            "31 days",
            "no task is `nobody`",
            "answer: it is missing",
        ),
        strict=True,
    ):
        assert why in line


def test_names_of_unknown_kind_in_a_rubric_count_as_places_and_are_reported(tmp_path: Path) -> None:
    result = import_worldtravel(
        [write_json(tmp_path / "tasks.json", {**TASK, "constraints": RUBRIC[:2]})], [], 2026, tmp_path / "out"
    )
    assert "Neues Museum, Borchardt" in result.notes[1]


@pytest.mark.slow
def test_the_command_prints_counts_and_missing_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = write_json(tmp_path / "tasks.json", TASK, {"id": 4})
    words = ("import", "worldtravel", "--tasks", str(tasks), "--out", str(tmp_path / "out"))
    code, out, err = run(monkeypatch, capsys, *words)
    assert code == 2
    assert "if_poi_cost_matches  2 of 2 rows" in out
    assert "tasks.json:2" in err and NOT_KNOWN in err


def import_notes(tmp_path: Path, *tasks: Any, answers: tuple[Any, ...] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Import tasks and answers. Return the notes, and the messages about skipped lines."""
    given = [write_json(tmp_path / "answers.json", *answers)] if answers else []
    result = import_worldtravel([write_json(tmp_path / "tasks.json", *tasks)], given, 2026, tmp_path / "out")
    return result.notes, tuple(map(str, result.left_out))


def test_every_unused_key_is_reported_with_its_positions(tmp_path: Path) -> None:
    spoken = {"name": "if_poi_present", "args": {"poi": "Circus Hotel", "colour": "red", "delay_minutes": 5}}
    rubric = {"hard": RUBRIC[:4], "soft": [*RUBRIC[4:], spoken], "wishes": [1]}
    bought = {**RUBRIC[3], "date": "7.1", "date_range": "7.1"}
    tasks = [
        {**TASK, "id": "a", "weather": "sun", "constraints": rubric},
        {
            **TASK,
            "id": "b",
            "task_id": "c",
            "weather": 1,
            "constraints": [bought, {**RUBRIC[5], "params": 7}],
        },
    ]
    notes, left_out = import_notes(
        tmp_path, *tasks, answers=({"id": "a", "answer": itinerary(), "plan": {}, "model": "m"},)
    )
    assert left_out == ()
    assert set(notes[2:]) == {
        "`weather` of a task is not judged: tasks.json:1 `a`, tasks.json:2 `b`",
        "`constraints.wishes` of a task is not judged: tasks.json:1 `a`",
        "`task_id` of a task is not judged: tasks.json:2 `b`",
        "`colour` of if_poi_present is not judged: tasks.json:1 `a` constraints[7]",
        "`delay_minutes` of if_poi_present is not judged: tasks.json:1 `a` constraints[7]",
        "`params` of if_poi_present is not judged: tasks.json:2 `b` constraints[2]",
        "`date` of if_poi_cost_matches is not judged: tasks.json:2 `b` constraints[1]",
        "`date_range` of if_poi_cost_matches is not judged: tasks.json:2 `b` constraints[1]",
        "`plan` of an answer is not judged: answers.json:1 `a`",
        "`model` of an answer is not judged: answers.json:1 `a`",
    }


def test_an_unused_key_of_many_tasks_is_reported_once(tmp_path: Path) -> None:
    notes, _ = import_notes(tmp_path, *({**TASK, "id": f"t{n}", "area": n} for n in range(13)))
    (note,) = (note for note in notes if "area" in note)
    assert note.endswith("tasks.json:10 `t9` and 3 more")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"query": None}, "query: it must be text, and is null"),
        ({"query": ...}, "query: it is missing"),
        ({"id": ""}, "id: it must not be empty"),
        ({"constraints": 5}, "constraints: it must be a list, and is 5"),
        ({"constraints": {"hard": 5}}, "constraints: `hard` and `soft` must be lists"),
        ({"constraints": {"hard": {"poi": "x"}}}, "constraints: `hard` and `soft` must be lists"),
        ({"constraints": [RUBRIC[0], "x"]}, 'constraints[2]: it must be an object, and is "x"'),
        ({"constraints": [{**RUBRIC[0], "poi": ""}]}, "constraints[1].poi: it must not be empty"),
        (
            {"constraints": [{**RUBRIC[0], "params": {"poi": "x"}}]},
            "constraints[1]: `poi` has different values beside `params` and in it",
        ),
        (
            {"constraints": [{**RUBRIC[0], "date_range": 7.1}]},
            "constraints[1].date_range: it must be a text with one end or two",
        ),
        ({"constraints": [{**RUBRIC[0], "date_range": ["7.1", "7.2", "7.3"]}]}, "or a list of two texts"),
        (
            {"constraints": [{**RUBRIC[0], "time_constraint": "long"}]},
            'time_constraint: it must be a whole number, and is "long"',
        ),
        ({"constraints": [{**RUBRIC[0], "time_constraint": 10**30}]}, "time_constraint: it must be at most 44640"),
        (
            {"constraints": [{**RUBRIC[4], "expected_cost": 9.125}]},
            "expected_cost: it must have at most 2 digits behind the point, and is 9.125",
        ),
        ({"constraints": [{**RUBRIC[4], "expected_cost": float("nan")}]}, "expected_cost: it must be a number"),
        (
            {"constraints": [{**RUBRIC[4], "item_type": "inn"}]},
            "item_type: it must be 'attraction', 'restaurant' or 'hotel', and is \"inn\"",
        ),
        ({"query": "half \ud83d of it"}, "query: it has half of a character"),
    ],
)
def test_a_mistake_is_reported_with_its_position_and_the_expected_value(
    tmp_path: Path, fields: dict[str, Any], reason: str
) -> None:
    task = {key: value for key, value in {**TASK, **fields}.items() if value is not ...}
    _, (left,) = import_notes(tmp_path, task)
    assert left.startswith("tasks.json:1: ") and reason in left


def test_an_answer_that_cannot_be_encoded_is_skipped(tmp_path: Path) -> None:
    _, left_out = import_notes(tmp_path, TASK, answers=({"id": "berlin_03", "answer": {"x": "\ud83d"}},))
    assert left_out == ("answers.json:1: answer: it has half of a character",)


def itinerary_without_hotel() -> dict[str, Any]:
    """Return the itinerary without its hotel items."""
    return {"itinerary": [{"date": "7.1", "schedule": [entry for entry in DAY if entry["item"] != "hotel"]}]}


def test_an_itinerary_without_a_hotel_violates_only_hotel_rules(imported: Path) -> None:
    result = verdict(imported, itinerary_without_hotel())
    assert {f.constraint for f in result.findings if f.status == "violated"} == {
        "cost-matches[5]",
        "present[6]",
    }
    assert (result.status, result.hard.satisfied, result.soft.satisfied) == ("pass", 3, 1)


def test_a_suite_without_a_hotel_has_no_mistakes_and_is_scored(tmp_path: Path) -> None:
    rides = itinerary_without_hotel()["itinerary"][0]["schedule"]
    rides[0] |= {"departure": "Borchardt"}
    answer = {"itinerary": [{"date": "7.1", "schedule": rides[:-1]}]}
    task = {**TASK, "dates": "2026-07-01 to 2026-07-01", "constraints": RUBRIC[:4]}
    _, left_out = import_notes(tmp_path, task, answers=({"id": "berlin_03", "answer": answer},))
    folder = tmp_path / "out"
    assert (left_out, planspec.check([folder])) == ((), ())
    scores = planspec.score(str(folder), (folder / ANSWERS).read_text("utf-8").splitlines())
    assert [result.status for result in scores.verdicts] == ["pass"]


def test_score_prints_the_same_results_as_text_and_json_for_a_wrong_shape(
    imported: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = itinerary(i4={"destination": "Nowhere", "departure": "Nowhere"})
    plans = write_json(imported / "wrong.jsonl", {"task": "berlin_03", "plan": answer}, lines=True)
    words = ("score", str(plans), "--suite", str(imported))
    _, text, _ = run(monkeypatch, capsys, *words)
    _, out, _ = run(monkeypatch, capsys, *words, "--format", "json")
    (plan,) = json.loads(out)["plans"]
    broken = [f for f in plan["findings"] if f["status"] == "violated"]
    hard = [f["constraint"] for f in broken if f["level"] == "hard"]
    shape = [f["message"] for f in broken if f["level"] == "shape"]
    assert text.splitlines()[-1] == (
        f"  fail  berlin_03: {', '.join(hard)}, {len(shape)} of the answer's shape ({shape[0]})"
    )


def test_the_brief_explains_the_answer_and_lists_the_names(imported: Path) -> None:
    episode = planspec.environment(str(imported / "tasks" / "berlin_03.yaml"))
    brief, request = (message["content"] for message in episode.messages)
    assert episode.tools == []
    assert "# The answer" in brief and "`schedule`" in brief
    for value in ("One day in Berlin.", "Borchardt", "Neues Museum", "Circus Hotel"):
        assert value in request
    outcome = episode.submit(itinerary())
    assert (outcome["pass"], outcome["soft"]) == (1, 1.0)
