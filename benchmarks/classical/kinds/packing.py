"""Strip packing: rectangles, which are not rotated, on a strip of given width. The used length is minimised."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ortools.sat.python import cp_model

from benchmarks.classical.kind import Kind, Model, Rows, Values, table


@dataclass(frozen=True)
class PackingInstance:
    """Instance: the width of the strip, and width and height of each rectangle."""

    width: int
    sides: list[tuple[int, int]]

    @property
    def longest(self) -> int:
        """Length of a packing in shelves, highest rectangles first, as an upper bound."""
        used = shelf = across = 0
        for wide, high in sorted(self.sides, key=lambda each: -each[1]):
            if across + wide > self.width or not shelf:
                used, shelf, across = used + shelf, high, 0
            across += wide
        return used + shelf


def generate(size: str) -> PackingInstance:
    count, width = map(int, size.split("x"))
    source = random.Random(f"packing {size}")
    return PackingInstance(
        width, [(source.randint(2, width // 2), source.randint(2, width // 2)) for _ in range(count)]
    )


def task(data: PackingInstance) -> str:
    sides = [(number, wide, high) for number, (wide, high) in enumerate(data.sides, 1)]
    return (
        """planspec: task/1
id: packing
query: Where does each piece lie on the strip, so that little of it is used?
tables:
"""
        + table("Piece", "number: key int, wide: int, high: int", sides)
        + f"""plan:
  places: {{piece: key Piece, x: int, y: int}}
scope:
  places:
    - {{for: p in Piece, piece: p, x: 0..{data.width} - p.wide, y: 0..{data.longest} - p.high}}
closed: true
define:
  right(p places): p.x + p.piece.wide
  top(p places): p.y + p.piece.high
constraints:
  inside:
    hard: all(p.x >= 0 and right(p) <= {data.width} and p.y >= 0 for p in places)
  apart:
    hard: >-
      all(right(a) <= b.x or right(b) <= a.x or top(a) <= b.y or top(b) <= a.y
          for a in places for b in places if a.piece.number < b.piece.number)
minimize: max(top(p) for p in places)
"""
    )


MINIZINC = """
include "diffn.mzn";
include "cumulative.mzn";
int: pieces; int: width; int: longest;
array[1..pieces] of int: wide;
array[1..pieces] of int: high;
array[1..pieces] of var 0..width: x;
array[1..pieces] of var 0..longest: y;
var 0..longest: length;
constraint forall(p in 1..pieces) (x[p] + wide[p] <= width /\\ y[p] + high[p] <= length);
constraint diffn(x, y, wide, high);
constraint cumulative(x, wide, high, length);
constraint cumulative(y, high, wide, width);
solve :: int_search([length] ++ y ++ x, input_order, indomain_min) minimize length;
"""


def minizinc_data(data: PackingInstance) -> Mapping[str, Any]:
    return {
        "pieces": len(data.sides),
        "width": data.width,
        "longest": data.longest,
        "wide": [wide for wide, _ in data.sides],
        "high": [high for _, high in data.sides],
    }


def build_cpsat(data: PackingInstance) -> Model:
    model = cp_model.CpModel()
    area = sum(wide * high for wide, high in data.sides)
    length = model.new_int_var(-(-area // data.width), data.longest, "length")
    x = [model.new_int_var(0, data.width - wide, "") for wide, _ in data.sides]
    y = [model.new_int_var(0, data.longest - high, "") for _, high in data.sides]
    across = [model.new_fixed_size_interval_var(s, wide, "") for s, (wide, _) in zip(x, data.sides, strict=True)]
    along = [model.new_fixed_size_interval_var(s, high, "") for s, (_, high) in zip(y, data.sides, strict=True)]
    model.add_no_overlap_2d(across, along)
    model.add_cumulative(across, [high for _, high in data.sides], length)
    model.add_cumulative(along, [wide for wide, _ in data.sides], data.width)
    for s, (_, high) in zip(y, data.sides, strict=True):
        model.add(s + high <= length)
    model.minimize(length)
    return Model(model, {"x": x, "y": y})


def build_cpmpy(cp: Any, data: PackingInstance) -> Model:
    wide, high = map(list, zip(*data.sides, strict=True))
    x = [cp.intvar(0, data.width - each) for each in wide]
    y = [cp.intvar(0, data.longest - each) for each in high]
    area = sum(a * b for a, b in data.sides)
    length = cp.intvar(-(-area // data.width), data.longest)
    right = [a + b for a, b in zip(x, wide, strict=True)]
    top = [a + b for a, b in zip(y, high, strict=True)]
    model = cp.Model([each <= length for each in top])
    for a, b in combinations(range(len(x)), 2):
        model += (right[a] <= x[b]) | (right[b] <= x[a]) | (top[a] <= y[b]) | (top[b] <= y[a])
    model += cp.Cumulative(x, wide, right, high, length)
    model += cp.Cumulative(y, high, top, wide, data.width)
    model.minimize(length)
    return Model(model, {"x": x, "y": y})


def rows(_: PackingInstance, values: Values) -> Rows:
    return {
        "places": [
            {"piece": number, "x": x, "y": y}
            for number, (x, y) in enumerate(zip(values["x"], values["y"], strict=True), 1)
        ]
    }


KIND = Kind(
    name="packing",
    sizes=("6x10", "10x12", "12x14"),
    generate=generate,
    task=task,
    minizinc=MINIZINC,
    minizinc_data=minizinc_data,
    build_cpsat=build_cpsat,
    build_cpmpy=build_cpmpy,
    rows=rows,
)
