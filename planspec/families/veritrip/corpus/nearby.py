"""Neighbours of a place, for pages that name them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from planspec.families.veritrip.facts import AnyPlace

_METRES_PER_DEGREE = 111_195


class NeighbourSearch:
    """Search for the nearest places in the same city.

    A search takes time linear in the number of the city's places.

    Args:
        places: places to search.
    """

    def __init__(self, places: Iterable[AnyPlace]) -> None:
        self._cities: dict[str, list[tuple[float, float, AnyPlace]]] = defaultdict(list)
        for place in places:
            self._cities[place.city].append((float(place.latitude), float(place.longitude), place))

    def nearest(self, place: AnyPlace, count: int) -> Sequence[tuple[str, int]]:
        """Return the names and distances of the nearest places within 30 km, nearest first.

        Distances are in metres as the crow flies, rounded to 100.

        Args:
            place: place to search around.
            count: maximal number of results.
        """
        latitude, longitude = float(place.latitude), float(place.longitude)
        wide = _cosine(latitude)
        distances = [
            (round(metres / 100) * 100, other.name)
            for north, east, other in self._cities.get(place.city, ())
            if other.name != place.name
            and (metres := _METRES_PER_DEGREE * ((north - latitude) ** 2 + ((east - longitude) * wide) ** 2) ** 0.5)
            < 30_000
        ]
        return [(name, metres) for metres, name in sorted(distances)[:count]]


def _cosine(degrees: float) -> float:
    """Return the cosine of an angle in degrees, computed by its Taylor series.

    The result is the same on all machines, while the result of `math.cos` may differ in the last bit.
    """
    square = (degrees * 0.017453292519943295) ** 2
    term = total = 1.0
    for step in range(1, 12):
        term *= -square / ((2 * step - 1) * (2 * step))
        total += term
    return total


def distance_phrase(metres: int) -> str:
    """Write a distance as `a few steps`, `700 metres` or `1.4 km`."""
    if metres < 200:
        return "a few steps"
    return f"{metres} metres" if metres < 1000 else f"{metres // 1000}.{metres % 1000 // 100} km"
