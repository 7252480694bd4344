"""Mistakes in a city's files are reported with their positions. Shipped cities have no mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec.families.worldtravel.generator.checking import check_city, city_faults
from planspec.families.worldtravel.generator.city import HEADERS, CityFolder
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.worldtravel.generator.towns import FILES, write_town
from tests.paths import ROOT

pytestmark = pytest.mark.slow

CITIES = sorted(path.parent.name for path in (ROOT / "tasks" / "cities").glob("*/city.yaml"))


def faults_of(folder: Path, **changed: str) -> list[str]:
    """Write the files of the town with these changes, and return the reported mistakes."""
    return list(city_faults(CityFolder.read(write_town(folder, **changed))))


def changed_file(file: str, old: str, new: str) -> dict[str, str]:
    """Return a file of the town with a replaced text, as a keyword argument of `write_town`."""
    assert old in FILES[file]
    return {file.replace(".", "_"): FILES[file].replace(old, new)}


def test_the_town_has_no_mistakes(tmp_path: Path) -> None:
    city = CityFolder.read(write_town(tmp_path))
    assert list(city_faults(city)) == []
    check_city(city)


@pytest.mark.thorough
@pytest.mark.parametrize("name", CITIES)
def test_the_shipped_cities_have_no_mistakes(name: str) -> None:
    assert list(city_faults(CityFolder.read(ROOT / "tasks" / "cities" / name))) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("place.csv", "52.0000,13.0100", "52.0000,east", "place.csv:3: lon: `east` is not a number of degrees"),
        (
            "place.csv",
            "52.0050,13.0000",
            "13.0000,52.0050",
            "place.csv:6: `bar` is 5,554 km from the middle of the others: lat and lon are swapped",
        ),
        (
            "place.csv",
            "52.0050,13.0000",
            "52.0050,15.0000",
            "place.csv:6: `bar` is 137 km from the middle of the others: look at lat and lon",
        ),
        (
            "hours.csv",
            "mill,mon-sun",
            "mill,mon-sunday",
            "hours.csv:2: days: `mon-sunday` names no weekdays; write `mon-sun` or `tue,thu`",
        ),
        ("hours.csv", "10:00,20:00", "10:00,20.00", "hours.csv:3: close: `20.00` is not a time; write 14:30"),
        ("hours.csv", "lake,mon-sun", "pond,mon-sun", "hours.csv:4: no place is called `pond`"),
        (
            "starts.csv",
            "16:30,30min,8",
            "16:30,half an hour,8",
            "starts.csv:2: every: `half an hour` is not a duration; write 30min",
        ),
        ("starts.csv", "16:30,30min,8", "16:30,30min,many", "starts.csv:2: places: `many` is not a whole number"),
        ("starts.csv", "lake_boat,", "pond_boat,", "starts.csv:5: no offer is called `pond_boat`"),
        (
            "offer.csv",
            "lake_boat,lake,Rowing boat,false",
            "boat,lake,Rowing boat,false",
            "offer.csv:5: `boat` has no start times: with visits at any minute, a task has more than one plan",
        ),
        (
            "city.yaml",
            "14:00-20:00",
            "14-20",
            "city.yaml:13: closed[2]: `14` is not a time; write 14:30, or two such as 14:00-20:00",
        ),
        (
            "city.yaml",
            "place: mill, date: 2026-07-03",
            "place: mull, date: 2026-07-03",
            "city.yaml:12: closed[1]: no place is called `mull`",
        ),
        (
            "city.yaml",
            "date: 2026-07-03",
            "date: 2026-08-03",
            "city.yaml:12: closed[1]: 2026-08-03 is not between 2026-07-01 and 2026-07-14",
        ),
        (
            "city.yaml",
            "from: mill, to: inn",
            "from: mill, to: tavern",
            "city.yaml:10: gaps[1]: no place or hotel is called `tavern`",
        ),
        (
            "scenarios.yaml",
            '{style: brief, say: ["only briefly"',
            '{addons: [oars], say: ["only briefly"',
            "scenarios.yaml:20: places.lake.wishes[2]: no addon of `lake` is called `oars`",
        ),
        (
            "scenarios.yaml",
            "{features: [spa]",
            "{near: sea, features: [spa]",
            "scenarios.yaml:39: stays[2]: no place is called `sea`",
        ),
        (
            "scenarios.yaml",
            "places: [mill, tower, inn, bar]}",
            "places: [mill, tower, inn, bar], passes: [all]}",
            "scenarios.yaml:41: cores[1] (`north`): no pass is called `all`",
        ),
        (
            "scenarios.yaml",
            '{style: brief, say: ["only briefly"',
            '{style: hasty, say: ["only briefly"',
            "scenarios.yaml:20: PS016 `hasty` is no Style (Style has brief, standard, deep)",
        ),
        (
            "hotel.csv",
            "breakfast; spa",
            "breakfast; sauna",
            "hotel.csv:3:34: PS016 `sauna` is no Feature (Feature has breakfast, spa, pool, historic, modern, quiet, family_rooms, rooftop, parking, bar, gym, garden, view, pets)",
        ),
        (
            "starts.csv",
            "bar_table,mon-sun,18:00,21:00,30min,8,",
            "bar_table,mon-sun,18:00,21:00,30min,8,elvish",
            "starts.csv:9: PS016 `elvish` is no Language (did you mean `english`?)",
        ),
        (
            "city.yaml",
            "currency: EUR",
            "currency: CZK",
            "city.yaml:4: currency: the library's constraints support only EUR",
        ),
        (
            "scenarios.yaml",
            "patience: 10min",
            "patience: 2min",
            "scenarios.yaml:14: places.tower.wishes[2]: no offer satisfies it, for every party",
        ),
        (
            "fare.csv",
            "tower_fast,All,9.00 EUR",
            "tower_fast,All,6.00 EUR",
            "scenarios.yaml:13: places.tower.wishes[1]: two offers that satisfy it cost the same, for every party",
        ),
        (
            "fare.csv",
            "mill_ticket,Adult,10.00 EUR,,",
            "mill_ticket,Adult,10.00 EUR,,60",
            "fare.csv: `mill_ticket` has no price for one lady of 71",
        ),
        (
            "dwell.csv",
            "lake,brief,adults,30min,30min\n",
            "",
            "dwell.csv: `lake` has no brief visit for two friends of 34 and 36",
        ),
        (
            "menu.csv",
            "inn,set_menu,30.00 EUR\n",
            "",
            "menu.csv: `inn` has no set_menu for two friends of 34 and 36, and for 2 more parties",
        ),
        (
            "hotel.csv",
            "4,120.00 EUR,breakfast; spa",
            "4,120.00 EUR,breakfast",
            "scenarios.yaml:39: stays[2]: no hotel meets the requirements, or two that meet them cost the same",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_position(tmp_path: Path, file: str, old: str, new: str, message: str) -> None:
    assert message in faults_of(tmp_path, **changed_file(file, old, new))


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "place.csv",
            "id,name,kind",
            "id,name,sort",
            [
                "place.csv:1: it has no column `sort` (it has id, name, kind, area, composite, about, lat, lon)",
                "place.csv:1: column `kind` is missing",
            ],
        ),
        (
            "starts.csv",
            "offer,days",
            "offers,days",
            [
                "starts.csv:1: it has no column `offers` (did you mean `offer`?)",
                "starts.csv:1: column `offer` is missing",
            ],
        ),
        (
            "menu.csv",
            "course,price",
            "course,course",
            ["menu.csv:1: column `course` comes twice", "menu.csv:1: column `price` is missing"],
        ),
        (
            "dwell.csv",
            "place,style,profile,least,most\n",
            "",
            ["dwell.csv:1: it has no column `mill` (it has place, style, profile, least, most)"],
        ),
    ],
)
def test_a_wrong_header_is_reported(tmp_path: Path, file: str, old: str, new: str, message: list[str]) -> None:
    with pytest.raises(UnsuitableSuiteError) as caught:
        faults_of(tmp_path, **changed_file(file, old, new))
    lines = [line.strip() for line in str(caught.value).splitlines()[1:]]
    assert [line for line in lines if line in message] == message


def test_an_unknown_file_is_reported(tmp_path: Path) -> None:
    write_town(tmp_path)
    (tmp_path / "parts.csv").write_text("id\n", "utf-8")
    with pytest.raises(UnsuitableSuiteError, match=r"parts.csv: a city has no such file \(did you mean `part`\?\)"):
        CityFolder.read(tmp_path)


@pytest.mark.parametrize("name", CITIES)
def test_the_shipped_cities_have_only_known_columns(name: str) -> None:
    for path in (ROOT / "tasks" / "cities" / name).glob("*.csv"):
        header = path.read_text("utf-8").splitlines()[0].split(",")
        assert set(header) <= {column.removesuffix("?") for column in HEADERS[path.stem].split()}


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    wrong = FILES["scenarios.yaml"].replace("[mill, tower, inn, bar]", "[mull, towr, in, br]")
    with pytest.raises(UnsuitableSuiteError) as caught:
        check_city(CityFolder.read(write_town(tmp_path, scenarios_yaml=wrong)))
    assert str(caught.value).splitlines() == [
        f"{tmp_path}: 4 mistakes",
        *(
            f"  scenarios.yaml:41: cores[1] (`north`): no place is called `{name}`"
            for name in ("mull", "towr", "in", "br")
        ),
    ]
