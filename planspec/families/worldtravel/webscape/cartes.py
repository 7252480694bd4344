"""Menus of restaurants. Prices of dishes add up to the prices of meals in the city's table `menu`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from planspec.families.worldtravel.webscape.forms import cents
from planspec.families.worldtravel.webscape.phrasing import phrases
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

MARKED = "\u2726"
"""Sign after the names of certain dishes of a menu, which together make up a meal à la carte."""
_KITCHEN = "continental"
_DISHES, _SIDES = 5, 3
_GRAND = 10000
_SIDE_PRICE = 25
"""Percentage of a meal's price below which the dishes of a section are side dishes."""
_LONG = 7
_STEP = 50
"""Prices of dishes are multiples of this many cents."""
_FACTORS = (0.78, 0.84, 0.89, 0.94, 1.06, 1.12, 1.18, 1.25)
"""Factors from which the prices of unmarked dishes are drawn. They multiply the price of the section's marked dish."""


@dataclass(frozen=True, slots=True)
class Dish:
    """A dish of a menu.

    Attributes:
        name: name of the dish.
        note: accompaniment or description; may be empty.
        price: price such as `12.50 EUR`; empty in a menu at a fixed price.
        is_marked: whether the dish belongs to the meal à la carte whose price is in the table `menu`.
    """

    name: str
    note: str = ""
    price: str = ""
    is_marked: bool = False

    @property
    def shown_name(self) -> str:
        """Name of the dish, followed by the sign `MARKED` if it is marked."""
        return f"{self.name} {MARKED}" if self.is_marked else self.name


@dataclass(frozen=True, slots=True)
class Section:
    """The dishes under a heading."""

    heading: str
    dishes: tuple[Dish, ...]


@dataclass(frozen=True, slots=True)
class FixedMenu:
    """A menu at a fixed price.

    Attributes:
        row: row of `menu` with the price.
        courses: the courses in order; guests choose among the dishes of a course.
    """

    row: WorldRow
    courses: tuple[tuple[Dish, ...], ...]


@dataclass(frozen=True, slots=True)
class Carte:
    """The menu of a restaurant.

    Attributes:
        row: row of the table `menu` with the price of a meal à la carte; None if dishes cannot be chosen singly.
        sections: dishes with prices; empty if `row` is None. One dish is marked in each section of a meal. The marked
            dishes together cost the price of `row`.
        fixed: menus at a fixed price.
    """

    row: WorldRow | None
    sections: tuple[Section, ...]
    fixed: tuple[FixedMenu, ...]


def carte_of(tables: Tables, place: WorldRow) -> Carte:
    """Return the menu of a restaurant. Equal tables give equal menus."""
    house, kitchen = _house_and_kitchen(tables, place)
    random = Random(f"menu {place['name']}")
    sections = {key: _dishes_of(house, key, section, random) for key, section in kitchen["sections"].items()}
    rows = {row["course"]: row for row in tables.rows_where("menu", place=place["id"])}
    row = rows.get("a_la_carte")
    headings = {
        key: house.get("sections", {}).get(key, section["heading"]) for key, section in kitchen["sections"].items()
    }
    shares = {key: section.get("share", 0) for key, section in kitchen["sections"].items()}
    courses = [sections[key] for key, section in kitchen["sections"].items() if not _is_side(section)]
    fixed = [
        FixedMenu(rows[course], dishes)
        for course, dishes in (
            ("set_menu", _fixed_courses(house, "set_menu") or tuple(tuple(section[:2]) for section in courses)),
            (
                "tasting",
                _fixed_courses(house, "tasting") or tuple((dish,) for section in courses for dish in section[:2]),
            ),
            ("child_menu", tuple((_parse_dish(text),) for text in _split_items(kitchen["child"]))),
        )
        if course in rows
    ]
    bases = {key: section.get("price", 0) for key, section in kitchen["sections"].items()}
    priced = (
        () if row is None else _sections_with_prices(sections, headings, shares, bases, cents(row["price"]), random)
    )
    return Carte(row, priced, tuple(fixed))


def cooking_of(tables: Tables, place: WorldRow) -> str:
    """Return a few words on the cooking of a restaurant, such as `Roman cooking`."""
    house, kitchen = _house_and_kitchen(tables, place)
    label: str = house.get("label") or kitchen["label"]
    return label


