"""Specifications from which cities are generated: real names and centres, and invented styles.

The table of cities is from GeoNames (CC BY 4.0), see `tables/README.md`.
"""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal, cast

from planspec.families.mobilitybench.map.records import Language

Style = Literal["grid", "rings", "organic"]


@dataclass(frozen=True, slots=True)
class CitySpec:
    """Specification from which a city is generated.

    Attributes:
        name: name in the city's language.
        english: English name.
        country: country in English.
        province: province or state, in the city's language.
        language: language of names.
        currency: ISO 4217 code.
        longitude: longitude of the centre, in 1e-6 degrees.
        latitude: latitude of the centre, in 1e-6 degrees.
        style: a grid, rings with radials, or crooked streets.
        block_m: distance between streets in metres.
        rotation_deg: rotation of a grid, in degrees.
        river_m: width of the river in metres; 0 for none.
        river_angle: direction of the river in degrees.
        expressways: number of radial motorways, in addition to the ring motorway.
        toll_km: toll of a radial motorway per km, in minor units; 0 if free.
        one_way: percentage of small streets that are one-way.
        drives_left: whether people drive on the left.
        trams: number of tram lines.
        temperatures: low and high of a spring day, in degrees Celsius.
        bus_fare: fare of a bus in minor units.
        code: ISO 3166 code of the country.
        people: number of inhabitants.
        chinese: Chinese name of a city where people speak English; empty if unknown.
    """

    name: str
    english: str
    country: str
    province: str
    language: Language
    currency: str
    longitude: int
    latitude: int
    style: Style
    block_m: int
    rotation_deg: int
    river_m: int
    river_angle: int
    expressways: int
    toll_km: int
    one_way: int
    drives_left: bool
    trams: int
    temperatures: tuple[int, int]
    bus_fare: int
    code: str = ""
    people: int = 0
    chinese: str = ""


SPECS: tuple[CitySpec, ...] = (
    CitySpec(
        "北京市",
        "Beijing",
        "China",
        "北京市",
        "zh",
        "CNY",
        116_407_400,
        39_904_200,
        "grid",
        230,
        0,
        0,
        0,
        4,
        50,
        8,
        False,
        0,
        (11, 24),
        200,
    ),
    CitySpec(
        "上海市",
        "Shanghai",
        "China",
        "上海市",
        "zh",
        "CNY",
        121_473_700,
        31_230_400,
        "organic",
        200,
        12,
        320,
        70,
        3,
        45,
        20,
        False,
        1,
        (15, 23),
        200,
    ),
    CitySpec(
        "成都市",
        "Chengdu",
        "China",
        "四川省",
        "zh",
        "CNY",
        104_066_500,
        30_572_800,
        "rings",
        210,
        0,
        90,
        140,
        4,
        40,
        12,
        False,
        1,
        (16, 26),
        200,
    ),
    CitySpec(
        "武汉市",
        "Wuhan",
        "China",
        "湖北省",
        "zh",
        "CNY",
        114_305_500,
        30_592_800,
        "organic",
        220,
        35,
        500,
        40,
        3,
        45,
        10,
        False,
        0,
        (17, 27),
        200,
    ),
    CitySpec(
        "西安市",
        "Xi'an",
        "China",
        "陕西省",
        "zh",
        "CNY",
        108_939_800,
        34_341_600,
        "grid",
        220,
        0,
        0,
        0,
        3,
        50,
        6,
        False,
        0,
        (13, 26),
        100,
    ),
    CitySpec(
        "Chicago",
        "Chicago",
        "United States",
        "Illinois",
        "en",
        "USD",
        -87_629_800,
        41_878_100,
        "grid",
        180,
        0,
        80,
        95,
        3,
        12,
        35,
        False,
        0,
        (9, 20),
        250,
    ),
    CitySpec(
        "Boston",
        "Boston",
        "United States",
        "Massachusetts",
        "en",
        "USD",
        -71_058_900,
        42_360_100,
        "organic",
        160,
        20,
        250,
        20,
        3,
        15,
        40,
        False,
        2,
        (9, 18),
        170,
    ),
    CitySpec(
        "Toronto",
        "Toronto",
        "Canada",
        "Ontario",
        "en",
        "CAD",
        -79_383_200,
        43_653_200,
        "grid",
        190,
        17,
        0,
        0,
        3,
        25,
        20,
        False,
        3,
        (8, 18),
        335,
    ),
    CitySpec(
        "Berlin",
        "Berlin",
        "Germany",
        "Berlin",
        "de",
        "EUR",
        13_405_000,
        52_520_000,
        "rings",
        220,
        0,
        100,
        100,
        4,
        0,
        15,
        False,
        4,
        (9, 19),
        350,
    ),
    CitySpec(
        "München",
        "Munich",
        "Germany",
        "Bayern",
        "de",
        "EUR",
        11_582_000,
        48_135_100,
        "rings",
        200,
        0,
        80,
        50,
        3,
        0,
        18,
        False,
        3,
        (8, 18),
        390,
    ),
    CitySpec(
        "東京都",
        "Tokyo",
        "Japan",
        "東京都",
        "ja",
        "JPY",
        139_691_700,
        35_689_500,
        "rings",
        170,
        0,
        160,
        110,
        5,
        30,
        25,
        True,
        1,
        (15, 23),
        210,
    ),
    CitySpec(
        "大阪市",
        "Osaka",
        "Japan",
        "大阪府",
        "ja",
        "JPY",
        135_502_300,
        34_693_700,
        "grid",
        170,
        3,
        180,
        60,
        3,
        30,
        35,
        True,
        0,
        (15, 24),
        210,
    ),
    CitySpec(
        "London",
        "London",
        "United Kingdom",
        "England",
        "en",
        "GBP",
        -127_800,
        51_507_400,
        "organic",
        180,
        0,
        240,
        90,
        3,
        0,
        22,
        True,
        1,
        (9, 18),
        175,
    ),
    CitySpec(
        "Singapore",
        "Singapore",
        "Singapore",
        "Singapore",
        "en",
        "SGD",
        103_819_800,
        1_352_100,
        "organic",
        210,
        0,
        70,
        80,
        3,
        20,
        15,
        True,
        0,
        (25, 32),
        119,
    ),
    CitySpec(
        "Melbourne",
        "Melbourne",
        "Australia",
        "Victoria",
        "en",
        "AUD",
        144_963_100,
        -37_813_600,
        "grid",
        190,
        20,
        110,
        80,
        3,
        35,
        12,
        True,
        4,
        (9, 17),
        330,
    ),
)


