"""Comparison of the figures that an answer gives for a route, such as its duration, with the recorded figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.cells import (
    display_value,
    read_count,
    read_metres,
    read_minor,
    read_minutes,
)
from planspec.families.mobilitybench.format.clock import TimeOfDay, read_clock
from planspec.families.mobilitybench.format.tables import MobilityBenchTables

ROUNDING = 1
"""Minimum tolerance for durations in minutes, since an agent may round differently."""


def differing_figures(
    tables: MobilityBenchTables, route: Row, values: Mapping[str, Any], is_given: Callable[[str], bool]
) -> list[str]:
    """Return the figures in an answer that differ from the route's, each as a string such as `duration 45 min`.

    Args:
        tables: tables of the task. They hold the tolerances.
        route: the route that the answer names.
        values: figures in the answer, by name.
        is_given: function that returns whether the answer gives the figure with a name.
    """
    return [
        f"{name} {display_value(values[name])}"
        for name, agrees in _figure_checks(tables, route)
        if is_given(name) and not agrees(values)
    ] + (
        []
        if not (is_given("depart") or is_given("arrive"))
        else list(_differing_times(tables, route, values, is_given))
    )


def refers_to_route(tables: MobilityBenchTables, routes: list[Row], index: Any) -> bool:
    """Return whether an index refers to one of the routes.

    The index is the id of a route, or the position of a route, from 0, in the result of some call.
    """
    if isinstance(index, str):
        named = tables.route(index)
        if named is not None:
            return any(route is named for route in routes)
        index = int(index) if index.strip().isdecimal() and len(index) < 10 else None
    if not isinstance(index, int | Decimal) or isinstance(index, bool) or not 0 <= index < 10**9:
        return False
    return any(str(route._key[0]).rpartition("-")[2] == str(int(index) + 1) for route in routes)


def _figure_checks(
    tables: MobilityBenchTables, route: Any
) -> Iterator[tuple[str, Callable[[Mapping[str, Any]], bool]]]:
    money = tables.task.currency
    time_share, length_share = (Fraction(tables.given(name)) for name in ("time_tolerance", "length_tolerance"))

    def check(name: str, read: Callable[[Any], int], recorded: int, tolerance: Fraction) -> Any:
        return name, lambda fields: _agrees(fields[name], read, lambda value: abs(value - recorded) <= tolerance)

    yield check("duration", read_minutes, route.time, max(route.time * time_share, Fraction(ROUNDING)))
    yield check("distance", read_metres, route.length, route.length * length_share)
    for name, column in (("transfers", "transfers"), ("traffic_lights", "lights")):
        yield check(name, read_count, getattr(route, column), Fraction(0))
    for name in ("tolls", "fare"):
        yield check(name, lambda value: read_minor(value, money), getattr(route, name), Fraction(0))


def _agrees(value: Any, read: Callable[[Any], Any], agrees: Callable[[Any], bool]) -> bool:
    """Return whether a value can be read and passes the check `agrees`."""
    try:
        return agrees(read(value))
    except InvalidValueError:
        return False


def _differing_times(
    tables: MobilityBenchTables, route: Any, values: Mapping[str, Any], is_given: Callable[[str], bool]
) -> Iterator[str]:
    """Yield the times of departure and arrival in an answer that differ from the route's.

    If the route lacks one of these times, the answer's departure and arrival must fit the route's duration.
    """
    late = int(tables.given("late"))
    clocks: dict[str, TimeOfDay] = {}
    for name in filter(is_given, ("depart", "arrive")):
        try:
            clocks[name] = read_clock(values[name])
        except InvalidValueError:
            yield f"{name} {display_value(values[name])}"
            continue
        right = getattr(route, name)
        off = 0 if right is None else (clocks[name].minutes - right) % MINUTES_A_DAY
        if min(off, MINUTES_A_DAY - off) > late:
            yield f"{name} {display_value(values[name])}"
    if len(clocks) == 2 and (route.depart is None or route.arrive is None):
        # answers give times of day without a date, so durations are compared modulo a day
        off = (clocks["arrive"].minutes - clocks["depart"].minutes - route.time) % MINUTES_A_DAY
        if min(off, MINUTES_A_DAY - off) > max(late, route.time * Fraction(tables.given("time_tolerance"))):
            yield f"depart {display_value(values['depart'])} and arrive {display_value(values['arrive'])}"
