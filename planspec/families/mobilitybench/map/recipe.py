"""Recipes: all that a map follows from, so that whoever has one grows the same map again."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from planspec.families.mobilitybench.map.growing import LEAST, MOST, grow_city

if TYPE_CHECKING:
    from planspec.families.mobilitybench.map.records import City

KEPT = 4
"""The number of maps that a process keeps: episodes of one city follow each other."""


class MapRecipe(BaseModel):
    """The arguments from which a city grows.

    Attributes:
        city: its English name.
        seed: another one gives another city.
        size: junctions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str = Field(max_length=100)
    seed: int = Field(ge=0)
    size: int = Field(ge=LEAST, le=MOST)


@lru_cache(maxsize=KEPT)
def regrown(recipe: MapRecipe) -> City:
    """The city of a recipe, grown again.

    Raises:
        KeyError: there is no such city any more; the text names those that there are.
    """
    return grow_city(recipe.city, recipe.seed, recipe.size)
