"""`--jobs` and `--ray`: the output does not depend on the number of processes, even if one is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from planspec.commands.jobs import add_ray_address
from planspec.scores import answers
from planspec.solvers.questions import claims
from tests.planspec.commands.calls import call, commands_with
from tests.planspec.commands.test_command_line import GOOD, TINY, folder, run
from tests.planspec.commands.test_why import LINES

__all__ = ["folder"]

pytestmark = pytest.mark.slow


@pytest.fixture
def mixed_suite(folder: Path) -> Path:
    """Write a feasible task, an infeasible one, and one with a mistake to a folder, and return the folder."""
    (folder / "tight.task.yaml").write_text(TINY.replace("id: tiny", "id: tight").replace("    soft:", "    hard:"))
    (folder / "wrong.task.yaml").write_text(TINY.replace("id: tiny", "id: wrong").replace("anna]", "ann]"))
    return folder


def remove_seconds(text: str) -> str:
    """Remove measured times and the mention of the second back end, which is used only on fast machines."""
    text = re.sub(r"(?<=cpsat) and (smt|sat|brute)\b|(?<=\"by\": )\[[^\]]*\]", "", text)
    return re.sub(r"\d+\.\d+(?= s\b)|(?<=\"seconds\": )[\d.]+", "-", text)


OTHERS = {"audit", "report", "rescore", "run", "score", "test"}
"""Commands that read more than the tasks in a folder. Other tests compare their outputs for several processes."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "words",
    [
        *(
            (*call(command, TASKS="."), *options)
            for command in commands_with("--jobs")
            if command not in OTHERS
            for options in ((), ("--format", "json"))
        ),
        ("check", ".", "--deep", "--format", "json"),
    ],
    ids=" ".join,
)
def test_output_does_not_depend_on_the_number_of_processes(
    words: tuple[str, ...], mixed_suite: Path, monkeypatch: Any, capsys: Any
) -> None:
    one, two = ([_remove_times(part) for part in run(monkeypatch, capsys, *words, "--jobs", jobs)] for jobs in "12")
    assert one == two
    assert "wrong.task.yaml" in str(one)


def _remove_times(part: object) -> object:
    return remove_seconds(part) if isinstance(part, str) else part


def test_certified_tasks_are_not_proved_again(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    (folder / "certain.task.yaml").write_text(
        TINY.replace("id: tiny", "id: certain").replace("    soft:", "    hard:").replace("09:45", "10:00")
    )
    code, first, _ = run(monkeypatch, capsys, "validate", "certain", "--certify", "--format", "json")
    assert code == 0
    with monkeypatch.context() as patch:
        patch.setattr(claims, "validate", _fail_if_called)
        code, again, _ = run(monkeypatch, capsys, "validate", "certain", "--certify", "--resume", "--format", "json")
        assert code == 0
        _, text, _ = run(monkeypatch, capsys, "validate", "certain", "--certify", "--resume")
        assert run(monkeypatch, capsys, "validate", "certain", "--certify")[0] == 70
    assert "; as certified before" in text
    (before,), (after,) = json.loads(first), json.loads(again)
    assert after == {**before, "by_certificate": True}
    for table in (folder / "certificates").iterdir():
        table.write_text(table.read_text().replace('"unique"', '"multiple"'))
    code, mended, _ = run(monkeypatch, capsys, "validate", "certain", "--certify", "--resume", "--format", "json")
    assert (code, json.loads(mended)[0]["by_certificate"]) == (0, False)


def _fail_if_called(*_: Any, **__: Any) -> None:
    raise AssertionError("it was proved again")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("validate", "tiny", "--jobs", "2", "--ray"), "choose one of them"),
        (("validate", "tiny", "--resume"), "--resume requires --certify"),
    ],
)
def test_contradictory_options_are_reported(
    words: tuple[str, ...], message: str, folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    code, out, err = run(monkeypatch, capsys, *words)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("a --ray", "a --ray=auto"),
        ("--ray a.jsonl --suite s", "--ray=auto a.jsonl --suite s"),
        ("--ray head:6379 a.jsonl", "--ray head:6379 a.jsonl"),
        ("--ray=head:6379 a", "--ray=head:6379 a"),
        ("a -- --ray", "a -- --ray"),
    ],
)
def test_the_address_after_ray_may_be_left_out(words: str, completed: str) -> None:
    assert " ".join(add_ray_address(words.split())) == completed


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="processes that start afresh are not patched")
def test_an_answer_that_kills_its_process_is_not_judged_and_the_others_are(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    (folder / "other.task.yaml").write_text(TINY.replace("id: tiny", "id: other"))
    lines = [json.dumps({"task": task, "plan": GOOD}) for task in ("tiny", "other")]
    (folder / "plans.jsonl").write_text("\n".join(lines))
    judge = answers._judge_work

    def kill_process(work: Any, workspace: Any) -> Any:
        if work.task == "tiny" and work.line is not None:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(work, workspace)

    monkeypatch.setattr(answers, "_judge_work", kill_process)
    words = ("score", "plans.jsonl", "--suite", ".", "--jobs", "2", "--format", "json")
    code, out, _ = run(monkeypatch, capsys, *words)
    lost, passed = json.loads(out)["plans"]
    assert (lost["task"], lost["status"], passed["task"], passed["status"]) == (
        "tiny",
        "fail",
        "other",
        "pass",
    )
    assert lost["findings"][0]["kind"] == "not-judged"
    assert "ended by SIGKILL" in lost["findings"][0]["message"]
    assert code == 3


def test_a_suite_is_tightened_task_by_task(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    suite = folder / "suite"
    suite.mkdir()
    for name in ("loose", "looser"):
        text = LINES.replace("id: loose", f"id: {name}\nreference: {name}.json")
        (suite / f"{name}.task.yaml").write_text(text)
        (suite / f"{name}.json").write_text(json.dumps(GOOD))
    (suite / "without.task.yaml").write_text(TINY.replace("id: tiny", "id: without"))
    outputs = []
    for jobs in "12":
        out = folder / f"made-{jobs}"
        words = ("tighten", "suite", "-o", str(out), "--jobs", jobs)
        code, _, err = run(monkeypatch, capsys, *words)
        assert (code, "without.task.yaml: there is no reference to keep" in err) == (2, True)
        assert run(monkeypatch, capsys, "validate", str(out))[0] == 0
        outputs.append({path.name: path.read_text() for path in sorted(out.iterdir())})
    assert outputs[0] == outputs[1]
    assert list(outputs[0]) == [
        "loose.reference.json",
        "loose.task.yaml",
        "looser.reference.json",
        "looser.task.yaml",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tighten", ".", "-o", "new", "--keep", "good.json"), "keep their own references"),
        (("tighten", ".", "-o", "new.yaml"), "written to a folder"),
        (("tighten", ".", "-o", "."), "overwrite the old ones"),
        (("tighten", "tiny", "-o", "new.yaml"), "with --keep PLAN"),
    ],
)
def test_missing_or_wrong_options_of_tighten_are_reported(
    words: tuple[str, ...], message: str, folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    code, _, err = run(monkeypatch, capsys, *words)
    assert (code, message in err) == (2, True)
    assert not (folder / "new").exists()
