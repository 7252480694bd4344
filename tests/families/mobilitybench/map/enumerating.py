"""Brute-force enumeration of all routes in a small town, as a reference for the search algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import atan2, ceil, degrees, floor

from planspec.families.mobilitybench.map import City, Piece
from planspec.families.mobilitybench.map.network import LIGHT_MS, SPEED_M_H, TURNS_MS, network

DAY = 86_400_000


Arc = tuple[int, bool]
"""A piece of street, and whether it is driven from its head to its tail."""
Crossing = Callable[[City, Arc, int], int]


def arcs(city: City, banned: Callable[[Piece], bool]) -> list[Arc]:
    """Return all pieces of streets that may be driven, once for each permitted direction."""
    return [
        (piece.id, back)
        for piece in city.pieces
        if not banned(piece)
        for back in (False, True)
        if not (back and piece.one_way)
    ]


def tail(city: City, arc: Arc) -> int:
    """Return the junction at which a directed piece of street begins."""
    piece = city.pieces[arc[0]]
    return piece.head if arc[1] else piece.tail


def head(city: City, arc: Arc) -> int:
    """Return the junction at which a directed piece of street ends."""
    return tail(city, (arc[0], not arc[1]))


def is_reachable(city: City, a: int, b: int, banned: Callable[[Piece], bool]) -> bool:
    """Return whether one can drive from one junction to another."""
    reached, queue = {a}, [a]
    while queue:
        at = queue.pop()
        for arc in arcs(city, banned):
            if tail(city, arc) == at and head(city, arc) not in reached:
                reached.add(head(city, arc))
                queue.append(head(city, arc))
    return b in reached


def least_value(
    city: City,
    start_and_goal: tuple[int, int],
    banned: Callable[[Piece], bool],
    static: Callable[[int, Piece], tuple[int, ...]],
    begin: int,
    max_value: tuple[int, ...],
    cross: Crossing,
    *,
    back: bool = False,
) -> tuple[int, ...] | None:
    """Return the smallest value of any route, or None if no route has a value of at most `max_value`.

    A value is a tuple that is compared lexicographically: sums of the criteria that `static` computes for traffic
    lights and pieces of streets, then the travel time in milliseconds. No component decreases along a route, so a route
    is not extended once its value exceeds `max_value`. If `back` is true, routes are built backwards from an arrival at
    `begin`.
    """
    values: list[tuple[int, ...]] = []
    start, goal = reversed(start_and_goal) if back else start_and_goal
    allowed = arcs(city, banned)
    none = static(0, replace(city.pieces[0], length_m=0))

    def extend(at: int, way: tuple[Arc, ...], sums: tuple[int, ...], now: int) -> None:
        value = (*sums, abs(now - begin))
        if value > max_value:
            return
        if at == goal and way:
            values.append(value)
        for arc in allowed:
            near, far = (head, tail) if back else (tail, head)
            if near(city, arc) != at or arc in way:
                continue
            lights, later = 0, now
            if way:
                lights = int(city.junctions[at].light)
                turn = turn_ms(city, arc, way[-1]) if back else turn_ms(city, way[-1], arc)
                later = now - turn if back else now + turn
            more = static(lights, city.pieces[arc[0]])
            total = tuple(x + y for x, y in zip(sums, more, strict=True))
            extend(far(city, arc), (*way, arc), total, cross(city, arc, later))

    extend(start, (), none, begin)
    return min(values, default=None)


@cache
def turn_ms(city: City, one: Arc, other: Arc) -> int:
    """Return the time in milliseconds for the turn from one directed piece of a street into another."""
    wait = LIGHT_MS * city.junctions[head(city, one)].light
    if one[0] == other[0]:
        return wait + TURNS_MS["back"]
    swing = (heading(city, other) - heading(city, one) + 180) % 360 - 180
    if abs(swing) < 40:
        return wait
    towards_the_lane = (swing > 0) != city.drives_left
    return wait + TURNS_MS["near" if towards_the_lane else "far"]


def heading(city: City, arc: Arc) -> int:
    """Return the direction of a directed piece of street in degrees."""
    flat = network(city).flat
    piece = city.pieces[arc[0]]
    a, b = (piece.head, piece.tail) if arc[1] else (piece.tail, piece.head)
    return round(degrees(atan2(flat[b][0] - flat[a][0], flat[b][1] - flat[a][1]))) % 360


@cache
def free_ms(city: City, arc: Arc) -> int:
    """Return the time in milliseconds to drive through a piece of street without traffic, rounded up."""
    piece = city.pieces[arc[0]]
    return ceil(Fraction(piece.length_m * 3_600_000, SPEED_M_H[city.roads[piece.road].kind]))


def percent(city: City, road: int, at: Fraction) -> tuple[int, Fraction, Fraction]:
    """Return the speed on a road at a time, as a percentage of the free speed.

    Returns:
        The percentage, and the start and the end of its period in milliseconds.
    """
    day = at // DAY * DAY
    minute = (at - day) / 60_000
    for number, period in enumerate(city.periods):
        if period.start_min <= minute < period.end_min:
            percents = [t.percent for t in city.traffic if (t.road, t.period) == (road, number)]
            return (
                (percents or [100])[0],
                Fraction(day + period.start_min * 60_000),
                Fraction(day + period.end_min * 60_000),
            )
    raise AssertionError


@cache
def exit_ms(city: City, arc: Arc, at: int) -> int:
    """Return the time in milliseconds, rounded up, at which a vehicle that enters a piece of street at `at` leaves it."""
    left, now = Fraction(free_ms(city, arc)), Fraction(at)
    while True:
        share, _, until = percent(city, city.pieces[arc[0]].road, now)
        needed = left * 100 / share
        if now + needed <= until:
            return ceil(now + needed)
        left -= (until - now) * share / 100
        now = until


@cache
def last_entry_ms(city: City, arc: Arc, at: int) -> int:
    """Return the latest time in milliseconds at which a vehicle may enter a piece of street to leave it by `at`.

    The motion is computed exactly backwards in time, and the result is rounded down.
    """
    left, now = Fraction(free_ms(city, arc)), Fraction(at)
    while True:
        share, since, _ = percent(city, city.pieces[arc[0]].road, now - Fraction(1, 1000))
        needed = left * 100 / share
        if now - needed >= since:
            return floor(now - needed)
        left -= (now - since) * share / 100
        now = since
