"""Recipes: all that a map follows from, so that whoever has one has the same map again."""

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
"""The number of maps that a process keeps: episodes of one city follow each other."""


class MapRecipe(BaseModel):
    """The arguments from which a city grows, or a region around it.

    Attributes:
        city: its English name.
        seed: another one gives another city.
        size: junctions of the city.
        day: of a region's clock, ISO 8601; None of a city that stands alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str = Field(max_length=100)
    seed: int = Field(ge=0)
    size: int = Field(ge=LEAST, le=MOST)
    day: str | None = Field(default=None, pattern=r"^\d{4}-\d{2}-\d{2}$")


class KeptMap(BaseModel):
    """A map that was imported: it does not grow, and its file is kept beside the suite.

    Attributes:
        map: SHA-256 of the file.
        seed: of what is invented, such as the traffic.
        day: of the map's clock, ISO 8601.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    map: str = Field(pattern=r"^[0-9a-f]{64}$")
    seed: int = Field(ge=0)
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")


@lru_cache(maxsize=KEPT)
def regrown(recipe: MapRecipe) -> City:
    """The city of a recipe, grown again.

    Raises:
        KeyError: there is no such city any more; the text names some that there are.
        ValueError: there is no such day.
    """
    if recipe.day is None:
        return grow_city(recipe.city, recipe.seed, recipe.size)
    return grow_region(recipe.city, recipe.seed, date.fromisoformat(recipe.day), recipe.size)
