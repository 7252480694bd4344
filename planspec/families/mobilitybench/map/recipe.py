"""Recipes that determine a map completely, so that it can be regrown."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from planspec.families.mobilitybench.map.growing import LEAST, MOST, grow_city
from planspec.families.mobilitybench.map.regions import grow_region

if TYPE_CHECKING:
    from planspec.families.mobilitybench.map.records import City

KEPT = 4
"""Number of maps that a process caches, since episodes of one city follow each other."""


class MapRecipe(BaseModel):
    """Arguments from which a city, or a region around it, grows.

    Attributes:
        city: English name of the city.
        seed: seed; another one yields another city.
        size: junctions of the city.
        day: day of a region's clock, ISO 8601; None for a city that stands alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str = Field(max_length=100)
    seed: int = Field(ge=0)
    size: int = Field(ge=LEAST, le=MOST)
    day: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


class KeptMap(BaseModel):
    """An imported map, which is not regrown but stored beside the suite.

    Attributes:
        map: SHA-256 of the file.
        seed: seed of invented data, such as the traffic.
        day: day of the map's clock, ISO 8601.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    map: str = Field(pattern=r"^[0-9a-f]{64}$")
    seed: int = Field(ge=0)
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


@lru_cache(maxsize=KEPT)
def regrown(recipe: MapRecipe) -> City:
    """Grow the city of a recipe again.

    Raises:
        KeyError: the city no longer exists; the message names some that do.
        ValueError: the day does not exist.
    """
    if recipe.day is None:
        return grow_city(recipe.city, recipe.seed, recipe.size)
    return grow_region(recipe.city, recipe.seed, date.fromisoformat(recipe.day), recipe.size)
