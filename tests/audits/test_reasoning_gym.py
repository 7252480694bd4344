"""The published audit of puzzle generators on hand-written records of their form."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.audits.conversion import ENVIRONMENT, audit_results, write_suites
from tests.paths import ROOT

AUDIT = ROOT / "audits/reasoning-gym"
pytestmark = pytest.mark.skipif(not AUDIT.is_dir(), reason="the folder `audits` stands in the checkout alone")
TRUE, LIE = "telling-truth", "lying"

SURVO = {"board_size": 3, "puzzle": [[0, 0, 5], [0, 0, 5], [5, 5, 10]], "candidate_numbers": [1, 1, 4, 4]}
"""A puzzle whose ones and fours can be exchanged, so that it has two solutions."""
LATIN = [[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]
RECORDS: dict[str, dict[str, Any]] = {
    "survo": {**SURVO, "solution": [[1, 4, 5], [4, 1, 5], [5, 5, 10]]},
    "mini_sudoku": {"puzzle": [[1, 2, 3, 4], [3, 0, 1, 2], [2, 1, 0, 3], [4, 3, 2, 0]], "solution": LATIN},
    "futoshiki": {
        "puzzle": [[0, 0], [0, 0]],
        "solution": [[1, 2], [2, 1]],
        "constraints": [[0, 0, 0, 1, "<"]],
        "board_size": 2,
    },
    "knights_knaves": {
        "names": ["Ann", "Bob"],
        "statements": [["and", [LIE, 0], [LIE, 1]], ["not", [TRUE, 0]]],
        "solution": [False, True],
    },
    "n_queens": {"puzzle": [["_", "Q", "_", "_"], *([["_"] * 4] * 3)]},
    "kakurasu": {"row_sums": [1, 2], "col_sums": [1, 2], "solution": [[1, 0], [0, 1]]},
    "cryptarithm": {"words_letters": ["A", "A"], "result_letters": "B", "letter_to_digit": {"A": 2, "B": 4}},
    "course_schedule": {"courses": [0, 1, 2], "prerequisites": [[1, 0], [2, 1], [0, 2]], "solution": False},
    "isomorphic_strings": {"words": ["egg", "add"], "solution": True},
    "graph_color": {"puzzle": {"vertices": [0, 1], "edges": [[0, 1]], "color_options": [1, 2]}},
}
"""A record's metadata for each of ten generators."""
ANSWERS = {"n_queens": "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _"}
EXPECTED = {
    "survo": ("several", "multiple", 2),
    "mini_sudoku": ("ok", "unique", 1),
    "futoshiki": ("ok", "unique", 1),
    "knights_knaves": ("ok", "unique", 1),
    "n_queens": ("ok", "unique", 1),
    "kakurasu": ("ok", "unique", 1),
    "cryptarithm": ("ok", "multiple", 4),
    "course_schedule": ("ok", "infeasible", 0),
    "isomorphic_strings": ("ok", "unique", 1),
    "graph_color": ("ok", "multiple", 2),
}
"""Result, proof and number of plans, found by hand."""


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the suites made from the records."""
    records = (
        {"id": f"{name}-0", "question": "Solve it.", "answer": ANSWERS.get(name), "metadata": metadata}
        for name, metadata in RECORDS.items()
    )
    return write_suites(AUDIT, records, tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("suites"))


@pytest.mark.sampled(12)
@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDS)
def test_puzzles_have_the_number_of_plans_that_was_found_by_hand(suites: Path, name: str) -> None:
    assert audit_results(suites, name) == {f"{name}-0": EXPECTED[name]}


@pytest.mark.skipif(
    importlib.util.find_spec("reasoning_gym") is None, reason="the package reasoning-gym is not installed"
)
@pytest.mark.slow
def test_the_package_refuses_a_second_right_answer(suites: Path) -> None:
    request = {"task": "survo-0", "answer": {"cells": []}}
    program = "import json, scorer, sys; print(scorer.score(*json.loads(sys.argv[1])))"
    scores = []
    for first, second in ((1, 4), (4, 1)):
        cells = [(1, 1, first), (1, 2, second), (2, 1, second), (2, 2, first)]
        answer = {"cells": [{"row": r, "column": c, "value": v} for r, c, v in cells]}
        command = [sys.executable, "-c", program, json.dumps([request, answer])]
        environment = {**ENVIRONMENT, "PYTHONPATH": f"{ROOT}{os.pathsep}{AUDIT}"}
        printed = subprocess.run(command, check=True, cwd=suites, env=environment, stdout=subprocess.PIPE)
        scores.append(float(printed.stdout))
    assert scores == [1.0, 0.0]
