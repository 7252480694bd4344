"""A path or id of a task, suite, shard (file of many tasks) or folder names the same tasks in every command."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planspec.commands.play import _named_tasks as named_tasks
from tests.in_process import attempts_in_process
from tests.planspec.commands.calls import TASKS, call, commands_with
from tests.planspec.commands.test_command_line import GOOD, run

TASK = """\
planspec: task/1
id: {id}
query: A call within the hour.
types: {{Call: anna | bert}}
plan: {{calls: {{who: key Call, start: time, end: time}}}}
scope: {{calls: [{{for: c in Call, who: c, start: 09:00..09:30 step 30min, end: 09:30..10:00 step 30min}}]}}
tables: {{Line: {{columns: {{at: key time}}, rows: [{{at: 09:00}}, {{at: 09:30}}, {{at: 10:00}}]}}}}
removable: [Line]
constraints:
  length: {{hard: all(c.end - c.start == 30min for c in calls)}}
  order:
    hard: calls[anna].end <= calls[bert].start
  always_{id}: {{soft: 1 == 1}}
reference: {reference}
cases:
  good: {{answer: {reference}, passes: true}}
"""
MODEL = """\
import json
import re

SLOTS = (("09:00", "09:30"), ("09:30", "10:00"))


class Model:
    \"\"\"A model that understands the query of the tasks, and says it in other words.\"\"\"

    def answer(self, view, desk):
        match view.given["kind"]:
            case "paraphrase":
                return "Within the hour, a call."
            case "wishes":
                return "always_a: {first: none, second: none}\\nalways_b: {first: none, second: none}"
            case "judge":
                plans = re.split(r"^Plan \\d+:", view.query, flags=re.MULTILINE)[1:]
                return "\\n".join(f"{number}: {self.opinion(plan)}" for number, plan in enumerate(plans, 1))
            case "words" | "cases":
                return "none"
            case _:
                return (
                    "constraints:\\n  length:\\n    hard: all(c.end - c.start == 30min for c in calls)\\n"
                    "  order:\\n    hard: calls[anna].end <= calls[bert].start\\n"
                )

    def opinion(self, plan):
        rows = {row["who"]: row for row in map(json.loads, re.findall(r"^> calls: (.*)", plan, re.MULTILINE))}
        slots = [(row["start"], row["end"]) for row in rows.values()]
        return "yes" if set(slots) <= set(SLOTS) and rows["anna"]["end"] <= rows["bert"]["start"] else "no"
