"""Make planspec's suites of the records that `generate.py` wrote.

Usage: python convert.py DATA OUT

OUT receives a suite NAME.suite.yaml for each file NAME.jsonl of DATA, with its tasks and the libraries. Rows and columns count from 1.
"""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import planspec

Record = dict[str, Any]
HERE = Path(__file__).parent


def cells(grid: list[list[Any]], column: str) -> list[Record]:
    """Return the cells of a grid as rows of a table; the third column has the name that is given."""
    return [{"row": r, "column": c, column: cell} for r, row in enumerate(grid, 1) for c, cell in enumerate(row, 1)]


def slitherlink(data: Record) -> Record:
    """Return the sections of a Slitherlink, whose loop is given by the cells inside it."""
    clues = data["clues"]
    return {
        "given": {"height": len(clues), "width": len(clues[0])},
        "tables": {"Clue": {"rows": [clue for clue in cells(clues, "value") if clue["value"] is not None]}},
    }


def lights_out(data: Record) -> Record:
    """Return the sections of a board of lamps."""
    return {"given": {"turns": data["max_turns"]}, "tables": {"Lamp": {"rows": cells(data["lights"], "lit")}}}


def sudoku(data: Record) -> Record:
    """Return the sections of a sudoku, with the environment's solution as the reference."""
    puzzle = data["puzzle"]
    empty = [cell for cell in cells(data["solution"], "value") if not puzzle[cell["row"] - 1][cell["column"] - 1]]
    return {
        "expects": "unique",
        "tables": {
            "Line": {"rows": [{"id": line} for line in range(1, 10)]},
            "Clue": {"rows": [clue for clue in cells(puzzle, "value") if clue["value"]]},
        },
        "reference": {"cells": empty},
    }


MAKERS: dict[str, Callable[[Record], Record]] = {
    "slitherlink": slitherlink,
    "lights_out": lights_out,
    "sudoku": sudoku,
}


def main(data: Path, out: Path) -> None:
    """Convert every file of records."""
    shutil.copytree(HERE / "suites", out, dirs_exist_ok=True)
    for name, make in MAKERS.items():
        path = data / f"{name}.jsonl"
        shutil.copy(path, out / path.name)
        library = f"ta-{name}".replace("_", "-")
        records = map(json.loads, path.read_text("utf-8").splitlines())
        tasks = ({"id": r["id"], "query": r["question"], "uses": [library], **make(r["metadata"])} for r in records)
        planspec.write_tasks(out / f"{name}.tasks.jsonl", tasks)
        suite = [
            "planspec: suite/1",
            f"id: {library}-tasks",
            f"title: TextArena, {name}",
            f"tasks: [{name}.tasks.jsonl]",
        ]
        (out / f"{name}.suite.yaml").write_text("\n".join(suite) + "\n", "utf-8")
        print(f"{name}: {name}.suite.yaml")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
