"""Cities from seeds."""

from __future__ import annotations

from random import Random

from planspec.families.mobilitybench.map.days import PERIODS, TODAY, ten_days, traffic
from planspec.families.mobilitybench.map.lines import LineGrowth
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.places import Districts, PoiGrowth, doors
from planspec.families.mobilitybench.map.records import City
from planspec.families.mobilitybench.map.specs import city_spec
from planspec.families.mobilitybench.map.streets import grow_streets

LEAST, MOST = 150, 20_000


def grow_city(name: str, seed: int = 0, size: int = 1_000) -> City:
    """A city that is the same for the same arguments on every machine.

    Its name and centre are real; all that is in it is invented.

    Args:
        name: of one of `SPECS`, in either language.
        seed: another one gives another city.
        size: junctions, from 150 to 20,000; the city has a tenth more or less.

    Raises:
        KeyError: if there is no such city.
        ValueError: if the size is out of bounds.
    """
    if not LEAST <= size <= MOST:
        raise ValueError(f"a size from {LEAST} to {MOST}, not {size}")
    spec = city_spec(name)

    def chance(part: str) -> Random:
        return Random(f"{seed}/{spec.english}/{size}/{part}")

    names = NameGenerator(spec.language, chance("names"))
    streets = grow_streets(spec, seed, size, names)
    districts = Districts(chance("districts"), streets, names)
    addresses = doors(chance("doors"), streets, districts)
    transit = LineGrowth(spec, chance("lines"), streets, names)
    transit.grow()
    stations = {stop for line in transit.lines if line.mode == "metro" for stop in line.stops}
    places = PoiGrowth(spec, chance("places"), streets, names, addresses, districts)
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
        today=TODAY.isoformat(),
        districts=districts.names,
        junctions=streets.junctions,
        roads=streets.roads,
        pieces=streets.pieces,
        stops=tuple(transit.stops),
        lines=tuple(transit.lines),
        pois=tuple(places.pois),
        addresses=addresses,
        periods=PERIODS,
        weather=ten_days(spec, chance("weather")),
        traffic=traffic(chance("traffic"), streets.roads, spec.language),
    )
