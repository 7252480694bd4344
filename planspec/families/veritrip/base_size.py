"""How large a generated fact base is: as shipped, as in the paper, or between them by the number of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

SHIPPED_DOCUMENTS, PAPER_DOCUMENTS = 2000, 8210
"""The numbers of documents to which the two known sizes belong; fewer or more documents change the base no further."""
PAPER_IMAGES, PAPER_QUERIES = 4146, 228
COUNTRIES = {"china": "CNY", "usa": "USD"}
"""A world for each, since a world has one currency."""
FIRST_CITIES = {"china": ("Beijing", "Shanghai", "Hangzhou"), "usa": ("New York", "Washington", "Boston")}
"""The cities of the shipped base."""
FURTHER_CITIES = (
    ("china", "Guangzhou"), ("usa", "Los Angeles"), ("china", "Nanjing"), ("china", "Xi'an"), ("usa", "San Francisco"),
    ("china", "Chengdu"), ("china", "Changsha"), ("usa", "Seattle"), ("china", "Chongqing"),
)  # fmt: skip
"""The cities that larger bases have besides, in the order in which they come."""


@dataclass(frozen=True, slots=True)
class BaseSize:
    """The numbers of rows of a fact base; hotels are counted, not their rooms."""

    cities: int
    services: int
    restaurants: int
    hotels: int
    attractions: int
    pois: int


PAPER = BaseSize(15, 57_773, 4304, 3613, 1056, 7400)
"""The paper's Table 2, and its 15 cities."""
SERVICE_SHARES = {"china": 85, "usa": 15}
"""Percent of the services of a base of the paper's size: the USA has flights alone."""


def cities_of(documents: int) -> dict[str, tuple[str, ...]]:
    """The cities of each country's base for so many documents."""
    more = round((PAPER.cities - 6) * share_of(documents))
    return {
        country: (*first, *(city for where, city in FURTHER_CITIES[:more] if where == country))
        for country, first in FIRST_CITIES.items()
    }


def share_of(documents: int) -> float:
    """Where a corpus of so many documents lies between the shipped one, 0, and the paper's, 1."""
    between = (documents - SHIPPED_DOCUMENTS) / (PAPER_DOCUMENTS - SHIPPED_DOCUMENTS)
    return min(1.0, max(0.0, between))


def sized(shipped: BaseSize, documents: int) -> BaseSize:
    """The size of both countries' bases together, in proportion to the number of documents."""
    share = share_of(documents)
    return BaseSize(
        *(
            round(least + (most - least) * share)
            for least, most in ((getattr(shipped, f.name), getattr(PAPER, f.name)) for f in fields(BaseSize))
        )
    )


def even_parts(total: int, least: Mapping[str, int]) -> dict[str, int]:
    """A number in parts that are as even as they can be where each has a least size.

    Args:
        total: at least the sum of what each has to have.
        least: by name; parts of equal claim get the odd ones in this order.
    """
    made, left = dict(least), total - sum(least.values())
    names: Sequence[str] = list(least)
    while left > 0:
        low = min(made.values())
        lowest = [name for name in names if made[name] == low]
        above = min((made[name] for name in names if made[name] > low), default=None)
        step = max(1, min(left // len(lowest), (above - low) if above is not None else left))
        for name in lowest[: left // step if left < step * len(lowest) else len(lowest)]:
            made[name] += step
            left -= step
    return made
