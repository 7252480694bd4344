"""The prices of dishes on menus add up to the prices in the world."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from planspec.families.worldtravel.webscape.cartes import MARKED, carte_of
from planspec.families.worldtravel.webscape.extracting import elements
from planspec.families.worldtravel.webscape.forms import cents, parse_text
from planspec.families.worldtravel.webscape.plan_of_site import PAGES
from planspec.families.worldtravel.webscape.rendering import PageRenderer, layouts
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow
from tests.paths import ROOT

AMOUNT = re.compile(r"€\d+(?:\.\d\d)?")
GATE = SITES[0]


@cache
def tables_of(city: str) -> Tables:
    """Return the tables of a city's world."""
    return Tables(ROOT / "tasks" / f"worldtravel-{city}" / "world")


def restaurants() -> Iterator[tuple[Tables, WorldRow]]:
    """Yield the restaurants of all cities, each with the tables of its city."""
    for city in PAGES:
        for place in tables_of(city).rows_where("place", kind="restaurant"):
            yield tables_of(city), place


def test_the_marked_dishes_of_a_menu_add_up_to_the_price_a_la_carte() -> None:
    counted = 0
    for tables, place in restaurants():
        carte = carte_of(tables, place)
        row = tables.row_where("menu", place=place["id"], course="a_la_carte")
        assert carte.row == row
        assert bool(carte.sections) == (row is not None)
        marked = [dish for section in carte.sections for dish in section.dishes if dish.is_marked]
        assert sum(cents(dish.price) for dish in marked) == (cents(row["price"]) if row else 0), place["name"]
        assert row is None or len(marked) >= 3
        for section in carte.sections:
            assert sum(dish.is_marked for dish in section.dishes) <= 1
            assert len({dish.name for dish in section.dishes}) == len(section.dishes) >= 3
            assert all(cents(dish.price) >= 50 for dish in section.dishes)
        counted += row is not None
    assert counted == 24


def test_each_menu_at_a_fixed_price_has_courses() -> None:
    for tables, place in restaurants():
        rows = [row for row in tables.rows_where("menu", place=place["id"]) if row["course"] != "a_la_carte"]
        fixed = carte_of(tables, place).fixed
        assert Counter(menu.row["course"] for menu in fixed) == Counter(row["course"] for row in rows)
        assert all(len(menu.courses) >= 2 and all(menu.courses) for menu in fixed)


@pytest.mark.parametrize("layout", layouts("menu"))
def test_the_marked_prices_on_a_page_add_up(layout: str) -> None:
    """The amounts on the page that are not facts are the prices of dishes. The price of a marked dish follows the
    mark.
    """
    tables = tables_of("rome")
    renderer = PageRenderer(tables, "rome", "Rome")
    spec = next(spec for spec in renderer.specs if spec.path == "menu/felice.html")
    page = renderer.make_page(spec, GATE, layout)
    text = elements(page.html)[0].text
    before_meal, _, meal = text.partition("Our suggestion")
    marked = [AMOUNT.search(part) for part in before_meal.split(MARKED)[1:]]
    assert len(marked) == 3
    total = sum(int(str(parse_text("money", match[0], GATE.notation))) for match in marked if match)
    found = AMOUNT.search(meal)
    assert found is not None
    assert total == parse_text("money", found[0], GATE.notation) == 3700


def test_a_restaurant_in_another_city_has_default_dishes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "world.yaml").write_text(
        "tables:\n  City:\n    rows: [{id: town, name: Town, full: Town in a land}]\n", "utf-8"
    )
    (tmp_path / "entry.csv").write_text("offer,day,at,left,language\n", "utf-8")
    (tmp_path / "menu.csv").write_text("place,course,price\ninn,a_la_carte,20.00 EUR\n", "utf-8")
    carte = carte_of(Tables(tmp_path), WorldRow({"id": "inn", "name": "The Inn"}, "place.csv", 2))
    assert [section.heading for section in carte.sections] == ["Starters", "Mains", "Sides", "Desserts"]