@dataclass(frozen=True, slots=True)
class CountrySpec:
    """Data that the cities of a country share.

    Attributes:
        styles: styles from which the style of each city is drawn.
        currency: ISO 4217 code.
        toll_km: toll of a motorway per km, in minor units.
        bus_fare: fare of a bus ride, in minor units.
        drives_left: whether traffic drives on the left.
        trams: number of tram lines.
    """

    styles: tuple[Style, ...]
    currency: str
    toll_km: int
    bus_fare: int
    drives_left: bool = False
    trams: int = 0


GRIDS: tuple[Style, ...] = ("grid", "grid", "organic")
OLD_TOWN_STYLES: tuple[Style, ...] = ("organic", "organic", "rings")
MIXED: tuple[Style, ...] = ("grid", "rings", "organic")
COUNTRIES: Mapping[str, CountrySpec] = {
    "CN": CountrySpec(MIXED, "CNY", 45, 200),
    "JP": CountrySpec(GRIDS, "JPY", 25, 210, True, 1),
    "DE": CountrySpec(OLD_TOWN_STYLES, "EUR", 0, 320, False, 3),
    "AT": CountrySpec(OLD_TOWN_STYLES, "EUR", 0, 260, False, 3),
    "CH": CountrySpec(OLD_TOWN_STYLES, "CHF", 0, 440, False, 3),
    "US": CountrySpec(GRIDS, "USD", 10, 225),
    "CA": CountrySpec(GRIDS, "CAD", 20, 335),
    "GB": CountrySpec(OLD_TOWN_STYLES, "GBP", 0, 200, True, 1),
    "IE": CountrySpec(OLD_TOWN_STYLES, "EUR", 5, 200, True),
    "AU": CountrySpec(GRIDS, "AUD", 30, 340, True, 1),
    "NZ": CountrySpec(GRIDS, "NZD", 0, 300, True),
    "SG": CountrySpec(OLD_TOWN_STYLES, "SGD", 20, 119, True),
    "MY": CountrySpec(MIXED, "MYR", 14, 200, True),
    "IN": CountrySpec(MIXED, "INR", 150, 1500, True),
    "ZA": CountrySpec(GRIDS, "ZAR", 60, 1500, True),
    "PH": CountrySpec(MIXED, "PHP", 350, 1500),
    "KE": CountrySpec(MIXED, "KES", 600, 8000, True),
    "NG": CountrySpec(OLD_TOWN_STYLES, "NGN", 0, 30000),
    "GH": CountrySpec(OLD_TOWN_STYLES, "GHS", 0, 500),
    "AE": CountrySpec(GRIDS, "AED", 30, 300),
    "MT": CountrySpec(OLD_TOWN_STYLES, "EUR", 0, 200, True),
    "JM": CountrySpec(OLD_TOWN_STYLES, "JMD", 1200, 15000, True),
}
"""Countries of the table by code."""


