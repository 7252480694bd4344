"""`draft` on the command line: outputs, files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.drafting.output import DraftCheckOutput, DraftOutput, ParaphrasesOutput
from tests.planspec.commands.test_command_line import run

OTHER = "First Anna is called and then Bert, both between 09:00 and 09:30."
MODEL = """\
from pathlib import Path


class Model:
    def answer(self, view, desk):
        kind = view.given["kind"]
        plan = {"calls": [{"who": "anna", "start": "09:00"}, {"who": "bert", "start": "09:30"}]}
        if kind == "judge":
            return "\\n".join(f"{n}: {{allowed: %s, sentence: none}}" for n in range(1, 20))
        if kind == "cases":
            return {"good": {"right": "yes", "sentence": "one after the other", "plan": plan}}
        if kind == "words":
            return {"order": "Anna's call begins before Bert's."}
        if kind == "question":
            return "both"
        if kind == "paraphrase":
            return "First Anna is called and then Bert, both between 09:00 and 09:30."
        text = Path("right.yaml").read_text()
        allowed = view.query.partition("Sections that you may write")[2].split(".")[0]
        start = next((name for name in ("types", "scope") if name in allowed), "constraints")
        return text[text.index(start):]
"""
RIGHT = """\
types: {Call: anna | bert}
plan: {calls: {who: key Call, start: time}}
scope: {calls: [{for: c in Call, who: c, start: 09:00..09:30 step 30min}]}
constraints:
  order:
    hard: calls[anna].start < calls[bert].start
"""
TEXT = "Two calls between 09:00 and 09:30, one after the other, Anna first."


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a new working directory with a model, as a class in a file, and a right document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MODEL % "no")
    (tmp_path / "right.yaml").write_text(RIGHT)


@pytest.mark.slow
def test_a_draft_is_written_with_its_log_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("draft", TEXT, "-o", "calls.task.yaml", "--drafts", "1")
    code, out, _ = run(monkeypatch, capsys, *words, "--model", "python:file=mine.py", "--format", "json")
    result = DraftOutput.model_validate_json(out)
    written = (tmp_path / "calls.task.yaml").read_text()
    assert result.text == written
    assert "meta: {draft: true}" in written
    assert code == result.exit_code
    again, text, _ = run(monkeypatch, capsys, *words, "--resume", "calls.replies.jsonl")
    assert again == code
    assert "0 calls" in text
    assert (tmp_path / "calls.task.yaml").read_text() == written


@pytest.mark.slow
def test_exit_codes_say_whether_the_words_agree_with_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"planspec: task/1\nid: calls\nquery: {json.dumps(TEXT)}\n"
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT)
    check = ("draft", "--check", "calls.task.yaml", "--model", "python:file=mine.py")
    assert run(monkeypatch, capsys, *check)[0] == 0
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT.replace("<", ">"))
    code, out, _ = run(monkeypatch, capsys, *check, "--format", "json")
    result = DraftCheckOutput.model_validate_json(out)
    assert (code, result.status) == (1, "disagreed")
    assert result.disagreements[0].rules == "too-loose"
    code, out, _ = run(monkeypatch, capsys, "draft", "--check", "calls.task.yaml", "--model", "empty", "--budget", "2")
    assert code == 3
    assert "budget" in out


@pytest.mark.slow
def test_paraphrases_are_written_with_a_log_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = f"planspec: task/1\nid: calls\nquery: {json.dumps(TEXT)}\n"
    (tmp_path / "calls.task.yaml").write_text(head + RIGHT)
    model = ("--model", "python:file=mine.py")
    words = ("draft", "--paraphrase", "calls.task.yaml", *model, "-o", "again.tasks.yaml")
    code, out, _ = run(monkeypatch, capsys, *words, "--format", "json")
    result = ParaphrasesOutput.model_validate_json(out)
    assert (code, result.status, result.paraphrases[0].query) == (0, "accepted", OTHER)
    assert planspec.load("again.tasks.yaml#calls-p1").query == OTHER
    code, text, _ = run(monkeypatch, capsys, *words[:3], "-o", "more.tasks.yaml", "--resume", "again.replies.jsonl")
    assert (code, "1 of 1 accepted; 0 calls" in text) == (0, True)
    (tmp_path / "right.yaml").write_text(RIGHT.replace("<", ">"))
    code, text, _ = run(monkeypatch, capsys, "draft", "--paraphrase", "calls.task.yaml", *model)
    assert code == 3
    assert "0 of 1 accepted" in text
    assert "draft --check" in text, "its opinion of the query differs from the rules, too"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((TEXT,), "name the agent"),
        (("--model", "empty"), "either a request or --check"),
        (("--paraphrase", "mine.py", "--check", "mine.py", "--model", "empty"), "either a request or --check"),
        (
            ("--paraphrase", "mine.py", "--model", "empty", "--ask"),
            "--ask is for a new draft, and not for --paraphrase",
        ),
        (("--paraphrase", "mine.py", "--model", "empty", "--count", "2", "-o", "x.yaml"), "gets several tasks"),
        ((TEXT, "--check", "x", "--model", "empty"), "either a request or --check"),
        (("missing.txt", "--model", "empty"), "there is no file"),
        ((TEXT, "--model", "emty"), "no agent is called `emty`"),
        ((TEXT, "--model", "empty", "--budget", "much"), "is not a budget"),
        ((TEXT, "--model", "empty", "--budget", "1.50USD"), "needs --prices"),
        ((TEXT, "--resume", "missing.jsonl"), "there is no file"),
        ((TEXT, "--model", "empty", "-o", "no/such/x.yaml"), "there is no folder"),
        (("--check", "mine.py", "--model", "empty", "--out", "x.yaml"), "--out is for a new draft"),
        ((" \n ", "--model", "empty"), "there is no file"),
    ],
)
def test_wrong_arguments_exit_with_2(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, "draft", *words)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_the_primer_is_a_page_of_about_fifty_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(monkeypatch, capsys, "docs", "primer")
    assert code == 0
    assert 40 <= len(out.splitlines()) <= 55


@pytest.mark.parametrize("model", ["oracle", "random"])
def test_an_agent_that_solves_tasks_is_refused_as_a_model(
    model: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    request = tmp_path / "request.txt"
    request.write_text("Two talks before noon.")
    code, _, error = run(monkeypatch, capsys, "draft", str(request), "--model", model)
    assert code == 2
    assert f"`{model}` solves a task from its rules, and reads no words" in error
