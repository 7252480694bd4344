"""Generation of cities from seeds."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from random import Random

from planspec.dsl.resources.limits import MAP_JUNCTIONS
from planspec.families.mobilitybench.map.days import PERIODS, TODAY, day_kind, draw_traffic, ten_day_weather
from planspec.families.mobilitybench.map.lines import LineBuilder, lines_on_day
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.places import DistrictMap, PoiBuilder, draw_doors
from planspec.families.mobilitybench.map.records import City
from planspec.families.mobilitybench.map.specs import atlas, city_spec, spec_at
from planspec.families.mobilitybench.map.streets import grow_streets

LEAST, MOST = 150, MAP_JUNCTIONS


def move_to_day(city: City, today: date) -> City:
    """Return an imported city on another day, with the weather and traffic of that day.

    The speed limits do not change. An imported city stores them as the traffic of the first period, the night.
    """
    code = next((spec.code for spec in atlas() if spec.country == city.country), "")
    spec = spec_at(city.name, city.english, city.language, city.centre.longitude, city.centre.latitude)
    limits = {t.road: t.percent for t in city.traffic if t.period == 0}
    rng = Random(f"{city.seed}/{city.english}/traffic/{today}")
    return replace(
        city,
        today=today.isoformat(),
        weather=ten_day_weather(spec, city.seed, today),
        traffic=draw_traffic(rng, city.roads, city.language, day_kind(code, today), limits),
    )


def grow_city(name: str, seed: int = 0, size: int = 1_000, today: date = TODAY) -> City:
    """Generate a city without surroundings. Equal arguments yield equal cities on every machine.

    The city's name and centre are real; everything else is invented.

    Args:
        name: name of a city of `atlas`, in the city's language or in English.
        seed: random seed; each seed yields a different city.
        size: number of junctions, from 150 to 20,000; the actual number differs by up to 10%.
        today: current day in the city, which determines weather and traffic.

    Raises:
        KeyError: there is no such city.
        ValueError: the size is out of bounds.
    """
    if not LEAST <= size <= MOST:
        raise ValueError(f"a size from {LEAST} to {MOST}, not {size}")
    spec = city_spec(name)

    def rng(part: str) -> Random:
        return Random(f"{seed}/{spec.english}/{size}/{part}")

    names = NameGenerator(spec.language, rng("names"))
    streets = grow_streets(spec, seed, size, names)
    districts = DistrictMap(rng("districts"), streets, names)
    addresses = draw_doors(rng("doors"), streets, districts)
    transit = LineBuilder(spec, rng("lines"), streets, names)
    transit.grow()
    kind = day_kind(spec.code, today)
    stations = {stop for line in transit.lines if line.mode == "metro" for stop in line.stops}
    places = PoiBuilder(spec, rng("places"), streets, names, addresses, districts)
    places.grow(transit.stops, stations)
    return City(
        name=spec.name,
        english=spec.english,
        country=spec.country,
        province=spec.province,
        language=spec.language,
        currency=spec.currency,
        centre=streets.plane.centre,
        seed=seed,
        drives_left=spec.drives_left,
        today=today.isoformat(),
        districts=districts.names,
        junctions=streets.junctions,
        roads=streets.roads,
        pieces=streets.pieces,
        stops=tuple(transit.stops),
        lines=lines_on_day(transit.lines, kind),
        pois=tuple(places.pois),
        addresses=addresses,
        periods=PERIODS,
        weather=ten_day_weather(spec, seed, today),
        traffic=draw_traffic(rng("traffic"), streets.roads, spec.language, kind),
    )
