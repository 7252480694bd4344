"""Size of a generated fact base: as shipped, as in the paper, or in between, by the number of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

SHIPPED_DOCUMENTS, PAPER_DOCUMENTS = 2000, 8210
"""Numbers of documents of the two known sizes; the base does not change beyond them."""
PAPER_IMAGES, PAPER_QUERIES = 4146, 228
COUNTRIES = {"china": "CNY", "usa": "USD"}
"""Countries with their currencies: each country is a world, since a world has one currency."""
FIRST_CITIES = {"china": ("Beijing", "Shanghai", "Hangzhou"), "usa": ("New York", "Washington", "Boston")}
"""Cities of the shipped base."""
FURTHER_CITIES = (
    ("china", "Guangzhou"), ("usa", "Los Angeles"), ("china", "Nanjing"), ("china", "Xi'an"), ("usa", "San Francisco"),
    ("china", "Chengdu"), ("china", "Changsha"), ("usa", "Seattle"), ("china", "Chongqing"),
)  # fmt: skip
"""Additional cities of larger bases, in the order in which they are added."""


@dataclass(frozen=True, slots=True)
class BaseSize:
    """Numbers of rows of a fact base; hotels are counted, not their rooms."""

    cities: int
    services: int
    restaurants: int
    hotels: int
    attractions: int
    pois: int


PAPER = BaseSize(15, 57_773, 4304, 3613, 1056, 7400)
"""Size in the paper's Table 2, with its 15 cities."""
SERVICE_SHARES = {"china": 85, "usa": 15}
"""Percentages of the services of a base of the paper's size: the USA has flights only."""


def cities_of(documents: int) -> dict[str, tuple[str, ...]]:
    """Return the cities of each country's base for a number of documents."""
    more = round((PAPER.cities - 6) * share_of(documents))
    return {
        country: (*first, *(city for where, city in FURTHER_CITIES[:more] if where == country))
        for country, first in FIRST_CITIES.items()
    }


def share_of(documents: int) -> float:
    """Return the position of a corpus size between the shipped one (0) and the paper's (1)."""
    between = (documents - SHIPPED_DOCUMENTS) / (PAPER_DOCUMENTS - SHIPPED_DOCUMENTS)
    return min(1.0, max(0.0, between))


def sized(shipped: BaseSize, documents: int) -> BaseSize:
    """Return the size of both countries' bases together, in proportion to the number of documents."""
    share = share_of(documents)
    return BaseSize(
        *(
            round(least + (most - least) * share)
            for least, most in ((getattr(shipped, f.name), getattr(PAPER, f.name)) for f in fields(BaseSize))
        )
    )


def even_parts(total: int, least: Mapping[str, int]) -> dict[str, int]:
    """Split a number into parts that are as even as their minimal sizes allow.

    Args:
        total: number to split, at least the sum of the minimal sizes.
        least: minimal sizes by name; remainders go to equal parts in this order.
    """
    parts, left = dict(least), total - sum(least.values())
    names: Sequence[str] = list(least)
    while left > 0:
        low = min(parts.values())
        lowest = [name for name in names if parts[name] == low]
        above = min((parts[name] for name in names if parts[name] > low), default=None)
        step = max(1, min(left // len(lowest), (above - low) if above is not None else left))
        for name in lowest[: left // step if left < step * len(lowest) else len(lowest)]:
            parts[name] += step
            left -= step
    return parts
