"""Make planspec's suites of the records that `generate.py` wrote.

Usage: python convert.py DATA OUT

OUT receives a suite NAME.suite.yaml for each file NAME.jsonl of DATA, with its tasks, their references, and the libraries.
"""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import planspec

Record = dict[str, Any]
HERE = Path(__file__).parent


def cells(grid: list[list[int]], size: int) -> list[Record]:
    """Return the filled cells of a square as rows of a table."""
    places = [(r, c) for r in range(size) for c in range(size) if grid[r][c]]
    return [{"row": r + 1, "column": c + 1, "value": grid[r][c]} for r, c in places]


def square(data: Record, block: int | None, less: list[Record]) -> Record:
    """Return the sections of a square whose rows and columns have each number once."""
    size = len(data["puzzle"])
    return {
        "uses": ["rg-squares"],
        "given": {"size": size} | ({} if block is None else {"block": block}),
        "tables": {
            "Line": numbered(size),
            "Clue": {"rows": cells(data["puzzle"], size)},
            "Less": {"rows": less},
        },
        "reference": {"cells": cells(data["solution"], size)},
    }


def numbered(size: int) -> Record:
    """Return the lines of a square as a table."""
    return {"rows": [{"id": line} for line in range(1, size + 1)]}


def sudoku(data: Record) -> Record:
    """Return the sections of a sudoku of 4 or 9 rows."""
    return square(data, 2 if len(data["puzzle"]) == 4 else 3, [])


def futoshiki(data: Record) -> Record:
    """Return the sections of a futoshiki."""
    less = []
    for row, column, other_row, other_column, sign in data["constraints"]:
        ends = [(row + 1, column + 1), (other_row + 1, other_column + 1)]
        (r, c), (s, d) = ends if sign == "<" else reversed(ends)
        less.append({"row": r, "column": c, "other_row": s, "other_column": d})
    return square(data, None, less)


def survo(data: Record) -> Record:
    """Return the sections of a survo puzzle, whose last row and column are the totals."""
    size, puzzle = data["board_size"] - 1, data["puzzle"]
    numbers: Counter[int] = Counter(data["candidate_numbers"])
    return {
        "uses": ["rg-survo"],
        "tables": {
            "Row": totals([row[size] for row in puzzle[:size]]),
            "Column": totals(puzzle[size][:size]),
            "Clue": {"rows": cells(puzzle, size)},
            "Number": {"rows": [{"value": n, "times": k} for n, k in numbers.items()]},
        },
        "reference": {"cells": cells(data["solution"], size)},
    }


def totals(numbers: list[int]) -> Record:
    """Return the totals of rows or columns as a table."""
    return {"rows": [{"id": place, "total": number} for place, number in enumerate(numbers, 1)]}


def kakurasu(data: Record) -> Record:
    """Return the sections of a kakurasu."""
    grid = data["solution"]
    return {
        "uses": ["rg-kakurasu"],
        "tables": {"Row": totals(data["row_sums"]), "Column": totals(data["col_sums"])},
        "reference": {
            "ones": [{"row": r, "column": c} for r, row in enumerate(grid, 1) for c, cell in enumerate(row, 1) if cell]
        },
    }


def n_queens(data: Record) -> Record:
    """Return the sections of a board with some queens."""
    return {
        "uses": ["rg-n-queens"],
        "tables": {"Line": numbered(len(data["puzzle"])), "Queen": {"rows": queens(data["puzzle"])}},
        "reference": {"queens": queens([line.split() for line in data["answer"].split("\n")])},
    }


def queens(board: list[list[str]]) -> list[Record]:
    """Return the queens of a board."""
    return [{"row": r, "column": row.index("Q") + 1} for r, row in enumerate(board, 1) if "Q" in row]


def knights_knaves(data: Record) -> Record:
    """Return the sections of an island: everybody's statement is a constraint of the task."""
    names = data["names"]
    return {
        "uses": ["rg-knights-knaves"],
        "tables": {"Person": {"rows": [{"id": name} for name in names]}},
        "constraints": {
            f"statement-{person + 1}": {"hard": f"{honest(names[person])} == ({formula(statement, names)})"}
            for person, statement in enumerate(data["statements"])
        },
        "reference": {
            "people": [
                {"person": name, "role": "knight" if truth else "knave"}
                for name, truth in zip(names, data["solution"], strict=True)
            ]
        },
    }


def honest(name: str) -> str:
    """Return the expression that is true if a person tells the truth."""
    return f"honest(Person.{name})"


def formula(statement: list[Any], names: list[str]) -> str:
    """Return a statement as an expression."""
    word, *parts = statement
    if word in ("telling-truth", "lying"):
        return honest(names[parts[0]]) if word == "telling-truth" else f"not {honest(names[parts[0]])}"
    if word == "not":
        return f"not ({formula(parts[0], names)})"
    sign = {"and": " and ", "or": " or ", "->": " implies ", "<=>": " == "}[word]
    return sign.join(f"({formula(part, names)})" for part in parts)


