"""Mistakes in a city are told with their files before anything is drawn; the cities that ship have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.families.suite_writing.options import UnfitSuite
from planspec.families.worldtravel.generator.checking import check, faults
from planspec.families.worldtravel.generator.city import City
from tests.families.worldtravel.generator.towns import FILES, write_town
from tests.paths import ROOT

CITIES = sorted(path.parent.name for path in (ROOT / "tasks" / "cities").glob("*/city.yaml"))


def found(folder: Path, **changed: str) -> list[str]:
    return list(faults(City.read(write_town(folder, **changed))))


def spoilt(file: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[file]
    return {file.replace(".", "_"): FILES[file].replace(old, new)}


def test_a_town_without_mistakes(tmp_path: Path) -> None:
    city = City.read(write_town(tmp_path))
    assert list(faults(city)) == []
    check(city)


@pytest.mark.slow
@pytest.mark.parametrize("name", CITIES)
def test_the_cities_that_ship_have_no_mistakes(name: str) -> None:
    assert list(faults(City.read(ROOT / "tasks" / "cities" / name))) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("place.csv", "52.0000,13.0100", "52.0000,east", "place.csv: `tower`: lon: `east` is no number of degrees"),
        ("city.yaml", "place: mill, date: 2026-07-03", "place: mull, date: 2026-07-03", "city.yaml: closed: no place is called `mull`"),
        ("city.yaml", "date: 2026-07-03", "date: 2026-08-03", "city.yaml: closed: 2026-08-03 is not between 2026-07-01 and 2026-07-14"),
        ("city.yaml", "from: mill, to: inn", "from: mill, to: tavern", "city.yaml: gaps: no place or hotel is called `tavern`"),
        ("scenarios.yaml", "{style: brief, say: [\"only briefly\"", "{addons: [oars], say: [\"only briefly\"", "scenarios.yaml: places.lake.wishes.1: no addon of `lake` is called `oars`"),
        ("scenarios.yaml", "{features: [spa]", "{near: sea, features: [spa]", "scenarios.yaml: stays.1: no place is called `sea`"),
        ("scenarios.yaml", "places: [mill, tower, inn, bar]}", "places: [mill, tower, inn, bar], passes: [all]}", "scenarios.yaml: cores: `north`: no pass is called `all`"),
        ("scenarios.yaml", "{style: brief, say: [\"only briefly\"", "{style: hasty, say: [\"only briefly\"", "scenarios.yaml: PS016 `hasty` is no Style (Style has brief, standard, deep)"),
        ("hotel.csv", "breakfast; spa", "breakfast; sauna", "hotel.csv:3:34: PS016 `sauna` is no Feature (Feature has breakfast, spa, pool, historic, modern, quiet, family_rooms, rooftop, parking, bar, gym, garden, view, pets)"),
        ("starts.csv", "bar_table,mon-sun,18:00,21:00,30min,8,", "bar_table,mon-sun,18:00,21:00,30min,8,elvish", "starts.csv:9: PS016 `elvish` is no Language (did you mean `english`?)"),
        ("city.yaml", "currency: EUR", "currency: CZK", "city.yaml: currency: the library's rules count in EUR, and in no other currency"),
        ("scenarios.yaml", "patience: 10min", "patience: 2min", "scenarios.yaml: places.tower.wishes.1: no offer gives it, whoever travels"),
        ("fare.csv", "tower_fast,All,9.00 EUR", "tower_fast,All,6.00 EUR", "scenarios.yaml: places.tower.wishes.0: of the offers that give it, two cost the same, whoever travels"),
        ("fare.csv", "mill_ticket,Adult,10.00 EUR,,", "mill_ticket,Adult,10.00 EUR,,60", "fare.csv: `mill_ticket` has no price for one lady of 71"),
        ("dwell.csv", "lake,brief,adults,30min,30min\n", "", "dwell.csv: `lake` has no brief visit for two friends of 34 and 36"),
        ("menu.csv", "inn,set_menu,30.00 EUR\n", "", "menu.csv: `inn` has no set_menu for two friends of 34 and 36, and for 2 more parties"),
        ("hotel.csv", "4,120.00 EUR,breakfast; spa", "4,120.00 EUR,breakfast", "scenarios.yaml: stays.1: no hotel has all of it, or two that have cost the same"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_file(tmp_path: Path, file: str, old: str, new: str, told: str) -> None:
    assert told in found(tmp_path, **spoilt(file, old, new))


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    wrong = FILES["scenarios.yaml"].replace("[mill, tower, inn, bar]", "[mull, towr, in, br]")
    with pytest.raises(UnfitSuite) as caught:
        check(City.read(write_town(tmp_path, scenarios_yaml=wrong)))
    assert str(caught.value).splitlines() == [
        f"{tmp_path}: 4 mistakes",
        *(f"  scenarios.yaml: cores: `north`: no place is called `{name}`" for name in ("mull", "towr", "in", "br")),
    ]  # fmt: skip
