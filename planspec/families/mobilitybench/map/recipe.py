"""Recipes: the data from which a map can be generated or loaded again."""

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
"""Maximum number of maps that a process caches. A few suffice, since episodes of one city are consecutive."""


class MapRecipe(BaseModel):
    """Arguments from which a city, or a region around it, is generated.

    Attributes:
        city: English name of the city.
        seed: seed; another one yields another city.
        size: number of junctions of the city.
        day: current day in the region, in ISO 8601; None for a city without a region.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str = Field(max_length=100)
    seed: int = Field(ge=0)
    size: int = Field(ge=LEAST, le=MOST)
    day: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


class StoredMap(BaseModel):
    """Reference to an imported map, which is stored in the suite's folder because it cannot be generated again.

    Attributes:
        map: SHA-256 of the map's file.
        seed: seed of invented data, such as the traffic.
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
        KeyError: the city no longer exists; the message names some that do.
        ValueError: the day does not exist.
    """
    if recipe.day is None:
        return grow_city(recipe.city, recipe.seed, recipe.size)
    return grow_region(recipe.city, recipe.seed, date.fromisoformat(recipe.day), recipe.size)
