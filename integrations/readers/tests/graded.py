"""Shared parts of the programs that grade with a reader's own code; they run in the box."""

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
"""In place of an answer: the reader runs `solution/solve.sh`."""


def clean() -> None:
    """Leave what a new container has."""
    for folder in FOLDERS:
        shutil.rmtree(folder, ignore_errors=True)


def cheat(answer: str | None) -> None:
    """Write the answer as an agent does, and a reward beside it, which no reader may take."""
    PLANTED.parent.mkdir(parents=True, exist_ok=True)
    PLANTED.write_text('{"reward": 1, "dense": 1, "hard": 1}', "utf-8")
    if answer is not None:
        ANSWER.parent.mkdir(parents=True, exist_ok=True)
        ANSWER.write_text(answer, "utf-8")


async def results(grade: Callable[[Path, str | None], Awaitable[dict[str, float]]]) -> None:
    """Grade the attempts of the standard input, one after the other, and print the results."""
    logging.disable(logging.CRITICAL)
    rows: list[dict[str, Any]] = []
    for name, answer in json.load(sys.stdin):
        clean()
        try:
            rows.append({"rewards": await grade(SUITE / name, answer)})
        except Exception as error:  # noqa: BLE001 any error of a reader is a result
            rows.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(rows))
