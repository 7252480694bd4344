"""Output of `planspec generate mobilitybench`."""

from __future__ import annotations

from planspec.api.outputs.base import Output


class GenerateEpisodesOutput(Output):
    """Result of the generator of episodes.

    Attributes:
        family: the benchmark family.
        suite: id of the suite.
        folder: folder of the suite.
        cities: number of cities.
        countries: number of countries.
        days: number of days.
        episodes: number of episodes.
        scenarios: number of episodes of each scenario.
        languages: number of episodes in each language.
        wishes: number of episodes in which the user has wishes about the route, such as no tolls.
        biting: number of episodes in which the wishes change the best route.
        dropped: number of discarded draws, by reason.
    """

    family: str
    suite: str
    folder: str
    cities: int
    countries: int
    days: int
    episodes: int
    scenarios: dict[str, int]
    languages: dict[str, int]
    wishes: int
    biting: int
    dropped: dict[str, int]
