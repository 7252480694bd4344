"""Neighbours of a place, for pages that name them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from planspec.families.veritrip.facts import AnyPlace

_METRES_OF_A_DEGREE = 111_195


class Neighbours:
    """Search for the nearest places in the same city, in time linear in those of the city.

    Args:
        places: places to search.
    """

    def __init__(self, places: Iterable[AnyPlace]) -> None:
        self._cities: dict[str, list[tuple[float, float, AnyPlace]]] = defaultdict(list)
        for place in places:
            self._cities[place.city].append((float(place.latitude), float(place.longitude), place))

    def nearest(self, place: AnyPlace, count: int) -> Sequence[tuple[str, int]]:
        """Return names and distances in metres as the crow flies, rounded to 100, nearest first.

        Args:
            place: place, which is not among the results.
            count: maximal number of results.
        """
        latitude, longitude = float(place.latitude), float(place.longitude)
        wide = _cosine(latitude)
        distances = [
            (round(metres / 100) * 100, other.name)
            for north, east, other in self._cities.get(place.city, ())
            if other.name != place.name
            and (
                metres := _METRES_OF_A_DEGREE
                * ((north - latitude) ** 2 + ((east - longitude) * wide) ** 2) ** 0.5
            )
            < 30_000
        ]
        return [(name, metres) for metres, name in sorted(distances)[:count]]


def _cosine(degrees: float) -> float:
    """Return the cosine of an angle in degrees, by sums and products.

    `math.cos` may differ in its last bit between machines.
    """
    square = (degrees * 0.017453292519943295) ** 2
    term = total = 1.0
    for step in range(1, 12):
        term *= -square / ((2 * step - 1) * (2 * step))
        total += term
    return total


def away(metres: int) -> str:
    """Write a distance in words: `a few steps`, `700 metres`, `1.4 km`."""
    if metres < 200:
        return "a few steps"
    return f"{metres} metres" if metres < 1000 else f"{metres // 1000}.{metres % 1000 // 100} km"
