"""The cities that are shipped: real names and centres, with styles after which everything else is invented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planspec.families.mobilitybench.map.records import Language

Style = Literal["grid", "rings", "organic"]


@dataclass(frozen=True, slots=True)
class CitySpec:
    """The specification from which a city grows.

    Attributes:
        name: in the city's language.
        english: by which `grow_city` finds it, too.
        country: in English.
        province: or state, in the city's language.
        language: of names.
        currency: ISO 4217.
        longitude: of the centre, in 1e-6 degrees.
        latitude: of the centre, in 1e-6 degrees.
        style: a grid, rings with radials, or crooked streets.
        block_m: between streets.
        turned: degrees by which a grid is turned.
        river_m: its width; 0 for none.
        river_angle: degrees.
        expressways: radial ones, beside the ring.
        toll_km: of an expressway, in minor units; 0 where they are free.
        one_way: percent of small streets.
        drives_left: on the left side of the road.
        trams: lines.
        temperatures: of a spring day, low and high.
        bus_fare: in minor units.
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
    turned: int
    river_m: int
    river_angle: int
    expressways: int
    toll_km: int
    one_way: int
    drives_left: bool
    trams: int
    temperatures: tuple[int, int]
    bus_fare: int


# fmt: off
SPECS: tuple[CitySpec, ...] = (
    CitySpec("北京市", "Beijing", "China", "北京市", "zh", "CNY", 116_407_400, 39_904_200, "grid", 230, 0, 0, 0, 4, 50, 8, False, 0, (11, 24), 200),
    CitySpec("上海市", "Shanghai", "China", "上海市", "zh", "CNY", 121_473_700, 31_230_400, "organic", 200, 12, 320, 70, 3, 45, 20, False, 1, (15, 23), 200),
    CitySpec("成都市", "Chengdu", "China", "四川省", "zh", "CNY", 104_066_500, 30_572_800, "rings", 210, 0, 90, 140, 4, 40, 12, False, 1, (16, 26), 200),
    CitySpec("武汉市", "Wuhan", "China", "湖北省", "zh", "CNY", 114_305_500, 30_592_800, "organic", 220, 35, 500, 40, 3, 45, 10, False, 0, (17, 27), 200),
    CitySpec("西安市", "Xi'an", "China", "陕西省", "zh", "CNY", 108_939_800, 34_341_600, "grid", 220, 0, 0, 0, 3, 50, 6, False, 0, (13, 26), 100),
    CitySpec("Chicago", "Chicago", "United States", "Illinois", "en", "USD", -87_629_800, 41_878_100, "grid", 180, 0, 80, 95, 3, 12, 35, False, 0, (9, 20), 250),
    CitySpec("Boston", "Boston", "United States", "Massachusetts", "en", "USD", -71_058_900, 42_360_100, "organic", 160, 20, 250, 20, 3, 15, 40, False, 2, (9, 18), 170),
    CitySpec("Toronto", "Toronto", "Canada", "Ontario", "en", "CAD", -79_383_200, 43_653_200, "grid", 190, 17, 0, 0, 3, 25, 20, False, 3, (8, 18), 335),
    CitySpec("Berlin", "Berlin", "Germany", "Berlin", "de", "EUR", 13_405_000, 52_520_000, "rings", 220, 0, 100, 100, 4, 0, 15, False, 4, (9, 19), 350),
    CitySpec("München", "Munich", "Germany", "Bayern", "de", "EUR", 11_582_000, 48_135_100, "rings", 200, 0, 80, 50, 3, 0, 18, False, 3, (8, 18), 390),
    CitySpec("東京都", "Tokyo", "Japan", "東京都", "ja", "JPY", 139_691_700, 35_689_500, "rings", 170, 0, 160, 110, 5, 30, 25, True, 1, (15, 23), 210),
    CitySpec("大阪市", "Osaka", "Japan", "大阪府", "ja", "JPY", 135_502_300, 34_693_700, "grid", 170, 3, 180, 60, 3, 30, 35, True, 0, (15, 24), 210),
    CitySpec("London", "London", "United Kingdom", "England", "en", "GBP", -127_800, 51_507_400, "organic", 180, 0, 240, 90, 3, 0, 22, True, 1, (9, 18), 175),
    CitySpec("Singapore", "Singapore", "Singapore", "Singapore", "en", "SGD", 103_819_800, 1_352_100, "organic", 210, 0, 70, 80, 3, 20, 15, True, 0, (25, 32), 119),
    CitySpec("Melbourne", "Melbourne", "Australia", "Victoria", "en", "AUD", 144_963_100, -37_813_600, "grid", 190, 20, 110, 80, 3, 35, 12, True, 4, (9, 17), 330),
)
# fmt: on


def city_spec(name: str) -> CitySpec:
    """The spec of that name, in either language and any case.

    Raises:
        KeyError: if none has it; the text names all.
    """
    for spec in SPECS:
        if name.casefold() in {spec.name.casefold(), spec.english.casefold()}:
            return spec
    raise KeyError(f"no city {name!r}; there are {', '.join(spec.english for spec in SPECS)}")
