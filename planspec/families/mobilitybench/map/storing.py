"""Files of cities: one line of JSON. Equal cities have equal bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.records import City
from planspec.files import replace_bytes

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@cache
def _adapter() -> TypeAdapter[City]:
    from pydantic import TypeAdapter

    return TypeAdapter(City)


def dump(city: City) -> bytes:
    """Return a city as JSON in UTF-8."""
    return _adapter().dump_json(city) + b"\n"


def save(city: City, path: Path) -> None:
    """Write a city to a file."""
    replace_bytes(path, dump(city))


def load(path: Path) -> City:
    """Read a saved city.

    Raises:
        ValueError: the file is not a city, or a record refers to a missing record. This includes pydantic's
            validation errors.
        OSError: the file cannot be read.
    """
    city = _adapter().validate_json(read_bytes(path, RECORDS_BYTES))
    fault = _first_fault(city)
    if fault is not None:
        raise ValueError(f"{path}: {fault}")
    return city


def _first_fault(city: City) -> str | None:
    """Return a message about the first invalid reference or value, or None if all are valid."""
    junctions, roads, stops = len(city.junctions), len(city.roads), len(city.stops)
    numbered = {
        "junction": [junction.id for junction in city.junctions],
        "road": [road.id for road in city.roads],
        "piece": [piece.id for piece in city.pieces],
        "stop": [stop.id for stop in city.stops],
        "line": [line.id for line in city.lines],
        "poi": [poi.id for poi in city.pois],
    }
    for name, ids in numbered.items():
        if ids != list(range(len(ids))):
            return f"the {name}s are not numbered from 0"
    for piece in city.pieces:
        if not (0 <= piece.tail < junctions and 0 <= piece.head < junctions and 0 <= piece.road < roads):
            return f"piece {piece.id} refers to a missing junction or road"
        if piece.length_m < 1 or piece.toll < 0:
            return f"piece {piece.id} has no length, or a negative toll"
    for line in city.lines:
        if not all(0 <= stop < stops for stop in line.stops):
            return f"line {line.id} refers to a missing stop"
        if len(line.running_s) != len(line.stops) - 1 or len(line.lengths_m) != len(line.stops) - 1:
            return f"line {line.id} needs one running time and one length fewer than stops"
        if min((*line.running_s, *line.lengths_m), default=1) < 1:
            return f"line {line.id} has a section without time or length"
    if not all(0 <= stop.junction < junctions for stop in city.stops):
        return "a stop is at no junction"
    if not all(0 <= t.road < roads and 0 <= t.period < len(city.periods) for t in city.traffic):
        return "traffic is on no road, or in no period"
    if not all(1 <= t.percent <= 100 for t in city.traffic):
        return "traffic is not between 1 and 100 percent of the free speed"
    if not all(0 <= address.road < roads for address in city.addresses):
        return "an address is on no road"
    bounds = [0, *(period.end_min for period in city.periods)]
    if [*(period.start_min for period in city.periods), MINUTES_A_DAY] != bounds:
        return "the periods leave gaps in the day"
    return None