def cryptarithm(data: Record) -> Record:
    """Return the sections of a sum of words."""
    weights: Counter[str] = Counter()
    words = [(1, word) for word in data["words_letters"]] + [(-1, data["result_letters"])]
    for sign, word in words:
        for place, letter in enumerate(reversed(word)):
            weights[letter] += sign * 10**place
    first = {word[0] for _, word in words}
    letters = [{"id": letter, "weight": weight, "leads": letter in first} for letter, weight in weights.items()]
    return {
        "uses": ["rg-cryptarithm"],
        "tables": {"Letter": {"rows": letters}},
        "reference": {"digits": [{"letter": x, "digit": digit} for x, digit in data["letter_to_digit"].items()]},
    }


def zebra_puzzles(data: Record) -> Record:
    """Return the sections of a zebra puzzle, of which only the answer to the question has to be unique."""
    rows: dict[str, list[Record]] = {"Found": [], "Same": [], "LeftOf": [], "Beside": []}
    for form, one, other in data["clues"]:
        rows[form].append({"trait": one, "house": other} if form == "Found" else {"one": one, "other": other})
    traits = [{"id": trait, "kind": kind} for kind, each in data["kinds"].items() for trait in each]
    tables = {"Trait": traits, "Kind": [{"id": kind} for kind in data["kinds"]], **rows}
    places = data["solution"]
    return {
        "uses": ["rg-zebra-puzzles"],
        "unique": ["answer.person"],
        "given": {"houses": len(data["kinds"]["Name"]), "house": data["house"]},
        "tables": {name: {"rows": each} for name, each in tables.items()},
        "reference": {
            "traits": [{"trait": trait, "house": house} for trait, house in places.items()],
            "answer": {"person": next(t for t in data["kinds"]["Name"] if places[t] == data["house"])},
        },
    }


def path_star(data: Record) -> Record:
    """Return the sections of a path through a star; its edges stand in the question."""
    text = data["question"].rsplit("Solve the following task:", 1)[1].split("/")[0]
    edges = [tuple(map(int, edge.split())) for edge in text.strip().strip("|").split("|")]
    return {
        "uses": ["rg-path-star"],
        "given": {"start": data["center"], "goal": data["goal"]},
        "tables": {
            "Node": {"rows": [{"id": node} for node in dict.fromkeys(node for edge in edges for node in edge)]},
            "Edge": {"rows": [{"from": a, "to": b} for a, b in edges]},
        },
        "reference": {"path": [{"position": i, "node": node} for i, node in enumerate(data["goal_path"])]},
    }


def isomorphic_strings(data: Record) -> Record:
    """Return the sections of two strings, of which the answer says whether there is a plan."""
    pairs = list(dict.fromkeys(zip(*data["words"], strict=True)))
    return {
        "uses": ["rg-isomorphic-strings"],
        "expects": "feasible" if data["solution"] else "infeasible",
        "closed": True,
        "tables": {
            "Letter": {"rows": [{"id": letter} for letter in dict.fromkeys(x for pair in pairs for x in pair)]},
            "Pair": {"rows": [{"first": a, "second": b} for a, b in pairs]},
        },
    }


UNIQUE: dict[str, Callable[[Record], Record]] = {
    "survo": survo,
    "survo_7": survo,
    "mini_sudoku": sudoku,
    "sudoku": sudoku,
    "futoshiki": futoshiki,
    "knights_knaves": knights_knaves,
    "zebra_puzzles": zebra_puzzles,
    "path_star": path_star,
}
"""Generators whose scorers compare with one plan."""
OTHERS: dict[str, Callable[[Record], Record]] = {
    "isomorphic_strings": isomorphic_strings,
    "n_queens": n_queens,
    "kakurasu": kakurasu,
    "cryptarithm": cryptarithm,
}
"""Other generators; the suites of course_schedule and graph_color take the records by their maps."""


def tasks(name: str, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the tasks of a generator."""
    make = (UNIQUE | OTHERS)[name]
    for record in records:
        sections = make({**record["metadata"], "question": record["question"], "answer": record["answer"]})
        yield {"id": record["id"], "query": record["question"], **sections}


def main(data: Path, out: Path) -> None:
    """Convert every file of records."""
    shutil.copytree(HERE / "suites", out, dirs_exist_ok=True)
    for path in sorted(data.glob("*.jsonl")):
        name = path.stem
        shutil.copy(path, out / path.name)
        if name in UNIQUE | OTHERS:
            records = map(json.loads, path.read_text("utf-8").splitlines())
            planspec.write_tasks(out / f"{name}.tasks.jsonl", tasks(name, records))
            suite = ["planspec: suite/1", f"id: rg-{name}-tasks".replace("_", "-"), f"title: reasoning-gym, {name}"]
            suite += ["expects: unique"] * (name in UNIQUE) + [f"tasks: [{name}.tasks.jsonl]"]
            (out / f"{name}.suite.yaml").write_text("\n".join(suite) + "\n", "utf-8")
        print(f"{name}: {name}.suite.yaml")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
