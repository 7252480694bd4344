"""A city as one draws from it, and one user in it at one time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any

from planspec.agents.tools import Arguments, JsonResult, RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import TOOLS, Canonical, canonical, folded, route_id
from planspec.families.mobilitybench.drawing.draft import UndrawableRequestError
from planspec.families.mobilitybench.live import LiveTools, clock_of
from planspec.families.mobilitybench.map import (
    Address,
    City,
    KeptMap,
    MapRecipe,
    Poi,
    Point,
    Stop,
    TransitLine,
    find_spec,
    metres,
)
from planspec.families.mobilitybench.map.records import UNNAMED
from planspec.families.mobilitybench.spoken import Language

FIRST_MIN, LAST_MIN = 390, 1_230
"""Users ask between 6:30 and 20:30, so that what they ask for ends before midnight."""
WANTED = {
    "railway_station": 11, "airport": 8, "city": 9, "hospital": 9, "mall": 9, "sight": 10, "hotel": 8, "school": 7, "park": 6,
    "museum": 5, "metro_station": 5, "restaurant": 5, "sports": 4, "supermarket": 3, "cinema": 2, "cafe": 2, "bank": 2,
    "pharmacy": 2, "fuel": 1, "parking": 1, "charging": 1,
}  # fmt: skip
"""Of a hundred or so places to which people go so many are of each kind; nobody travels to a public toilet or the police."""
DRIVERS = frozenset({"fuel", "parking", "charging"})
"""Kinds of places to which one comes by car alone."""
HOME = 85
"""The percentage of ways that begin in the city in which the user is."""
TRIES = 60
BACK_M = 60
"""The distance of a user from the place at which the journey starts."""


class Town:
    """A city, with what is drawn from it.

    Args:
        city: a grown one.
        recipe: from which it grows again, or is found again; None of a city that is made otherwise.
    """

    def __init__(self, city: City, recipe: MapRecipe | KeptMap | None = None) -> None:
        self.city = city
        self.recipe = recipe

    @cached_property
    def pois(self) -> tuple[Poi, ...]:
        """The places that people call by names which no other place, road or line has, in any spelling."""
        used: dict[str, int] = {}
        for names in (
            *((p.name, *p.aliases) for p in self.city.pois),
            *((r.name, r.english) for r in self.city.roads),
            *((x.name, *x.aliases) for x in self.city.lines),
        ):
            for name in {folded(name) for name in names}:
                used[name] = used.get(name, 0) + 1
        return tuple(p for p in self.city.pois if used[folded(p.name)] == 1 and not _is_numbered(p.name))

    @cached_property
    def wanted(self) -> Mapping[str, tuple[Poi, ...]]:
        """The places by kind to which people go."""
        found: dict[str, list[Poi]] = {}
        for poi in self.pois:
            if poi.category in WANTED:
                found.setdefault(poi.category, []).append(poi)
        return {kind: tuple(some) for kind, some in sorted(found.items())}

    @cached_property
    def own(self) -> Mapping[str, tuple[Poi, ...]]:
        """Those of them that lie in the city itself, with its suburbs and towns."""
        near = {kind: tuple(p for p in some if p.town == 0) for kind, some in self.wanted.items()}
        return {kind: some for kind, some in near.items() if some}

    @cached_property
    def weights(self) -> Mapping[int, float]:
        """The weight of each place to which people go, by its id: the kinds have their shares however many places they have."""
        return {poi.id: WANTED[kind] / len(some) for kind, some in self.wanted.items() for poi in some}

    @cached_property
    def reach_m(self) -> int:
        """No two places are farther from each other."""
        return 2 * max(metres(self.city.centre, poi.point) for poi in self.pois)

    @cached_property
    def doors(self) -> tuple[Address, ...]:
        """The doors of the city itself."""
        return tuple(door for door in self.city.addresses if door.town == 0)

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """The roads about whose traffic people ask, greater ones more often."""
        often = {"motorway": 6, "trunk": 6, "primary": 5, "secondary": 3, "residential": 1, "path": 0}
        names = [(r.name, often[r.kind]) for r in self.city.roads if r.name in self.spoken_roads]
        return tuple(name for name, count in names for _ in range(count))

    @cached_property
    def spoken_roads(self) -> frozenset[str]:
        """The roads that people call by their names: no ramps, and no second ones of a name."""
        return frozenset(
            r.name
            for r in self.city.roads
            if not r.english.endswith("Ramp") and not _is_numbered(r.name) and not r.name.startswith(UNNAMED)
        )

    @cached_property
    def stops(self) -> Mapping[int, Stop]:
        return {stop.id: stop for stop in self.city.stops}

    def near(self, point: Point, most_m: int) -> list[Poi]:
        """The places to which people go no farther away than that, without those of drivers."""
        return [
            poi for poi in self.pois
            if poi.category in WANTED and poi.category not in DRIVERS and metres(poi.point, point) <= most_m
        ]  # fmt: skip

    def lines(self, mode: str) -> list[TransitLine]:
        """The lines of a mode that run by day."""
        return [x for x in self.city.lines if x.mode == mode and (x.headways or max(x.departures_min) > 600)]


@dataclass(slots=True)
class Scene:
    """A user in a town.

    Attributes:
        town: where.
        language: of the query.
        now: minutes after midnight.
        chance: another one draws otherwise.
    """

    town: Town
    language: Language
    now: int
    chance: Random
    _live: LiveTools = field(init=False)
    _known: dict[tuple[str, Canonical], JsonResult | RefusedCallError] = field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        self._live = LiveTools(self.town.city, self.now)

    @property
    def city(self) -> City:
        return self.town.city

    # ------------------------------------------------------------------ asking

    def ask(self, name: str, arguments: Arguments) -> JsonResult:
        """The answer to a call that was read, worked out once; what a recorder asks.

        Raises:
            RefusedCallError: there is none.
        """
        key = name, canonical(arguments)
        if key not in self._known:
            try:
                self._known[key] = self._now(name, arguments) or self._live.ask(name, arguments)
            except RefusedCallError as refused:
                self._known[key] = refused
        found = self._known[key]
        if isinstance(found, RefusedCallError):
            raise found
        return found

    def _now(self, name: str, arguments: Arguments) -> JsonResult | None:
        """Ways from now on, if now is said: those without a time, of which only the ids are others."""
        if getattr(arguments, "depart_at", None) != self.clock:
            return None
        timeless = type(arguments).model_validate(arguments.model_dump(exclude={"depart_at"}))
        found = self.ask(name, timeless)["routes"]
        said = canonical(arguments)
        return {"routes": [{**route, "id": route_id(name, said, n)} for n, route in enumerate(found, 1)]}

    def routes(self, tool: str, **arguments: Any) -> list[JsonResult]:
        """The routes of a call that is not recorded; none if there is none."""
        try:
            found: list[JsonResult] = self.ask(tool, read_arguments(TOOLS[tool][0], arguments))["routes"]
        except RefusedCallError:
            return []
        return found

    # ------------------------------------------------------------------ places

    def percent(self, share: int) -> bool:
        return self.chance.randrange(100) < share

    def poi(self, *, own: bool = False, towns: bool = True) -> Poi:
        """A place to which people go; `own` is one of the city itself, and without `towns` none that is a town as a whole."""
        some = self.town.own if own else self.town.wanted
        kinds = [kind for kind in some if towns or kind != "city"]
        kind = self.chance.choices(kinds, [WANTED[kind] for kind in kinds])[0]
        return self.chance.choice(some[kind])

    def names_of(self, city: str) -> tuple[str, ...]:
        """All that a city is called, by one of its names; those of the city itself, if it is not known."""
        spec = find_spec(city)
        if spec is None:
            return tuple(
                dict.fromkeys((self.city.name, self.city.name.removesuffix("市"), self.city.english))
            )
        names = (spec.name, spec.name.removesuffix("市"), spec.english, spec.chinese)
        return tuple(dict.fromkeys(filter(None, names)))

    def beside(self, point: Point) -> Point:
        """Somewhere close to a point."""
        reach = BACK_M * 6  # some 0.67 m each
        away = self.chance.randint(-reach, reach), self.chance.randint(-reach, reach)
        return Point(point.longitude + away[0], point.latitude + away[1])

    def anywhere(self) -> Point:
        """Somewhere at a street of the city itself."""
        return self.beside(self.chance.choice(self.town.doors).point)

    def pair(self, least_m: int, most_m: int, *, drive: bool = True) -> tuple[Poi, Poi]:
        """Two places so far from each other, as the crow flies; without `drive` none to which one comes by car alone.

        Raises:
            UndrawableRequestError: there are none.
        """
        weights = self.town.weights
        for _ in range(6):
            one = self.poi(own=self.percent(HOME))
            if not drive and one.category in DRIVERS:
                continue
            there = [
                poi for some in self.town.wanted.values() for poi in some
                if poi.id != one.id and (drive or poi.category not in DRIVERS)
                and least_m <= metres(one.point, poi.point) <= most_m
            ]  # fmt: skip
            if there:
                return one, self.chance.choices(there, [weights[poi.id] for poi in there])[0]
        raise UndrawableRequestError("no two places at that distance")

    def along(self, one: Poi, other: Poi, count: int, detour: float = 1.3) -> list[Poi]:
        """Places not far from the straight way, in the order in which one comes by.

        Raises:
            UndrawableRequestError: there are too few.
        """
        whole = metres(one.point, other.point)
        found = []
        for poi in self.town.pois:
            if poi.category not in WANTED or poi.category == "city":
                continue
            before, after = metres(one.point, poi.point), metres(poi.point, other.point)
            if min(before, after) > max(200, whole // 8) and before + after <= whole * detour:
                found.append((before - after, poi.id, poi))
        if len(found) < count:
            raise UndrawableRequestError("no place on the way")
        chosen = sorted(self.chance.sample(found, count))
        made = [poi for *_, poi in chosen]
        if any(metres(a.point, b.point) < 150 for a, b in pairwise(made)):
            raise UndrawableRequestError("places on the way are too close")
        return made

    def served(self, lines: Sequence[TransitLine]) -> tuple[Poi, Poi]:
        """Two places at stops of a line.

        Raises:
            UndrawableRequestError: there are none.
        """
        if not lines:
            raise UndrawableRequestError("no such line")
        for _ in range(TRIES):
            line = self.chance.choice(lines)
            one, other = self.chance.sample(line.stops, 2) if len(line.stops) > 2 else line.stops
            if len(line.stops) > 5 and abs(line.stops.index(one) - line.stops.index(other)) < 3:
                continue
            starts, ends = (self.town.near(self.town.stops[stop].point, 450) for stop in (one, other))
            if starts and ends:
                a, b = self.chance.choice(starts), self.chance.choice(ends)
                if metres(a.point, b.point) > 900:
                    return a, b
        raise UndrawableRequestError("no places at the stops of a line")

    # ------------------------------------------------------------------ times

    @property
    def clock(self) -> str:
        """Now, as HH:MM."""
        return clock(self.now)

    def later(self, least: int = 10, most: int = 180) -> int:
        """A time after now in steps of five minutes, often a full or half hour; not in the night."""
        step = self.chance.choice((5, 15, 30, 30, 60))
        soon, last = self.now + least, min(self.now + most, LAST_MIN + 60)
        times = range(-(-soon // step) * step, last + 1, step)
        if not times:
            raise UndrawableRequestError("too late in the day")
        return self.chance.choice(times)


def _is_numbered(name: str) -> bool:
    """Whether a name has a number, as the second of two equal names has."""
    return name[-1].isdigit()


def clock(minute: int) -> str:
    """HH:MM of minutes after midnight."""
    said = clock_of(minute * 60)
    assert said is not None
    return said
