"""Every command accepts a shard (a file of many tasks), or a task in a shard, instead of a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.workspace.shards import shard_bytes
from tests.planspec.commands.test_check import UNTIDY, StandardInput
from tests.planspec.commands.test_command_line import GOOD, TINY, run

SHARD = "part.tasks.yaml.gz"
IDS = ("one", "two", "three")


def shard_text(template: str, *ids: str) -> str:
    """Return the text of a shard with a copy of the template for each id."""
    return "---\n".join(template.replace("id: tiny", f"id: {id_}") for id_ in ids)


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a suite with two tasks in a shard and one in a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / SHARD).write_bytes(shard_bytes(Path(SHARD), shard_text(TINY, "one", "two")))
    (tmp_path / "rest.tasks.yaml").write_text(shard_text(TINY, "three"))
    (tmp_path / "all.suite.yaml").write_text(
        "planspec: suite/1\nid: all\ntasks: [part.tasks.yaml.gz, rest.tasks.yaml]\n"
    )
    return tmp_path


def test_check_checks_each_task(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """The tasks come from a folder, a shard, one task of a shard, or standard input."""
    assert run(monkeypatch, capsys, "check")[0] == 0
    wrong = shard_text(TINY, "one", "two").replace("calls[anna].end <=", "calls[ana].end <=")
    (shards / SHARD).write_bytes(shard_bytes(Path(SHARD), wrong))
    for path, errors in ((".", 2), (SHARD, 2), (f"{SHARD}#two", 1), ("two", 1), ("rest.tasks.yaml", 0)):
        code, out, _ = run(monkeypatch, capsys, "check", path, "--format", "json")
        places = [(x["file"], x["line"]) for x in json.loads(out)]
        assert (code, places) == (
            2 if errors else 0,
            [(SHARD, 10), (SHARD, 25)][2 - errors :] if errors else [],
        )
    monkeypatch.setattr("sys.stdin", StandardInput(wrong))
    code, out, _ = run(monkeypatch, capsys, "check", "-", "--stdin-filename", "new.tasks.yaml")
    assert (code, out.count("error[PS201]")) == (2, 2)


def test_fmt_formats_each_task(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """The text between tasks is unchanged, and a compressed shard stays compressed."""
    untidy = "# the calls\n--- # first\n" + shard_text(UNTIDY, "one", "two")
    (shards / SHARD).write_bytes(shard_bytes(Path(SHARD), untidy))
    assert run(monkeypatch, capsys, "fmt", "--check", ".")[0] == 1
    assert run(monkeypatch, capsys, "fmt", SHARD)[0] == 0
    tidy = "# the calls\n--- # first\n" + shard_text(TINY, "one", "two")
    assert gzip.decompress((shards / SHARD).read_bytes()).decode() == tidy
    assert run(monkeypatch, capsys, "fmt", "--check", ".")[0] == 0
    monkeypatch.setattr("sys.stdin", StandardInput(untidy))
    assert run(monkeypatch, capsys, "fmt", "-", "--stdin-filename", "x.tasks.yaml")[:2] == (0, tidy)


def test_fmt_reports_the_line_of_an_unreadable_task(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """Neither this shard nor a truncated one is changed."""
    text = shard_text(UNTIDY, "one") + "---\nplanspec: task/1\nid: [\n"
    (shards / "rest.tasks.yaml").write_text(text)
    (shards / SHARD).write_bytes((shards / SHARD).read_bytes()[:-9])
    code, _, err = run(monkeypatch, capsys, "fmt", ".")
    assert (code, "2 with mistakes" in err, "rest.tasks.yaml:18" in err) == (2, True, True)
    assert (shards / "rest.tasks.yaml").read_text() == text


def test_an_answer_is_judged_by_a_task_of_a_shard(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """The answer names its task by path or by id."""
    (shards / "good.json").write_text(json.dumps(GOOD))
    for task in (f"{SHARD}#two", "two", f"./{SHARD}#two", str(shards / SHARD) + "#two"):
        code, out, _ = run(monkeypatch, capsys, "verify", "good.json", "--task", task)
        assert (code, "pass  two: hard 2/2" in out) == (0, True)
    code, _, err = run(monkeypatch, capsys, "verify", "good.json", "--task", f"{SHARD}#tow")
    assert (code, "has no task `tow`; did you mean `two`?" in err) == (2, True)
    code, _, err = run(monkeypatch, capsys, "verify", "good.json", "--task", SHARD)
    assert (code, "name one of its tasks, as in `part.tasks.yaml.gz#one`" in err) == (2, True)


@pytest.mark.parametrize(("suite", "count"), [("all.suite.yaml", 3), ("all", 3), (SHARD, 2)])
def test_a_suite_of_shards_is_scored(suite: str, count: int, shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """A single shard is also accepted as a suite."""
    lines = [json.dumps({"task": id_, "plan": GOOD}) + "\n" for id_ in reversed(IDS[:count])]
    (shards / "answers.jsonl").write_text("".join(lines))
    code, out, _ = run(monkeypatch, capsys, "score", "answers.jsonl", "--suite", suite, "--format", "json")
    assert code == 0
    assert json.loads(out)["metrics"]["n"] == count


@pytest.mark.slow
def test_the_tasks_of_shards_are_listed_and_proved(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """Each task has its own certificate."""
    code, out, _ = run(monkeypatch, capsys, "tasks", "list", "all.suite.yaml", "--format", "json")
    assert (code, [entry["id"] for entry in json.loads(out)]) == (0, sorted(IDS))
    assert run(monkeypatch, capsys, "validate", "--certify", SHARD)[0] == 0
    assert sorted(path.name for path in (shards / "certificates").iterdir()) == ["one.json", "two.json"]
    assert run(monkeypatch, capsys, "validate", "--check", "two")[0] == 0


@pytest.mark.slow
def test_an_agent_runs_on_shards(shards: Path, monkeypatch: Any, capsys: Any) -> None:
    """The attempts run in separate processes, and every one passes."""
    words = (
        "run",
        "all.suite.yaml",
        "--agent",
        "greedy:strategy=in-order",
        "--out",
        "r",
        "--fail-under",
        "1",
    )
    assert run(monkeypatch, capsys, *words)[0] == 0
    assert len((shards / "r" / "attempts.jsonl").read_text().splitlines()) == len(IDS)
