"""Motorways of generated cities. Each has two one-way carriageways, connected to the streets by ramps only."""

from __future__ import annotations

import math
from random import Random

from planspec.families.mobilitybench.map.geometry import Plane, PointIndex
from planspec.families.mobilitybench.map.ground import CARS, CityGround, River, Stretch
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.records import Point
from planspec.families.mobilitybench.map.specs import CitySpec

CARRIAGEWAY_OFFSET_M = 14.0
"""Distance in metres from the centre line of a motorway to the centre line of each carriageway."""


def lay_motorways(spec: CitySpec, rng: Random, ground: CityGround, names: NameGenerator, river: River | None) -> None:
    """Add a ring motorway and radial motorways that meet it. Only radial motorways may have tolls."""
    builder = _MotorwayBuilder(spec, ground, names, river)
    radius = ground.radius_m
    count = max(8, round(2 * math.pi * radius * 0.62 / (2.2 * spec.block_m)))
    wobble = rng.uniform(0, 6.28)
    ring = []
    for k in range(count):
        angle = 2 * math.pi * k / count
        distance_m = radius * 0.62 * (1 + 0.06 * math.sin(2 * angle + wobble) + 0.03 * math.sin(5 * angle))
        ring.append((distance_m * math.cos(angle), distance_m * math.sin(angle)))
    local, english = names.words["ring_motorway"]
    name = names.make_unique(local), english
    round_about = builder.lay_motorway(name, ring, 0, closed=True, interchange_step=3)
    tunnel = rng.randrange(2)
    radials = spec.expressways if len(ground.places) > 500 else 1
    start = rng.uniform(0, 6.28)
    for k in range(radials):
        angle = start + 2 * math.pi * k / radials + rng.uniform(-0.2, 0.2)
        bend = rng.uniform(-0.25, 0.25)
        inner, outer = 0.34 * radius, 0.96 * radius
        steps = max(3, round((outer - inner) / (2.2 * spec.block_m)))
        line = []
        for i in range(steps + 1):
            distance_m = inner + (outer - inner) * i / steps
            line.append(
                (
                    distance_m * math.cos(angle + bend * i / steps),
                    distance_m * math.sin(angle + bend * i / steps),
                )
            )
        toll = 0 if k == tunnel and radials > 1 else spec.toll_km
        radial = builder.lay_motorway(names.draw_road_name("motorway"), line, toll, closed=False, interchange_step=4)
        builder.lay_ramps_between(round_about, radial)


class _MotorwayBuilder:
    def __init__(self, spec: CitySpec, ground: CityGround, names: NameGenerator, river: River | None) -> None:
        self._spec, self._ground, self._names, self._river = spec, ground, names, river
        self._plane = Plane(Point(0, 0))
        entries = set()
        for stretch in ground.stretches:
            if "drive" in stretch.modes and ground.roads[stretch.road][2] in {
                "trunk",
                "primary",
                "secondary",
            }:
                entries |= {stretch.tail, stretch.head}
        self._entries = self._index_of(sorted(entries))

    def _index_of(self, nodes: list[int]) -> PointIndex:
        points = ((node, self._plane.point(*self._ground.places[node])) for node in nodes)
        return PointIndex(points, Point(0, 0))

    def lay_motorway(
        self,
        name: tuple[str, str],
        line: list[tuple[float, float]],
        toll_km: int,
        *,
        closed: bool,
        interchange_step: int,
    ) -> list[tuple[int, int]]:
        """Add both carriageways along a line.

        Return a pair of junctions for each point, one on the right and one on the left carriageway.

        Args:
            name: name in the city's language and in English.
            line: points in metres around the centre.
            toll_km: toll per km in minor units.
            closed: whether the motorway is a ring.
            interchange_step: number of points from one interchange to the next. Both ends also have interchanges.
        """
        ground = self._ground
        road = ground.add_road(name, "motorway")
        pairs = []
        for i, (x, y) in enumerate(line):
            before = line[i - 1] if i or closed else line[i]
            after = line[(i + 1) % len(line)] if i + 1 < len(line) or closed else line[i]
            length = math.dist(before, after) or 1.0
            east, north = (after[0] - before[0]) / length, (after[1] - before[1]) / length
            ground.places += [
                (x + north * CARRIAGEWAY_OFFSET_M, y - east * CARRIAGEWAY_OFFSET_M),
                (x - north * CARRIAGEWAY_OFFSET_M, y + east * CARRIAGEWAY_OFFSET_M),
            ]
            pairs.append((len(ground.places) - 2, len(ground.places) - 1))
        following = list(zip(pairs, pairs[1:] + pairs[:1] if closed else pairs[1:], strict=False))
        for (right, left), (next_right, next_left) in following:
            for tail, head in ((right, next_right), (next_left, left)):
                toll = round(toll_km * ground.distance_m(tail, head) / 1000)
                is_bridge = self._crosses_river(tail, head)
                ground.stretches.append(Stretch(tail, head, road, CARS, True, toll, bridge=is_bridge))
        local, english = self._names.words["ramp"]
        ramp = ground.add_road(
            (self._names.make_unique(local.format(of=name[0])), english.format(of=name[1])), "motorway"
        )
        ends = {0, len(pairs) - 1} if not closed else set()
        for i, (right, left) in enumerate(pairs):
            if i % interchange_step == 0 or i in ends:
                self._lay_interchange(ramp, right, left, is_required=i in ends)
        if not closed:
            ground.stretches.append(Stretch(*pairs[-1], ramp, CARS, True))
            ground.stretches.append(Stretch(pairs[0][1], pairs[0][0], ramp, CARS, True))
        return pairs

    def _crosses_river(self, tail: int, head: int) -> bool:
        if self._river is None:
            return False
        places = self._ground.places
        return self._river.across(places[tail]) * self._river.across(places[head]) < 0

    def _lay_interchange(self, ramp: int, right: int, left: int, *, is_required: bool) -> None:
        middle = self._plane.point(*self._ground.places[right])
        street = self._entries.nearest_key(middle)
        if street is None or self._crosses_river(right, street):
            return
        if is_required or self._ground.distance_m(street, right) < 2.5 * self._spec.block_m:
            for lane in (right, left):
                self._ground.stretches.append(Stretch(lane, street, ramp, CARS, True))
                self._ground.stretches.append(Stretch(street, lane, ramp, CARS, True))

    def lay_ramps_between(self, ring: list[tuple[int, int]], radial: list[tuple[int, int]]) -> None:
        """Add ramps between a ring and a radial motorway at their nearest points."""
        pairs = [(ring_pair, radial_pair) for ring_pair in ring for radial_pair in radial]
        ring_pair, radial_pair = min(pairs, key=lambda pair: (self._ground.distance_m(pair[0][0], pair[1][0]), pair))
        local, english = self._names.words["ramp"]
        crossing = self._ground.roads[
            next(s.road for s in self._ground.stretches if radial_pair[0] in (s.tail, s.head))
        ]
        name = self._names.make_unique(local.format(of=crossing[0])), english.format(of=crossing[1])
        ramp = self._ground.add_road(name, "motorway")
        for lane in ring_pair:
            for other in radial_pair:
                self._ground.stretches.append(Stretch(lane, other, ramp, CARS, True))
                self._ground.stretches.append(Stretch(other, lane, ramp, CARS, True))
