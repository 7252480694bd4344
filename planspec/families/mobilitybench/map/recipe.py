"""Recipes: all that a map follows from, so that whoever has one grows the same map again."""

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
