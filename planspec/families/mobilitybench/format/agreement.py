"""Agreement of a MobilityBench answer's statements about a route with the recorded route."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.cells import (
    read_count,
    read_metres,
    read_minor,
    read_minutes,
    shown,
)
from planspec.families.mobilitybench.format.clock import TimeOfDay, read_clock
from planspec.families.mobilitybench.format.tables import MobilityBenchTables

ROUNDING = 1
"""Durations are whole minutes: one that is rounded otherwise is no other one."""


def differing(
    tables: MobilityBenchTables, route: Row, said: Mapping[str, Any], has: Callable[[str], bool]
) -> list[str]:
    """The figures of an object that differ from those of the route, as texts.

    Args:
        tables: of the task; its tolerances count.
        route: that the object names.
        said: the object.
        has: says whether a figure is there.
    """
    return [
        f"{name} {shown(said[name])}" for name, agrees in _figures(tables, route) if has(name) and not agrees(said)
    ] + ([] if not (has("depart") or has("arrive")) else list(_times(tables, route, said, has)))  # fmt: skip


def same_route(tables: MobilityBenchTables, routes: list[Row], index: Any) -> bool:
    """An index names one of the routes: by its id or, where no call is known, by its number within its call."""
    if isinstance(index, str):
        named = tables.route(index)
        if named is not None:
            return any(route is named for route in routes)
        index = int(index) if index.strip().isdecimal() and len(index) < 10 else None
    if not isinstance(index, int | Decimal) or isinstance(index, bool) or not 0 <= index < 10**9:
        return False
    return any(str(route._key[0]).rpartition("-")[2] == str(int(index) + 1) for route in routes)


def _figures(
    tables: MobilityBenchTables, route: Any
) -> Iterator[tuple[str, Callable[[Mapping[str, Any]], bool]]]:
    money = tables.task.currency
    time, length = (Fraction(tables.given(name)) for name in ("time_tolerance", "length_tolerance"))

    def near(name: str, read: Callable[[Any], int], right: int, off: Fraction) -> Any:
        return name, lambda said: _told(said[name], read, lambda value: abs(value - right) <= off)

    yield near("duration", read_minutes, route.time, max(route.time * time, Fraction(ROUNDING)))
    yield near("distance", read_metres, route.length, route.length * length)
    for name, column in (("transfers", "transfers"), ("traffic_lights", "lights")):
        yield near(name, read_count, getattr(route, column), Fraction(0))
    for name in ("tolls", "fare"):
        yield near(name, lambda said: read_minor(said, money), getattr(route, name), Fraction(0))


def _told(said: Any, read: Callable[[Any], Any], agrees: Callable[[Any], bool]) -> bool:
    """A value can be read, and is right."""
    try:
        return agrees(read(said))
    except InvalidValueError:
        return False


def _times(
    tables: MobilityBenchTables, route: Any, said: Mapping[str, Any], has: Callable[[str], bool]
) -> Iterator[str]:
    """The times that are not the route's; of one at any time, both together if it does not take so long."""
    late = int(tables.given("late"))
    clocks: dict[str, TimeOfDay] = {}
    for name in filter(has, ("depart", "arrive")):
        try:
            clocks[name] = read_clock(said[name])
        except InvalidValueError:
            yield f"{name} {shown(said[name])}"
            continue
        right = getattr(route, name)
        off = 0 if right is None else (clocks[name].minutes - right) % MINUTES_A_DAY
        if min(off, MINUTES_A_DAY - off) > late:
            yield f"{name} {shown(said[name])}"
    if len(clocks) == 2 and (route.depart is None or route.arrive is None):
        # times of a day say nothing of how many days a long drive takes
        off = (clocks["arrive"].minutes - clocks["depart"].minutes - route.time) % MINUTES_A_DAY
        if min(off, MINUTES_A_DAY - off) > max(late, route.time * Fraction(tables.given("time_tolerance"))):
            yield f"depart {shown(said['depart'])} and arrive {shown(said['arrive'])}"
