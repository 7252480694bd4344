"""Sizes of generated fact bases: as shipped, as in the paper, or interpolated by the number of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

SHIPPED_DOCUMENTS, PAPER_DOCUMENTS = 2000, 8210
"""Number of documents in the corpus that planspec ships, and in the VeriTrip paper's corpus.

A larger corpus has the same fact base as a corpus of the paper's size.
"""
PAPER_IMAGES, PAPER_QUERIES = 4146, 228
COUNTRIES = {"china": "CNY", "usa": "USD"}
"""Currency by country. Each country has its own fact base, since a fact base has one currency."""
FIRST_CITIES = {"china": ("Beijing", "Shanghai", "Hangzhou"), "usa": ("New York", "Washington", "Boston")}
"""Cities of the fact base that planspec ships, by country."""
FURTHER_CITIES = (
    ("china", "Guangzhou"),
    ("usa", "Los Angeles"),
    ("china", "Nanjing"),
    ("china", "Xi'an"),
    ("usa", "San Francisco"),
    ("china", "Chengdu"),
    ("china", "Changsha"),
    ("usa", "Seattle"),
    ("china", "Chongqing"),
)
"""Countries and names of the cities of larger bases, in the order in which they are added."""


@dataclass(frozen=True, slots=True)
class BaseSize:
    """Numbers of cities, services (trains and flights) and places in a fact base.

    A hotel counts once, however many rooms it has.
    """

    cities: int
    services: int
    restaurants: int
    hotels: int
    attractions: int
    pois: int


PAPER = BaseSize(15, 57_773, 4304, 3613, 1056, 7400)
"""Size of the fact base in the VeriTrip paper (Table 2)."""
SERVICE_SHARES = {"china": 85, "usa": 15}
"""Each country's percentage of the trains and flights in a fact base of the paper's size.

The USA has flights only.
"""


def cities_of(document_count: int) -> dict[str, tuple[str, ...]]:
    """Return the cities of each country's base, given the number of documents of the corpus."""
    more = round((PAPER.cities - 6) * size_fraction(document_count))
    return {
        country: (*first, *(city for city_country, city in FURTHER_CITIES[:more] if city_country == country))
        for country, first in FIRST_CITIES.items()
    }


def size_fraction(document_count: int) -> float:
    """Return the position of a document count between the shipped size (0.0) and the paper's size (1.0)."""
    between = (document_count - SHIPPED_DOCUMENTS) / (PAPER_DOCUMENTS - SHIPPED_DOCUMENTS)
    return min(1.0, max(0.0, between))


def interpolated_size(shipped: BaseSize, document_count: int) -> BaseSize:
    """Return the total size of the fact bases, interpolated between the shipped size and the paper's."""
    share = size_fraction(document_count)
    return BaseSize(
        *(
            round(least + (most - least) * share)
            for least, most in ((getattr(shipped, f.name), getattr(PAPER, f.name)) for f in fields(BaseSize))
        )
    )


def even_parts(total: int, minimums: Mapping[str, int]) -> dict[str, int]:
    """Split a number into parts that are as even as the minimums allow.

    Args:
        total: number to split, at least the sum of the minimums.
        minimums: minimal sizes, keyed by the name of the part. A remainder goes to the first of equal parts.
    """
    parts, left = dict(minimums), total - sum(minimums.values())
    names: Sequence[str] = list(minimums)
    while left > 0:
        low = min(parts.values())
        lowest = [name for name in names if parts[name] == low]
        above = min((parts[name] for name in names if parts[name] > low), default=None)
        step = max(1, min(left // len(lowest), (above - low) if above is not None else left))
        for name in lowest[: left // step if left < step * len(lowest) else len(lowest)]:
            parts[name] += step
            left -= step
    return parts
