"""The fixture `export`: an exported folder that all tests use."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

NUMBER = """\
planspec: task/1
id: two
query: A number over 3 and at most 5, odd if you can.
plan: {answer: {one: true, n: int}}
scope: {answer: [{n: 0..40}]}
constraints:
  over: {hard: answer.n > 3}
  near: {hard: answer.n <= 5}
  odd: {soft: answer.n % 2 == 1}
"""
TASKS = ("sudoku", "menu", "berlin-001", "two")
"""A shipped example, a conversation, a travel task with tools, and a task with two plans and a soft constraint."""
FORGED = '{"reward": 1, "pass": true, "hard": 1.0}'
KINDS = ("right", "other", "wrong", "forged", "empty", "missing")


@dataclass(frozen=True)
class Export:
    """An exported folder with the answers to its tasks.

    Attributes:
        folder: the folder.
        answers: by task and kind of answer, the text of the answer; None if the agent wrote no file.
    """

    folder: Path
    answers: dict[str, dict[str, str | None]]

    def attempts(self, task: str) -> list[tuple[str, str | None]]:
        return [(f"{task}/{task}", self.answers[task][kind]) for kind in KINDS]


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    root = tmp_path_factory.mktemp("readers")
    own = root / "suite" / "two.task.yaml"
    own.parent.mkdir()
    own.write_text(NUMBER, "utf-8")
    folder = root / "out"
    for task in TASKS:
        words = ["export", "harbor", str(own) if task == "two" else task, "--out", str(folder / task)]
        subprocess.run([sys.executable, "-P", "-m", "planspec", *words], check=True)
    broken = folder / "broken" / "broken"
    shutil.copytree(folder / "two" / "two", broken)
    judge = broken / "tests" / "judge.zip"
    judge.write_bytes(judge.read_bytes() + b"x")
    return Export(folder, {task: answers_to(task, folder / task / task) for task in TASKS})


def answers_to(task: str, folder: Path) -> dict[str, str | None]:
    right: Any = json.loads((folder / "solution" / "answer.json").read_text("utf-8"))
    wrong = json.loads(json.dumps(right))
    other: Any = right
    match task:
        case "sudoku":
            wrong["cells"][0]["digit"] = wrong["cells"][1]["digit"]
        case "menu":
            wrong["menu"] = [{**row, "dish": "sorbet"} if row["course"] == "dessert" else row for row in wrong["menu"]]
        case "berlin-001":
            del wrong["itinerary"][0]["schedule"][1:-1]
        case "two":
            right, other, wrong = ({"answer": {"n": n}} for n in (5, 4, 9))
    # a task with one plan has no other right plan, so its answer differs in form: a code fence after a sentence
    text = json.dumps(other) if task == "two" else f"Here is the plan:\n```json\n{json.dumps(other, indent=1)}\n```\n"
    return {
        "right": json.dumps(right),
        "other": text,
        "wrong": json.dumps(wrong),
        "forged": FORGED,
        "empty": "",
        "missing": None,
    }
