"""Shared parts of the programs `by_*.py`, which run in the sandbox and grade answers with a reader's own code."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

SUITE = Path.home() / ".cache" / "harbor" / "planspec_suite"
ANSWER = Path("/logs/artifacts/answer.json")
PLANTED = Path("/logs/verifier/reward.json")
FOLDERS = ("/logs", "/tests", "/solution", "/workdir")
ORACLE = "the answer of the reader's own oracle"
"""Placeholder for an answer. The reader then runs `solution/solve.sh`, which writes the answer."""


def reset_folders() -> None:
    """Remove the files of an earlier trial, as if the container were new."""
    for folder in FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


def write_answer_and_forged_reward(answer: str | None) -> None:
    """Write the answer as an agent would, together with a forged reward that every reader must ignore."""
    PLANTED.parent.mkdir(parents=True, exist_ok=True)
    PLANTED.write_text('{"reward": 1, "dense": 1, "hard": 1}', "utf-8")
    if answer is not None:
        ANSWER.parent.mkdir(parents=True, exist_ok=True)
        ANSWER.write_text(answer, "utf-8")


async def print_results(grade: Callable[[Path, str | None], Awaitable[dict[str, float]]]) -> None:
    """Grade the attempts on standard input one by one, and print the results as JSON."""
    logging.disable(logging.CRITICAL)
    rows: list[dict[str, Any]] = []
    for name, answer in json.load(sys.stdin):
        reset_folders()
        try:
            rows.append({"rewards": await grade(SUITE / name, answer)})
        except Exception as error:  # noqa: BLE001 any error of a reader is a result
            rows.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(rows))
