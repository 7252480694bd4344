"""The audit of TextArena's puzzles, run on hand-written records in the format of the published ones."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.audits.conversion import ENVIRONMENT, audit_results, write_suites
from tests.paths import ROOT

AUDIT = ROOT / "audits/textarena"
pytestmark = pytest.mark.skipif(not AUDIT.is_dir(), reason="the folder `audits` stands in the checkout alone")

SOLVED = [[(3 * row + row // 3 + column) % 9 + 1 for column in range(9)] for row in range(9)]
"""A solved sudoku. In its first three rows, columns 1, 4 and 7 hold only the numbers 1, 4 and 7."""


def sudoku(*empty: tuple[int, int]) -> dict[str, Any]:
    """Return the metadata of a sudoku. Empty cells are pairs of row and column, counted from 0."""
    puzzle = [[0 if (r, c) in empty else value for c, value in enumerate(row)] for r, row in enumerate(SOLVED)]
    return {"puzzle": puzzle, "solution": SOLVED}


def lights(text: str, turns: int = 20) -> dict[str, Any]:
    """Return the metadata of a board of lamps, given as rows such as `O. ..` in which `O` is lit."""
    return {"lights": [[lamp == "O" for lamp in row] for row in text.split()], "max_turns": turns}


RECORDS: dict[str, dict[str, Any]] = {
    "slitherlink-0": {"clues": [[2, 2], [2, 2]]},
    "slitherlink-1": {"clues": [[4, None], [None, None]]},
    "slitherlink-2": {"clues": [[1, None], [None, None]]},
    "slitherlink-3": {"clues": [[4, None, 4]]},
    "slitherlink-4": {"clues": [[None, 0, None], [0, None, None], [None, None, 4]]},
    "lights_out-0": lights("O. .."),
    "lights_out-1": lights("O. ..", turns=2),
    "lights_out-2": lights("OO .."),
    "sudoku-0": sudoku((0, 0), (4, 4), (8, 8)),
    "sudoku-1": sudoku(*((row, column) for row in range(3) for column in (0, 3, 6) if row + column)),
}
"""Metadata of ten records, by name."""
EXPECTED = {
    # The plan is the whole square.
    "slitherlink-0": ("ok", "unique", 1),
    # The plan is a square around the first cell.
    "slitherlink-1": ("ok", "unique", 1),
    # The plans enclose one neighbour of the first cell, with or without the last cell.
    "slitherlink-2": ("ok", "multiple", 4),
    # There is no plan, since two separate squares are not one loop.
    "slitherlink-3": ("none", "infeasible", 0),
    "slitherlink-4": ("ok", "unique", 1),
    # The plan presses every lamp except the one opposite.
    "lights_out-0": ("ok", "unique", 1),
    "lights_out-1": ("none", "infeasible", 0),
    "lights_out-2": ("ok", "unique", 1),
    "sudoku-0": ("ok", "unique", 1),
    # The plans are the Latin squares of 1, 4 and 7 that begin with 1.
    "sudoku-1": ("several", "multiple", 4),
}
"""Result, proof and number of plans, found by hand."""


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the suites made from the records."""
    records = (
        {"id": id_, "seed": 0, "question": f"Solve {id_}.", "metadata": metadata} for id_, metadata in RECORDS.items()
    )
    return write_suites(AUDIT, records, tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("suites"))


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["slitherlink", "lights_out", "sudoku"])
def test_puzzles_have_the_number_of_plans_that_was_found_by_hand(suites: Path, name: str) -> None:
    expected = {id_: found for id_, found in EXPECTED.items() if id_.startswith(name)}
    assert audit_results(suites, name) == expected


PLAYED = """
import generate, scorer
env = generate.environment("sudoku", 0)
empty = [(r, c) for r in range(9) for c in range(9) if not env.game_board[r][c]]
cells = [{"row": r + 1, "column": c + 1, "value": env.full_grid[r][c]} for r, c in empty]
for answer in (cells, cells[1:], cells + cells[:1]):
    print(scorer.score({"task": "sudoku-0"}, {"cells": answer}))
"""
"""Program that plays a solution, a solution without one cell, and a solution with a move after the end."""


@pytest.mark.skipif(importlib.util.find_spec("textarena") is None, reason="the package textarena is not installed")
@pytest.mark.slow
def test_the_environment_rewards_its_own_solution_and_no_other_number_of_moves(suites: Path) -> None:
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(ROOT), str(AUDIT), *sys.path])}
    command = [sys.executable, "-c", PLAYED]
    printed = subprocess.run(command, check=True, cwd=suites, env=environment, stdout=subprocess.PIPE)
    assert list(map(float, printed.stdout.split())) == [1.0, 0.0, 0.0]
