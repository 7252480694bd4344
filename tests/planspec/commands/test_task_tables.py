"""Commands on tasks that a suite makes from the records of a table. A task is named by its id or as `SUITE#ID`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from planspec.api.loading import load
from planspec.api.outputs.shown import TaskShownOutput
from planspec.dsl.model.proof_hash import proof_hash
from tests.in_process import attempts_in_process
from tests.planspec.commands.test_command_line import run

LIBRARY = """\
planspec: library/1
id: calls
tables: {Busy: {person: text, from: time, until: time}}
given: {people: set of text, length: duration}
plan: {call: {one: true, start: time}}
scope: {call: {start: 9:00..17:00 step 30min}}
constraints:
  hours: {hard: call.start >= 9:00 and call.start + length <= 17:00}
  free:
    for: b in Busy if b.person in people
    hard: call.start + length <= b.from or call.start >= b.until
"""
SUITE = """\
planspec: suite/1
id: week
tasks:
  - from:
      jsonl: requests.jsonl
      map:
        id: uid
        query: prompt
        given: {people: who, length: {from: minutes, unit: min}}
        tables: {Busy: {each: busy, map: {person: name, from: [span, 0], until: [span, 1]}}}
        reference: gold
    task: calls.base.yaml
"""
BASE = """\
planspec: task/1
uses: [calls]
environment: {settings: {open: {shows: all, tools: none}}}
cases: {late: {answer: {call: {start: 17:00}}, violates: [hours]}}
"""
RECORDS: list[dict[str, Any]] = [
    {
        "uid": "one",
        "prompt": "Half an hour for Ana.",
        "who": ["Ana"],
        "minutes": 30,
        "busy": [{"name": "Ana", "span": ["09:00", "16:30"]}],
        "gold": {"call": {"start": "16:30"}},
    },
    {
        "uid": "no (2)",
        "prompt": "Eight hours for Ben.",
        "who": ["Ben"],
        "minutes": 480,
        "busy": [{"name": "Ben", "span": ["11:00", "12:00"]}],
        "gold": None,
    },
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new working directory with a suite that makes tasks from a table."""
    work = tmp_path / "work"
    work.mkdir()
    write_task_table(work)
    monkeypatch.chdir(work)
    return work


def write_task_table(folder: Path) -> None:
    """Write the suite with the table of tasks, and answers to its tasks."""
    texts = {
        "calls.library.yaml": LIBRARY,
        "week.suite.yaml": SUITE,
        "calls.base.yaml": BASE,
        "requests.jsonl": "".join(f"{json.dumps(each)}\n" for each in RECORDS),
        "right.json": '{"call": {"start": "16:30"}}',
        "answers.jsonl": '{"task": "one", "plan": {"call": {"start": "16:30"}}}\n{"task": "no (2)", "plan": {}}\n',
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


@pytest.mark.parametrize("name", ["one", "week.suite.yaml#one"])
@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("check", "TASK"), "no mistakes found"),
        (("validate", "TASK"), "one: feasible, unique"),
        (("solve", "TASK"), '"16:30"'),
        (("verify", "TASK", "right.json"), "pass  one"),
        (("repair", "--task", "TASK", "right.json"), "one: already-valid"),
        (("test", "TASK"), "one: late"),
        (("difficulty", "TASK"), "one: feasible"),
        (("tasks", "show", "TASK"), "length = 30min"),
        (("tasks", "view", "TASK"), "one in the setting `open`"),
    ],
)
def test_a_task_is_named_by_id_and_by_path(
    monkeypatch: Any, capsys: Any, name: str, words: tuple[str, ...], part: str
) -> None:
    code, out, err = run(monkeypatch, capsys, *(name if word == "TASK" else word for word in words))
    assert code == 0, err
    assert part in out + err


@pytest.mark.parametrize("name", ["no (2)", "week.suite.yaml#no (2)"])
def test_a_task_without_a_plan_has_a_conflict(monkeypatch: Any, capsys: Any, name: str) -> None:
    code, out, err = run(monkeypatch, capsys, "why", name)
    assert (code, "free[0]" in out, "hours" in out) == (0, True, True), err


@pytest.mark.parametrize(
    ("words", "code", "parts"),
    [
        (("check", "week.suite.yaml"), 0, ["no mistakes found"]),
        (("check", "."), 0, ["no mistakes found"]),
        (("validate", "week"), 1, ["one: feasible, unique", "no (2): infeasible"]),
        (("test", "week.suite.yaml"), 0, ["2 cases of 2 tasks"]),
        (("compare", "week.suite.yaml", "week.suite.yaml"), 0, ["2 same"]),
        (("score", "--suite", "week", "answers.jsonl"), 1, ["pass_rate                0.5000", "undelivered  no (2)"]),
        (("tasks", "list", "week.suite.yaml"), 0, ["no (2)  week", "one     week"]),
        (("export", "rows", "week", "--out", "../rows.jsonl"), 0, ["2 rows"]),
    ],
)
def test_commands_take_a_suite_of_a_table(
    monkeypatch: Any, capsys: Any, words: tuple[str, ...], code: int, parts: list[str]
) -> None:
    found, out, err = run(monkeypatch, capsys, *words)
    assert found == code, err
    assert [part for part in parts if part not in out + err] == []


