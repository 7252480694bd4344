"""The scorers of reasoning-gym, for `planspec audit --scorer python:scorer.py:score`.

A plan is written in the form that the package's generator uses for its own answer, and given to the package's `score_answer`. The
records are those of `generate.py`, which have to lie in the current folder.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from generate import dataset

Record = dict[str, Any]


def score(task: Record, answer: Any) -> float:
    """Return the package's score of a plan, or of the refusal of a task without plans."""
    name = task["task"].rsplit("-", 1)[0]
    entry = records(name)[task["task"]]
    return float(package(name).score_answer(text(name, entry["metadata"], answer), entry))


@cache
def package(name: str) -> Any:
    """Return the data set of a generator, whose records need not be made again."""
    return dataset(name, 1, 0)


@cache
def records(name: str) -> dict[str, Record]:
    """Return the records of a generator by id."""
    lines = Path(f"{name}.jsonl").read_text("utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}


def text(name: str, data: Record, answer: Any) -> str:
    """Return an answer as the generator writes its own."""
    if name in ("course_schedule", "isomorphic_strings"):
        return str("infeasible" not in answer)
    tables = {"cells": [], "ones": [], "queens": [], "people": [], "path": [], "digits": [], "colors_of": []} | answer
    match name:
        case "survo" | "survo_7":
            return survo(data, grid(tables["cells"], data["board_size"] - 1))
        case "mini_sudoku" | "sudoku":
            return lines(grid(tables["cells"], len(data["puzzle"])))
        case "futoshiki":
            return futoshiki(data, grid(tables["cells"], data["board_size"]))
        case "kakurasu":
            ones = [{**one, "value": 1} for one in tables["ones"]]
            return lines(grid(ones, data["n_rows"], data["n_cols"]))
        case "n_queens":
            size = len(data["puzzle"])
            board = grid([{**queen, "value": 1} for queen in tables["queens"]], size)
            return lines([["Q" if cell else "_" for cell in row] for row in board])
        case "knights_knaves":
            return knights_knaves(data, {row["person"]: row["role"] for row in tables["people"]})
        case "zebra_puzzles":
            return str(answer.get("answer", {}).get("person", "")).removeprefix("Name.")
        case "path_star":
            return " ".join(str(step["node"]) for step in sorted(tables["path"], key=lambda step: step["position"]))
        case "cryptarithm":
            return ",".join(f"{digit['letter']}={digit['digit']}" for digit in tables["digits"])
        case "graph_color":
            return json.dumps({str(row["vertex"]): row["color"] for row in tables["colors_of"]})
    raise ValueError(f"no form of answers to {name}")


def grid(rows: list[Record], height: int, width: int | None = None) -> list[list[Any]]:
    """Return rows of cells as a grid, with 0 where there is none; a cell beyond the grid is left out."""
    cells = {(row["row"], row["column"]): row["value"] for row in rows}
    return [[cells.get((r, c), 0) for c in range(1, (width or height) + 1)] for r in range(1, height + 1)]


def lines(cells: list[list[Any]]) -> str:
    """Return a grid as lines."""
    return "\n".join(" ".join(map(str, row)) for row in cells)


def survo(data: Record, cells: list[list[int]]) -> str:
    """Return a survo matrix with its totals."""
    *rows, last = data["puzzle"]
    return lines([[*own, row[-1]] for own, row in zip(cells, rows, strict=True)] + [last])


def futoshiki(data: Record, cells: list[list[int]]) -> str:
    """Return a futoshiki with the signs between its cells."""
    size, signs = len(cells), {}
    for row, column, other_row, other_column, sign in data["constraints"]:
        if row == other_row:
            signs[2 * row, 4 * min(column, other_column) + 2] = sign if column < other_column else "<>"[sign == "<"]
        else:
            signs[2 * min(row, other_row) + 1, 4 * column] = "∧∨"[(sign == ">") == (row < other_row)]
    text = [[" "] * (4 * size - 3) for _ in range(2 * size - 1)]
    for r, row in enumerate(cells):
        for c, value in enumerate(row):
            text[2 * r][4 * c] = str(value)
    for (r, c), sign in signs.items():
        text[r][c] = sign
    return "\n".join("".join(line) for line in text)


def knights_knaves(data: Record, roles: dict[str, str]) -> str:
    """Return who is what, in the words of the island."""
    words = data["knight_knave_terms"]
    parts = [f"{name} is {words[f'a_{roles[name]}']}" for name in data["names"] if name in roles]
    return f"{', '.join(parts[:-1])}, and {parts[-1]}." if parts else ""
