"""Random requests of users in two invented regions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from planspec.families.mobilitybench.drawing import RequestDraft, Scene, Town, UndrawableRequestError, draw
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.map import grow_region
from planspec.families.mobilitybench.spoken import Language

CITIES = ("Wuhan", "Boston")


@cache
def town(name: str) -> Town:
    return Town(grow_region(name, 11))


def scene(name: str, seed: object, language: Language | None = None) -> Scene:
    """Draw a user in a region, with a time and a language."""
    rng = Random(f"{name}/{seed}")
    region = town(name)
    spoken: Language = "zh" if region.city.language == "zh" else "en"
    return Scene(region, language or spoken, rng.randint(390, 1_230), rng)


def drafts(scenario: Scenario, name: str, count: int) -> Iterator[tuple[Scene, RequestDraft]]:
    """Yield `count` random requests that fit the map, each with its scene (a user in a town)."""
    seed = count_drawn = 0
    while count_drawn < count:
        seed += 1
        drawing = scene(name, f"{scenario.value}/{seed}")
        try:
            draft = draw(scenario, drawing)
        except UndrawableRequestError:
            assert seed < 60 * count, scenario
            continue
        count_drawn += 1
        yield drawing, draft
