"""Recipes: the data from which the map of a task can be generated or loaded again."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from planspec.families.mobilitybench.map.growing import LEAST, MOST, grow_city
from planspec.families.mobilitybench.map.regions import grow_region

if TYPE_CHECKING:
    from planspec.families.mobilitybench.map.records import City

MAX_CACHED_MAPS = 4
"""Maximum number of cached maps in a process. A few suffice, since episodes in one city follow one another."""


class MapRecipe(BaseModel):
    """Arguments from which a city, or a region around it, is generated.

    Attributes:
        city: English name of the city.
        seed: random seed; each seed yields a different city.
        size: approximate number of junctions of the city.
        day: current day in the region, in ISO 8601; None for a city without a region.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str = Field(max_length=100)
    seed: int = Field(ge=0)
    size: int = Field(ge=LEAST, le=MOST)
    day: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


class StoredMap(BaseModel):
    """Reference to an imported map. Its file is in the suite's folder, since it cannot be generated again.

    Attributes:
        map: SHA-256 of the map's file.
        seed: random seed for invented data, such as the traffic.
        day: current day in the map, in ISO 8601.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    map: str = Field(pattern=r"^[0-9a-f]{64}$")
    seed: int = Field(ge=0)
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


@lru_cache(maxsize=MAX_CACHED_MAPS)
def regrow(recipe: MapRecipe) -> City:
    """Return the city or region of a recipe, from the cache or generated again.

    Raises:
        KeyError: the table of cities no longer has the city; the message names some that it has.
        ValueError: the recipe's day is not a date of the calendar.
    """
    if recipe.day is None:
        return grow_city(recipe.city, recipe.seed, recipe.size)
    return grow_region(recipe.city, recipe.seed, date.fromisoformat(recipe.day), recipe.size)