def is_grand(tables: Tables, place: WorldRow) -> bool:
    """Return whether a restaurant has a menu at 100 euros or more."""
    return any(cents(row["price"]) >= _GRAND for row in tables.rows_where("menu", place=place["id"]))


def _house_and_kitchen(tables: Tables, place: WorldRow) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    bank = phrases("menus")
    house = bank["houses"].get(place["name"], {})
    return house, bank["kitchens"][house.get("kitchen") or bank["cities"].get(tables.city["id"], _KITCHEN)]


def _split_items(text: str) -> list[str]:
    return text.split("; ")


def _parse_dish(text: str) -> Dish:
    name, _, note = text.partition(" | ")
    return Dish(name, note)


def _dishes_of(house: Mapping[str, Any], key: str, section: Mapping[str, Any], random: Random) -> list[Dish]:
    """Return the dishes of a section: first the restaurant's own, then typical dishes of its cuisine.

    Args:
        house: texts on the restaurant, with its own dishes by section.
        key: key of the section.
        section: the section as the cuisine declares it.
        random: source of the order of the typical dishes.
    """
    own_dishes = [_parse_dish(text) for text in _split_items(house.get("dishes", {}).get(key, "")) if text]
    others = [
        dish
        for dish in map(_parse_dish, section["dishes"])
        if not any(_are_variants(dish, mine) for mine in own_dishes)
    ]
    random.shuffle(others)
    return (own_dishes + others)[: _SIDES if _is_side(section) else _DISHES]


def _is_side(section: Mapping[str, Any]) -> bool:
    price: int = section.get("price", 100)
    return price < _SIDE_PRICE


def _are_variants(first: Dish, second: Dish) -> bool:
    """Return whether two dishes are variants of one, such as two kinds of carbonara.

    Variants share the first word or a long word of their names.
    """
    words, others = (dish.name.casefold().split() for dish in (first, second))
    return words[0] == others[0] or any(len(word) >= _LONG and word in others for word in words)


def _sections_with_prices(
    sections: Mapping[str, Sequence[Dish]],
    headings: Mapping[str, str],
    shares: Mapping[str, int],
    bases: Mapping[str, int],
    total: int,
    random: Random,
) -> tuple[Section, ...]:
    """Return the sections with prices, so that the first dishes of a meal's sections together cost `total` cents.

    Args:
        sections: dishes by section.
        headings: headings by section.
        shares: percentage of `total` for each section of a meal; 0 for other sections.
        bases: usual price of a dish in each other section, as a percentage of `total`.
        total: price of a meal, in cents.
        random: source of the other prices.
    """
    marked = _split_total(total, {key: share for key, share in shares.items() if share})
    return tuple(
        Section(headings[key], _dishes_with_prices(dishes, marked.get(key), total * bases[key] // 100, random))
        for key, dishes in sections.items()
    )


def _split_total(total: int, shares: Mapping[str, int]) -> dict[str, int]:
    """Split an amount in cents into multiples of `_STEP` in proportion to shares. The largest part gets the rest."""
    step = _STEP if total < 10000 else 2 * _STEP
    parts = {key: max(step, round(total * share / 100 / step) * step) for key, share in shares.items()}
    largest = max(parts, key=lambda key: parts[key])
    parts[largest] += total - sum(parts.values())
    return parts


def _dishes_with_prices(dishes: Sequence[Dish], marked: int | None, base: int, random: Random) -> tuple[Dish, ...]:
    """Return the dishes of a section with prices, in random order.

    If `marked` is not None, it is the price in cents of the first dish, which gets marked. The other prices are near
    it, or near `base` if no dish is marked.
    """
    middle = base if marked is None else marked
    step = _STEP if middle < 2500 else 2 * _STEP
    factors = random.sample(_FACTORS, len(dishes))
    priced = [
        Dish(dish.name, dish.note, _price_text(max(step, round(middle * factor / step) * step)))
        for dish, factor in zip(dishes, factors, strict=True)
    ]
    if marked is not None:
        priced[0] = Dish(dishes[0].name, dishes[0].note, _price_text(marked), is_marked=True)
        position = random.randrange(len(priced))
        priced[0], priced[position] = priced[position], priced[0]
    return tuple(priced)


def _price_text(value: int) -> str:
    return f"{value // 100}.{value % 100:02d} EUR"


def _fixed_courses(house: Mapping[str, Any], course: str) -> tuple[tuple[Dish, ...], ...]:
    return tuple((_parse_dish(text),) for text in _split_items(house.get(course, "")) if text)
