"""Nonogram: in each row and column of a grid, the black cells form runs of given lengths."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, table


@dataclass(frozen=True)
class NonogramInstance:
    """Instance: the lengths of the runs in each row and each column of a square grid."""

    across: list[list[int]]
    down: list[list[int]]

    @property
    def side(self) -> int:
        return len(self.across)


def runs_of(cells: Sequence[int]) -> list[tuple[int, int]]:
    """Return the start, from 1, and the length of each black run."""
    found, at = [], 1
    for black, group in groupby(cells):
        length = len(list(group))
        if black:
            found.append((at, length))
        at += length
    return found


def generate(size: str) -> NonogramInstance:
    side = int(size)
    source = random.Random(f"nonogram {size}")
    grid = [[int(source.random() < 0.55) for _ in range(side)] for _ in range(side)]
    return NonogramInstance(
        [[length for _, length in runs_of(line)] for line in grid],
        [[length for _, length in runs_of(line)] for line in zip(*grid, strict=True)],
    )


def task(data: NonogramInstance) -> str:
    clues = [
        (way, line, turn, length)
        for way, lines in (("across", data.across), ("down", data.down))
        for line, lengths in enumerate(lines, 1)
        for turn, length in enumerate(lengths, 1)
    ]
    return (
        """planspec: task/1
id: nonogram
query: Which cells are black?
types:
  Way: across | down
tables:
"""
        + table("Clue", "way: key Way, line: key int, turn: key int, length: int", clues)
        + f"""plan:
  blocks: {{way: key Way, line: key int, turn: key int, at: int}}
scope:
  blocks:
    - {{for: c in Clue, way: c.way, line: c.line, turn: c.turn, at: 1..{data.side}}}
closed: true
define:
  at(c Clue): blocks[c.way, c.line, c.turn].at
  black(w Way, line int, cell int): >-
    any(at(c) <= cell and cell < at(c) + c.length for c in Clue if c.way == w and c.line == line)
constraints:
  inside:
    for: c in Clue
    hard: at(c) in 1..{data.side + 1} - c.length
  apart:
    for: a in Clue for b in Clue if b.way == a.way and b.line == a.line and b.turn == a.turn + 1
    hard: at(a) + a.length < at(b)
  agree:
    for: r in 1..{data.side} for c in 1..{data.side}
    hard: black(across, r, c) == black(down, c, r)
"""
    )


Automaton = tuple[int, list[tuple[int, int, int]]]


def automaton(lengths: list[int]) -> Automaton:
    """Return an automaton that accepts lines with black runs of these lengths: its final state, and its arcs.

    An arc is (state, colour, next state). The initial state is 0."""
    arcs = [(0, 0, 0)]
    state = 0
    for number, length in enumerate(lengths):
        for _ in range(length):
            arcs.append((state, 1, state + 1))
            state += 1
        if number + 1 < len(lengths):
            arcs.append((state, 0, state + 1))
            state += 1
        arcs.append((state, 0, state))
    return state, list(dict.fromkeys(arcs))


MINIZINC = """
include "regular.mzn";
int: side; int: states;
array[1..2 * side] of int: final;
array[1..2 * side, 1..states, 1..2] of int: next;
array[1..side, 1..side] of var 1..2: colour;
constraint forall(l in 1..side) (
  regular(colour[l, ..], states, 2, array2d(1..states, 1..2, [next[l, s, c] | s in 1..states, c in 1..2]), 1, {final[l]}));
constraint forall(l in 1..side) (
  regular(colour[.., l], states, 2,
          array2d(1..states, 1..2, [next[side + l, s, c] | s in 1..states, c in 1..2]), 1, {final[side + l]}));
solve satisfy;
"""


def minizinc_data(data: NonogramInstance) -> Mapping[str, Any]:
    automata = [automaton(lengths) for lengths in (*data.across, *data.down)]
    states = 1 + max(last for last, _ in automata)
    following = []
    for _, arcs in automata:
        to = {(a, colour): b + 1 for a, colour, b in arcs}
        following.append([[to.get((state, colour), 0) for colour in (0, 1)] for state in range(states)])
    return {"side": data.side, "states": states, "final": [last + 1 for last, _ in automata], "next": following}


def build_cpsat(data: NonogramInstance) -> Model:
    model = cp_model.CpModel()
    black = [[model.new_bool_var("") for _ in range(data.side)] for _ in range(data.side)]
    for lines, clues in ((black, data.across), (list(zip(*black, strict=True)), data.down)):
        for line, lengths in zip(lines, clues, strict=True):
            last, arcs = automaton(lengths)
            model.add_automaton(line, 0, [last], arcs)
    return Model(model, {"colour": [[cell + 1 for cell in line] for line in black]})


def build_cpmpy(cp: Any, data: NonogramInstance) -> Model:
    black = cp.boolvar(shape=(data.side, data.side))
    model = cp.Model()
    for lines, clues in ((black, data.across), (black.T, data.down)):
        for line, lengths in zip(lines, clues, strict=True):
            last, arcs = automaton(lengths)
            model += cp.Regular(line, [(f"s{a}", colour, f"s{b}") for a, colour, b in arcs], "s0", [f"s{last}"])
    return Model(model, {"colour": [[cell + 1 for cell in line] for line in black]})


def rows(_: NonogramInstance, values: Values) -> Rows:
    grid = [[colour - 1 for colour in line] for line in values["colour"]]
    return {
        "blocks": [
            {"way": way, "line": line, "turn": turn, "at": at}
            for way, lines in (("across", grid), ("down", list(zip(*grid, strict=True))))
            for line, cells in enumerate(lines, 1)
            for turn, (at, _) in enumerate(runs_of(cells), 1)
        ]
    }


KIND = Kind(
    name="nonogram",
    sizes=("10", "20", "30"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
    has_objective=False,
)
