"""Count the solutions of the records by a search without planspec, and look at other environments.

Usage: python search.py DATA
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import textarena

Cell = tuple[int, int]
Grid = list[list[Any]]


def loops(height: int, width: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield the number of sides that each cell has on a loop, for every loop of a grid; a loop is a cycle of edges."""
    start: Cell
    for start in product(range(height + 1), range(width + 1)):
        paths = [(start,)]
        while paths:
            path = paths.pop()
            r, c = path[-1]
            for dot in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if dot == start and len(path) > 2 and path[1] < path[-1]:
                    yield sides({frozenset(edge) for edge in zip(path, (*path[1:], start), strict=True)}, height, width)
                elif dot > start and dot not in path and dot[0] <= height and 0 <= dot[1] <= width:
                    paths.append((*path, dot))


def sides(edges: set[frozenset[Cell]], height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """Return the number of sides of each cell among edges."""
    return tuple(tuple(sum(e in edges for e in border(r, c)) for c in range(width)) for r in range(height))


def border(r: int, c: int) -> list[frozenset[Cell]]:
    """Return the four edges of a cell."""
    corners = [(r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c)]
    return [frozenset(pair) for pair in zip(corners, corners[1:] + corners[:1], strict=True)]


def presses(lights: Grid, turns: int) -> int:
    """Return the number of sets of presses that put out all lights: the first row decides the others."""
    size, count = len(lights), 0
    for first in product((False, True), repeat=size):
        rows = [list(first)]
        for r in range(1, size + 1):
            rows.append([lights[r - 1][c] != (neighbours(rows, r - 1, c) % 2 == 1) for c in range(size)])
        count += not any(rows[size]) and sum(map(sum, rows)) <= turns
    return count


def neighbours(rows: Grid, r: int, c: int) -> int:
    """Return the presses in a row that reach a lamp, from it, its sides, and the lamp above."""
    return sum(rows[r][max(c - 1, 0) : c + 2]) + (rows[r - 1][c] if r else 0)


def fifteen(seed: int) -> bool:
    """Return whether the fifteen puzzle of a seed can be solved, by the parity of its permutation."""
    env = textarena.make("FifteenPuzzle-v0-raw")
    env.reset(num_players=1, seed=seed)
    tiles = [tile or 16 for row in env.board for tile in row]
    blank = tiles.index(16)
    inversions = sum(a > b for a, b in combinations(tiles, 2))
    return (inversions + 3 - blank // 4 + 3 - blank % 4) % 2 == 0


def corner(seed: int) -> Cell:
    """Return where a player starts on a frozen lake with random corners."""
    env = textarena.make("FrozenLake-v0-random-raw")
    env.reset(num_players=1, seed=seed)
    return env.player_pos


def last_move() -> str:
    """Return what the environment of the fifteen puzzle does at the last right move."""
    env = textarena.make("FifteenPuzzle-v0-raw")
    env.reset(num_players=1, seed=0)
    env.board[:] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, None, 15]]
    try:
        env.step("[left]")
    except AttributeError as error:
        return f"{type(error).__name__}: {error}"
    return f"rewards {env.state.rewards}"


def rewards_of_mistakes(name: str, move: str) -> Any:
    """Return the reward after two impossible moves."""
    env = textarena.make(name)
    env.reset(num_players=1, seed=42)
    env.step(move)
    env.step(move)
    return env.state.rewards[0]


def read(path: Path) -> dict[str, Any]:
    """Return the puzzles of a file by id."""
    return {record["id"]: record["metadata"] for record in map(json.loads, path.read_text("utf-8").splitlines())}


def main(data: Path) -> None:
    """Print how many puzzles have how many solutions."""
    every = list(loops(4, 4))
    counts = {}
    for id_, record in read(data / "slitherlink.jsonl").items():
        clues = [
            (r, c, clue) for r, row in enumerate(record["clues"]) for c, clue in enumerate(row) if clue is not None
        ]
        counts[id_] = sum(all(loop[r][c] == clue for r, c, clue in clues) for loop in every)
    report("slitherlink", counts)
    lamps = read(data / "lights_out.jsonl")
    report("lights_out", {id_: presses(record["lights"], record["max_turns"]) for id_, record in lamps.items()})
    solvable = {f"seed {seed}": fifteen(seed) for seed in range(42, 142)}
    first = next(seed for seed, can in solvable.items() if not can)
    print(
        f"fifteen puzzle: {sum(solvable.values())} of {len(solvable)} can be solved; the first without a solution: {first}"
    )
    print("fifteen puzzle, the last move:", last_move())
    for name, move in (
        ("Slitherlink", "[h 9 9]"),
        ("Cryptarithm", "[Q 1]"),
        ("Countdown", "[9 9 +]"),
        ("LightsOut", "[9 9]"),
    ):
        print(f"{name}, the reward of two impossible moves: {rewards_of_mistakes(f'{name}-v0-raw', move)!r}")
    try:
        textarena.make("Klondike-v0-raw")
    except SyntaxError as error:
        print(f"Klondike: {error}")
    boards = read(data / "sudoku.jsonl").values()
    print("sudoku, clues:", Counter(81 - sum(row.count(0) for row in board["puzzle"]) for board in boards))
    elsewhere = [seed for seed in range(42, 142) if corner(seed) != (0, 0)]
    print(f"frozen lake: {len(elsewhere)} of 100 start elsewhere than the prompt says; the first: seed {elsewhere[0]}")


def report(name: str, counts: dict[str, int]) -> None:
    """Print a table of counts, and the record with the most."""
    most = max(counts, key=lambda id_: counts[id_])
    print(f"{name}: {dict(sorted(Counter(counts.values()).items()))}; most: {most} with {counts[most]}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