"""
"""A model for `draft`, as a class in a file."""
MODEL_OPTIONS = ("--model", "python:file=model.py", "--drafts", "1")
ALL, SHARD, ONE, ALONE = "all", "shard", "one", "alone"
TASK_IDS = {ALL: {"a", "b", "c"}, SHARD: {"b", "c"}, ONE: {"b"}, ALONE: {"a"}}
NAMES = [
    (ALL, "all"),
    (ALL, "all.suite.yaml"),
    (ALL, "./all.suite.yaml"),
    (ALL, "{here}/all.suite.yaml"),
    (ALL, "."),
    (ALL, "{here}/"),
    (ALL, "apart"),
    (ALL, "apart/suite.yaml"),
    (ALL, "tasks"),
    (SHARD, "tasks/rest.tasks.yaml"),
    (SHARD, "{here}/tasks/rest.tasks.yaml"),
    (ONE, "b"),
    (ONE, "tasks/rest.tasks.yaml#b"),
    (ONE, "{here}/tasks/rest.tasks.yaml#b"),
    (ALONE, "a"),
    (ALONE, "tasks/a.task.yaml"),
    (ALONE, "{here}/tasks/a.task.yaml"),
]
"""Names of tasks and suites, each with what it names. The tasks are in `tasks`; `apart` has another suite of them."""
RunCommand = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> RunCommand:
    """Return a function that runs a command in a folder with a suite of one file and one shard."""
    monkeypatch.chdir(tmp_path)
    for folder in ("apart", "tasks"):
        (tmp_path / folder).mkdir()
    one, two, three = (TASK.format(id=id_, reference=json.dumps(GOOD)) for id_ in "abc")
    (tmp_path / "tasks" / "a.task.yaml").write_text(one)
    (tmp_path / "tasks" / "rest.tasks.yaml").write_text(f"{two}---\n{three}")
    suite = "planspec: suite/1\nid: all\ntasks: [tasks/a.task.yaml, tasks/rest.tasks.yaml]\n"
    (tmp_path / "all.suite.yaml").write_text(suite)
    (tmp_path / "apart" / "suite.yaml").write_text(suite.replace("tasks/", "../tasks/").replace("all", "apart"))
    (tmp_path / "answers.jsonl").write_text("")
    (tmp_path / "model.py").write_text(MODEL)
    return lambda *words: run(monkeypatch, capsys, *words)


def _ids_in_json(key: str = "task") -> Callable[[str], set[str]]:
    """Return a function that extracts the ids from JSON: from a list of objects, or from a single object."""

    def ids(out: str) -> set[str]:
        entries = json.loads(out)
        return {entry[key] for entry in (entries if isinstance(entries, list) else [entries])}

    return ids


COVERED: dict[str, Callable[[str], set[str]]] = {
    "check": lambda out: set(re.findall(r"always_(\w)`", out)),
    "test": lambda out: {case["task"] for case in json.loads(out)["cases"]},
    "tasks list": _ids_in_json("id"),
    "compare": lambda out: {pair["task"] for pair in json.loads(out)["tasks"]},
    "score": lambda out: {verdict["task"] for verdict in json.loads(out)["plans"]},
    "audit": lambda out: {task["task"] for task in json.loads(out)["tasks"]},
    "run": lambda _: {
        json.loads(line)["task"] for line in Path("made/new/attempts.jsonl").read_text("utf-8").splitlines()
    },
    "export rows": lambda _: {json.loads(line)["task"] for line in Path("made/new").read_text("utf-8").splitlines()},
}
"""Functions that extract the tasks from the output of a command, if it is not a list of objects with the key
`task`.
"""
OTHERS = {"report", "rescore", "tighten"}
"""Commands that take runs, or that take different options for a task and for a suite."""
COMMANDS = sorted({*commands_with("--jobs"), *COVERED} - OTHERS)
"""Commands that accept many tasks."""


@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_covers_the_same_tasks_by_each_name(command: str, run_command: RunCommand, tmp_path: Path) -> None:
    """The name is a path, a folder or an id."""
    words = (*call(command, ANSWERS="answers.jsonl", NEW="made/new"), "--format", "json")
    covered = COVERED.get(command, _ids_in_json())
    for expected, name in NAMES:
        shutil.rmtree("made", ignore_errors=True)
        Path("made").mkdir()
        named = name.format(here=tmp_path)
        with attempts_in_process():
            code, out, err = run_command(*(named if word == TASKS else word for word in words))
        assert code in (0, 1), (name, err)
        assert covered(out) == TASK_IDS[expected], name


@pytest.mark.usefixtures("run_command")
def test_play_shows_the_same_tasks_by_each_name(tmp_path: Path) -> None:
    """Each task is shown once."""
    for expected, name in NAMES:
        names = named_tasks(name.format(here=tmp_path))
        assert len(names) == len(TASK_IDS[expected]), name


@pytest.mark.thorough
@pytest.mark.slow
def test_commands_on_one_task_refuse_each_name_of_a_suite(run_command: RunCommand, tmp_path: Path) -> None:
    """Commands for a single task report an error if the name means a suite."""
    for expected, name in NAMES:
        named = name.format(here=tmp_path)
        for words in (
            ("solve", named),
            ("tasks", "show", named),
            ("tasks", "view", named),
            ("dimacs", named, "-o", "x"),
            ("draft", "--check", named, *MODEL_OPTIONS),
            ("draft", "--paraphrase", named, *MODEL_OPTIONS),
            ("draft", "A call in the hour.", "--like", named, *MODEL_OPTIONS),
        ):
            code, _, err = run_command(*words)
            assert code == (0 if expected in (ONE, ALONE) else 2), (name, words, err)


def test_a_folder_named_like_a_suite_is_noted(run_command: RunCommand) -> None:
    """The folder takes precedence. A note says so, unless it is the suite's own folder."""
    Path("all").mkdir()
    Path("all", "own.task.yaml").write_text(Path("tasks", "a.task.yaml").read_text().replace("id: a", "id: own"))
    code, out, err = run_command("test", "all")
    assert (code, "own" in out) == (0, True)
    assert "note: `all` is the folder here, not the suite of that id in all.suite.yaml\n" in err
    Path("all.suite.yaml").rename("all/all.suite.yaml")
    assert "note: " not in run_command("test", "all")[2]


@pytest.mark.slow
def test_tighten_writes_a_file_for_each_task_of_a_shard(run_command: RunCommand) -> None:
    """Each new file has the task's id as its name, which may contain dots."""
    shard = Path("tasks", "rest.tasks.yaml")
    shard.write_text(shard.read_text().replace("id: b\n", "id: b.2\n").replace("id: c\n", "id: b.3\n"))
    code, out, err = run_command("tighten", "all", "-o", "new")
    assert code == 0, err
    assert "b.3: already-unique" in out
    files = {"a.reference.json", "a.task.yaml"}
    files |= {f"b.{n}.{ending}" for n in (2, 3) for ending in ("reference.json", "task.yaml")}
    assert {path.name for path in Path("new").iterdir()} == files
    assert run_command("validate", "new")[0] == 0
