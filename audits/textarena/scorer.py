"""The environments of TextArena as scorers, for `planspec audit --scorer python:scorer.py:score`.

A plan is played move by move, and its score is the environment's reward. A plan with moves left when the environment has ended the game
scores 0. The records are those of `generate.py`, which have to lie in the current folder.
"""

import copy
import json
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from generate import environment

Record = dict[str, Any]


def score(task: Record, answer: Any) -> float:
    """Return the reward at the end of the game, or 0 if the game has not ended."""
    name = task["task"].rsplit("-", 1)[0]
    env = copy.deepcopy(started(name, seeds(name)[task["task"]]))
    done = False
    for move in moves(name, answer):
        if done:
            return 0.0
        done, _ = env.step(move)
    return float(env.state.rewards[0]) if done else 0.0


@lru_cache(maxsize=4)
def started(name: str, seed: int) -> Any:
    """Return the environment at the start."""
    return environment(name, seed)


@cache
def seeds(name: str) -> dict[str, int]:
    """Return the seeds of the records by id."""
    lines = Path(f"{name}.jsonl").read_text("utf-8").splitlines()
    return {record["id"]: record["seed"] for record in map(json.loads, lines)}


def moves(name: str, answer: Any) -> Iterator[str]:
    """Yield a plan's moves in the form of the environment's prompt."""
    match name:
        case "slitherlink":
            yield from edges({(row["row"] - 1, row["column"] - 1) for row in answer.get("inside", [])})
        case "lights_out":
            yield from (f"[{row['row'] - 1} {row['column'] - 1}]" for row in answer.get("presses", []))
        case "sudoku":
            yield from (f"[{row['row']} {row['column']} {row['value']}]" for row in answer.get("cells", []))


def edges(inside: set[tuple[int, int]]) -> Iterator[str]:
    """Yield the edges between the cells inside and the others."""
    sides = [edge for r, c in inside for edge in (("h", r, c), ("h", r + 1, c), ("v", r, c), ("v", r, c + 1))]
    yield from (f"[{kind} {r} {c}]" for kind, r, c in sorted(sides) if sides.count((kind, r, c)) == 1)