@cache
def atlas() -> tuple[CitySpec, ...]:
    """Return all cities of the table, in its order.

    Cities in `SPECS` are as specified there. Other cities get a style drawn from the styles of their country.
    """
    shipped = {spec.english: spec for spec in SPECS}
    text = files("planspec.families.mobilitybench.map").joinpath("tables/cities.csv").read_text(encoding="utf-8")
    return tuple(_spec_of_row(row, shipped) for row in csv.DictReader(text.splitlines()))


def _spec_of_row(row: Mapping[str, str], shipped: Mapping[str, CitySpec]) -> CitySpec:
    land, rng = COUNTRIES[row["code"]], Random(f"style/{row['english']}")
    longitude, latitude = (round(float(row[key]) * 1_000_000) for key in ("longitude", "latitude"))
    spec = CitySpec(
        name=row["name"],
        english=row["english"],
        country=row["country"],
        province=row["province"],
        language=cast(Language, row["language"]),
        currency=land.currency,
        longitude=longitude,
        latitude=latitude,
        style=rng.choice(land.styles),
        block_m=rng.randrange(170, 240, 10),
        rotation_deg=rng.randrange(0, 45),
        river_m=rng.choice((0, 0, 70, 110, 180, 280)),
        river_angle=rng.randrange(180),
        expressways=rng.randint(3, 4),
        toll_km=land.toll_km,
        one_way=rng.randrange(6, 36),
        drives_left=land.drives_left,
        trams=land.trams,
        temperatures=_spring_temperatures(latitude),
        bus_fare=land.bus_fare,
        code=row["code"],
        people=int(row["people"]),
        chinese=row["chinese"],
    )
    specified = shipped.get(spec.english)
    return spec if specified is None else replace(specified, code=spec.code, people=spec.people, chinese=spec.chinese)


def spec_at(name: str, english: str, language: Language, longitude: int, latitude: int) -> CitySpec:
    """Return a specification of a city outside the table, from which its weather is generated."""
    return replace(
        atlas()[0],
        name=name,
        english=english,
        province=name,
        language=language,
        longitude=longitude,
        latitude=latitude,
        temperatures=_spring_temperatures(latitude),
        code="",
    )


def _spring_temperatures(latitude: int) -> tuple[int, int]:
    """Return the lowest and highest temperature of a spring day at a latitude, in degrees Celsius."""
    low = round(25 - abs(latitude) * 0.36 / 1_000_000)
    return low, low + 9


@cache
def _specs_by_name() -> Mapping[str, CitySpec]:
    """Return the cities by each of their names, normalised by `plain_name`."""
    by_name: dict[str, CitySpec] = {}
    for spec in (*atlas(), *SPECS):
        for name in filter(None, (spec.name, spec.english, spec.chinese)):
            by_name.setdefault(plain_name(name), spec)
    return by_name


def plain_name(name: str) -> str:
    """Normalise a city's name for comparison: drop case, accents, repeated blanks and a final 市."""
    bare = (c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(unicodedata.normalize("NFKC", "".join(bare)).casefold().split()).removesuffix("市")


def find_spec(name: str) -> CitySpec | None:
    """Return the city with a name in any language, ignoring case; None if there is none."""
    return _specs_by_name().get(plain_name(name))


def city_spec(name: str) -> CitySpec:
    """Return the city with a name in any language, ignoring case.

    Raises:
        KeyError: there is no such city; the message names some cities.
    """
    spec = find_spec(name)
    if spec is None:
        raise KeyError(f"no city {name!r}; there are {', '.join(s.english for s in atlas()[:20])} and others")
    return spec
