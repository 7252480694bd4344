"""Small towns, written by hand or drawn by Hypothesis, for tests that enumerate every route."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from hypothesis import strategies as st

from planspec.families.mobilitybench.map import (
    City,
    Fare,
    Junction,
    Period,
    Piece,
    Point,
    Road,
    Stop,
    Traffic,
    TransitLine,
)
from planspec.families.mobilitybench.map.records import Headway, RoadClass

CENTRE = Point(10_000_000, 50_000_000)
PERIODS = (Period("early", 0, 480), Period("peak", 480, 485), Period("later", 485, 1440))


def town(
    places: Sequence[tuple[int, int]],
    roads: Sequence[Road],
    pieces: Sequence[Piece],
    *,
    lights: Sequence[int] = (),
    traffic: Sequence[Traffic] = (),
    stops: Sequence[Stop] = (),
    lines: Sequence[TransitLine] = (),
    drives_left: bool = False,
) -> City:
    """Return a city that has only streets and transit lines. Places are offsets from the centre, in 1e-6 degrees."""
    junctions = tuple(
        Junction(n, Point(CENTRE.longitude + x, CENTRE.latitude + y), n in lights) for n, (x, y) in enumerate(places)
    )
    return City(
        name="Town",
        english="Town",
        country="Nowhere",
        province="Nowhere",
        language="en",
        currency="EUR",
        centre=CENTRE,
        seed=0,
        drives_left=drives_left,
        today="2026-05-11",
        districts=("Middle",),
        junctions=junctions,
        roads=tuple(roads),
        pieces=tuple(pieces),
        stops=tuple(stops),
        lines=tuple(lines),
        pois=(),
        addresses=(),
        periods=PERIODS,
        weather=(),
        traffic=tuple(traffic),
    )


@st.composite
def towns(draw: st.DrawFn, *, max_junctions: int = 5) -> City:
    """Draw a town with tolls, lights, one-way and parallel streets, and traffic.

    It has at most eleven pieces of street and `max_junctions` junctions.
    """
    count = draw(st.integers(2, max_junctions))
    places = draw(
        st.lists(
            st.tuples(st.integers(0, 8_000), st.integers(0, 8_000)),
            min_size=count,
            max_size=count,
            unique=True,
        )
    )
    kinds = draw(st.lists(st.sampled_from(get_args(RoadClass)[:5]), min_size=3, max_size=3))
    roads = [Road(n, f"Road {n}", f"Way {n}", kind) for n, kind in enumerate((*kinds, "residential"))]
    lengths = st.sampled_from([100, 100, 200, 300, 450, 1_000])
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda e: e[0] != e[1])
    drawn = draw(st.lists(st.tuples(ends, lengths, st.booleans(), st.booleans()), min_size=1, max_size=6))
    # every junction has a street that is not a motorway, so that places can be connected to it
    spine = [((n, (n + 1) % count), 700, draw(st.booleans()), False) for n in range(count)]
    pieces = []
    for n, ((tail, head), length, one_way, tolled) in enumerate([*drawn, *spine]):
        road = draw(st.integers(0, 2)) if n < len(drawn) else 3
        pieces.append(Piece(n, tail, head, road, length, one_way, 50 if tolled else 0))
    lights = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=count))
    percents = draw(st.lists(st.sampled_from([5, 25, 50, 90, 100]), min_size=12, max_size=12))
    traffic = [Traffic(k // 3, k % 3, "slow", percent, "") for k, percent in enumerate(percents) if percent < 100]
    return town(places, roads, pieces, lights=lights, traffic=traffic, drives_left=draw(st.booleans()))


@st.composite
def served_towns(draw: st.DrawFn) -> City:
    """Draw a town whose junctions form a row, joined by footpaths, with up to five lines that stop at some of them."""
    count = draw(st.integers(3, 6))
    places = [(3_500 * n, draw(st.integers(0, 300))) for n in range(count)]
    roads = [Road(0, "Road 0", "Way 0", "residential")]
    pieces = [Piece(n, n, n + 1, 0, draw(st.sampled_from([251, 400, 501]))) for n in range(count - 1)]
    base = town(places, roads, pieces)
    stops = [Stop(n, f"Stop {n}", f"Stop {n}", base.junctions[n].point, n) for n in range(count)]
    lines = []
    for n in range(draw(st.integers(1, 4))):
        stops_called = draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=4, unique=True))
        legs = len(stops_called) - 1
        running = draw(st.lists(st.sampled_from([30, 60, 120]), min_size=legs, max_size=legs))
        lengths = draw(st.lists(st.sampled_from([300, 900, 2_000]), min_size=legs, max_size=legs))
        every = draw(st.sampled_from([3, 5, 7]))
        fare = draw(st.sampled_from([Fare(10), Fare(5, 500, 3, 400), Fare(20, 1_000, 1, 1_000)]))
        first = draw(st.integers(476, 484))
        lines.append(
            TransitLine(
                n,
                f"Line {n}",
                (f"L{n}",),
                draw(st.sampled_from(["bus", "metro"])),
                tuple(stops_called),
                tuple(running),
                tuple(lengths),
                (Headway(first, first + 20, every),),
                (),
                fare,
            )
        )
    return town(places, roads, pieces, stops=stops, lines=lines)