def test_certificates_of_a_table_are_in_a_folder_of_the_suite(monkeypatch: Any, capsys: Any, folder: Path) -> None:
    assert run(monkeypatch, capsys, "validate", "week.suite.yaml", "--certify")[0] == 1
    names = {path.name for path in (folder / "certificates" / "week").iterdir()}
    assert names == {"one.json", "no%20%282%29.json"}
    assert "one: certificate valid" in run(monkeypatch, capsys, "validate", "one", "--check")[1]
    records = "".join(f"{json.dumps(each)}\n" for each in [*RECORDS, {**RECORDS[0], "uid": "new"}])
    (folder / "requests.jsonl").write_text(records)
    assert run(monkeypatch, capsys, "validate", "one", "--check")[0] == 0
    (folder / "calls.library.yaml").write_text(LIBRARY.replace("17:00 step", "16:30 step"))
    assert run(monkeypatch, capsys, "validate", "one", "--check")[0] != 0


def test_a_task_is_printed_as_a_separate_document(monkeypatch: Any, capsys: Any) -> None:
    _, out, _ = run(monkeypatch, capsys, "tasks", "show", "one", "--format", "yaml")
    assert out.startswith("# record 1 of requests.jsonl:1\nplanspec: task/1\nid: one\n")
    task = load("week.suite.yaml#one")
    Path("../calls.library.yaml").write_text(LIBRARY)
    Path("../own.task.yaml").write_text(out)
    own = load("../own.task.yaml")
    assert (proof_hash(own), own.givens, own.query) == (proof_hash(task), task.givens, task.query)


def test_a_task_as_json_has_its_record(monkeypatch: Any, capsys: Any) -> None:
    _, out, _ = run(monkeypatch, capsys, "tasks", "show", "no (2)", "--format", "json")
    origin = TaskShownOutput.model_validate_json(out).origin
    assert origin is not None
    assert origin.model_dump() == {
        "file": "requests.jsonl",
        "line": 2,
        "record": 2,
        "path": "week.suite.yaml#no (2)",
    }


def test_a_task_that_the_table_lacks_is_named_with_the_nearest(monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "solve", "week.suite.yaml#onee")
    assert (code, err) == (2, "error[PS702]: `week.suite.yaml` has no task `onee`; did you mean `one`?\n")


def test_tasks_are_exported_and_run(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    with attempts_in_process():
        code, out, err = run(monkeypatch, capsys, "run", "week", "--agent", "oracle", "--out", str(tmp_path / "run"))
    assert (code, "pass_rate                0.5000" in out) == (0, True), err
    code, out, err = run(monkeypatch, capsys, "report", str(tmp_path / "run"))
    assert (code, "1 of 2 pass" in out + err) == (0, True)


@pytest.mark.thorough
def test_exported_folders_have_encoded_names(monkeypatch: Any, capsys: Any, tmp_path: Path) -> None:
    records = [{**RECORDS[0], "uid": name} for name in ("caf\u00e9 1", "caf\u00e9-1")]
    Path("requests.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records))
    code, _, err = run(monkeypatch, capsys, "export", "harbor", "week.suite.yaml", "--out", str(tmp_path / "harbor"))
    assert code == 0, err
    folders = sorted(each for each in (tmp_path / "harbor").iterdir() if each.is_dir())
    assert [each.name for each in folders] == ["caf%C3%A9%201", "caf%C3%A9-1"]
    names = {tomllib.loads((each / "task.toml").read_text("utf-8"))["task"]["name"] for each in folders}
    assert len(names) == 2


def test_tasks_are_tightened_into_another_folder(monkeypatch: Any, capsys: Any) -> None:
    Path("calls.library.yaml").write_text(
        LIBRARY.replace("tables: {", "tables: {Slot: {at: key time}, ").replace(
            "constraints:\n", "constraints:\n  slot: {hard: any(s.at == call.start for s in Slot)}\n"
        )
    )
    Path("week.suite.yaml").write_text(SUITE.replace("tables: {", "tables: {Slot: {each: slots, value: at}, "))
    Path("calls.base.yaml").write_text(f"{BASE}removable: [Slot]\n")
    record = {**RECORDS[0], "uid": "the one", "busy": [], "slots": ["11:00", "16:30"]}
    Path("requests.jsonl").write_text(f"{json.dumps(record)}\n")
    code, out, err = run(monkeypatch, capsys, "tighten", "week.suite.yaml", "-o", "tight")
    assert (code, "1 row left out, proved smallest" in out) == (0, True), err
    task = load(Path("tight/the%20one.task.yaml"))
    assert (task.id, task.reference, task.expected) == ("the one", record["gold"], "unique")
    assert "uses: [../calls.library.yaml]" in Path("tight/the%20one.task.yaml").read_text("utf-8")


def test_a_mistake_in_the_text_shared_by_all_tasks_is_printed_once(monkeypatch: Any, capsys: Any) -> None:
    Path("calls.base.yaml").write_text(f"{BASE}define: {{x: nothing + 1}}\n")
    _, out, err = run(monkeypatch, capsys, "check", "week.suite.yaml")
    assert (out + err).count("PS201]") == 1
    assert "calls.base.yaml:5:" in out + err
