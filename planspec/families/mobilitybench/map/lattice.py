"""First draft of a town: junctions and the streets through them. Rivers, parks and names are added later."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Literal

from planspec.families.mobilitybench.map.specs import CitySpec

Rank = Literal["trunk", "primary", "secondary", "residential"]


@dataclass(slots=True)
class Street:
    """A line of junctions with one name.

    Attributes:
        rank: class of the street.
        nodes: indices of the junctions in order; a ring road ends where it begins.
        ring: number of the ring road, counted from the centre; 0 if the street is not a ring road.
    """

    rank: Rank
    nodes: list[int]
    ring: int = 0


@dataclass(slots=True)
class StreetDraft:
    """Positions of junctions in metres east and north of the centre, and the streets through them."""

    places: list[tuple[float, float]]
    streets: list[Street]
    radius_m: float


class Warp:
    """A smooth distortion of the plane by sums of sines. Its slopes are below one, so it is injective.

    Args:
        rng: random generator for directions and phases.
        strength: from 0 for straight streets to 1 for very crooked streets.
        block_m: distance between streets in metres.
    """

    def __init__(self, rng: Random, strength: float, block_m: float) -> None:
        self._waves = []
        for wavelength in (9 * block_m, 14 * block_m, 25 * block_m):
            for axis in (0, 1):
                angle = rng.uniform(0, 2 * math.pi)
                slope = strength * rng.uniform(0.12, 0.26)
                number = 2 * math.pi / wavelength
                wave = math.cos(angle) * number, math.sin(angle) * number
                self._waves.append((axis, wave, rng.uniform(0, 6.28), slope / number))

    def __call__(self, x: float, y: float) -> tuple[float, float]:
        shift = [x, y]
        for axis, (east, north), phase, size in self._waves:
            shift[axis] += size * math.sin(east * x + north * y + phase)
        return shift[0], shift[1]


def draft_streets(spec: CitySpec, rng: Random, count: int) -> StreetDraft:
    """Draft streets with about `count` junctions in the city's style: a grid, rings or crooked streets."""
    places, lines = _ring_streets(spec, count) if spec.style == "rings" else _grid_streets(spec, rng, count)
    strength = {"grid": 0.12, "rings": 0.55, "organic": 1.0}[spec.style]
    jitter = {"grid": 0.03, "rings": 0.10, "organic": 0.16}[spec.style] * spec.block_m
    warp = Warp(rng, strength, spec.block_m)
    moved = []
    for x, y in places:
        x, y = warp(x, y)
        moved.append((x + rng.uniform(-jitter, jitter), y + rng.uniform(-jitter, jitter)))
    return _clip_to_size(moved, lines, rng, count)


def _street_rank(index: int, is_wide: bool) -> Rank:
    if index % 8 == 0:
        return "trunk" if is_wide else "primary"
    if index % 4 == 0:
        return "secondary"
    return "residential"


def _grid_streets(spec: CitySpec, rng: Random, count: int) -> tuple[list[tuple[float, float]], list[Street]]:
    half = math.ceil(math.sqrt(count) * 0.62) + 1
    span = range(-half, half + 1)
    turn = math.radians(spec.rotation_deg)
    across, along = (
        _uneven_positions(rng, half, spec.block_m),
        _uneven_positions(rng, half, spec.block_m),
    )
    places = []
    for i in span:
        for j in span:
            x, y = across[i + half], along[j + half]
            places.append((x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)))
    side = len(span)
    lines = []
    for i in span:
        is_wide = i == 0 or i % 24 == 0
        lines.append(Street(_street_rank(i, is_wide), [(i + half) * side + j for j in range(side)]))
        lines.append(Street(_street_rank(i, is_wide), [j * side + i + half for j in range(side)]))
    return places, lines


def _uneven_positions(rng: Random, half: int, block_m: float) -> list[float]:
    """Return the positions in metres of `2 * half + 1` parallel streets at uneven distances, the middle one at 0."""
    steps = [block_m * rng.uniform(0.8, 1.2) for _ in range(2 * half)]
    at = [0.0]
    for step in steps:
        at.append(at[-1] + step)
    return [x - at[half] for x in at]


def _ring_streets(spec: CitySpec, count: int) -> tuple[list[tuple[float, float]], list[Street]]:
    block = spec.block_m
    rings = math.ceil(math.sqrt(count / math.pi) * 1.25) + 1
    fine = 8
    while 2 * math.pi * rings * block / fine > 1.7 * block:
        fine *= 2
    places: list[tuple[float, float]] = [(0.0, 0.0)]
    spokes: dict[int, list[int]] = {k * fine // 8: [0] for k in range(8)}
    lines = []
    many = 8
    for ring in range(1, rings + 1):
        while 2 * math.pi * ring / many > 1.7:
            many *= 2
        nodes = []
        for k in range(many):
            angle = 2 * math.pi * k / many
            slot = k * fine // many
            nodes.append(len(places))
            spokes.setdefault(slot, []).append(len(places))
            places.append((ring * block * math.cos(angle), ring * block * math.sin(angle)))
        rank: Rank = "residential"
        if ring % 3 == 0:
            rank = "trunk" if ring % 12 == 6 else "primary" if ring % 6 == 0 else "secondary"
        lines.append(Street(rank, [*nodes, nodes[0]], ring // 6 if ring % 6 == 0 else 0))
    for slot, nodes in sorted(spokes.items()):
        step = fine // 8
        spoke: Rank = "residential"
        if slot % step == 0:
            spoke = "trunk" if slot // step % 2 == 0 else "primary"
        elif slot % max(1, step // 4) == 0:
            spoke = "secondary"
        lines.append(Street(spoke, nodes))
    return places, lines


def _clip_to_size(places: list[tuple[float, float]], lines: list[Street], rng: Random, count: int) -> StreetDraft:
    """Keep the `count` junctions nearest to the centre.

    Distances to the centre are distorted, which gives the town an uneven outline.
    """
    lobes = [(n, rng.uniform(0, 6.28), rng.uniform(0.02, 0.09)) for n in (2, 3, 5)]

    def measure(index: int) -> float:
        x, y = places[index]
        angle = math.atan2(y, x)
        return math.hypot(x, y) / (1 + sum(size * math.sin(n * angle + phase) for n, phase, size in lobes))

    inner = sorted(sorted(range(len(places)), key=measure)[:count])
    radius = max(measure(index) for index in inner)
    renumbered = {old: new for new, old in enumerate(inner)}
    streets = []
    for line in lines:
        streets += [Street(line.rank, run, line.ring) for run in _runs_inside(line.nodes, renumbered)]
    return StreetDraft([places[index] for index in inner], streets, radius)


def _runs_inside(nodes: list[int], renumbered: dict[int, int]) -> list[list[int]]:
    """Return the parts of a street inside the town, as lists of new junction indices.

    `renumbered` maps old indices to new ones and lacks the junctions outside.
    """
    runs: list[list[int]] = [[]]
    for node in nodes:
        if node in renumbered:
            runs[-1].append(renumbered[node])
        elif runs[-1]:
            runs.append([])
    if len(runs) > 1 and nodes[0] == nodes[-1] and nodes[0] in renumbered:
        runs[0] = runs.pop()[:-1] + runs[0]
    return [run for run in runs if len(run) > 1]
