"""Generator of names for roads, districts and places, in a city's language and in English."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from planspec.families.mobilitybench.map.records import Language, RoadClass
from planspec.families.mobilitybench.yaml_text import parse_yaml

COMPASS: dict[Language, tuple[tuple[str, str], ...]] = {
    "zh": (("东", "East "), ("西", "West "), ("南", "South "), ("北", "North "), ("中", "Central ")),
    "en": (
        ("East ", "East "),
        ("West ", "West "),
        ("South ", "South "),
        ("North ", "North "),
        ("Old ", "Old "),
    ),
    "de": (("Alte ", "Alte "), ("Neue ", "Neue "), ("Obere ", "Obere "), ("Untere ", "Untere ")),
    "ja": (("東", "East "), ("西", "West "), ("南", "South "), ("北", "North "), ("本", "Main ")),
}


@cache
def _all_words() -> dict[Language, dict[str, Any]]:
    text = files("planspec.families.mobilitybench.map").joinpath("words.yaml").read_text(encoding="utf-8")
    by_language: dict[Language, dict[str, Any]] = parse_yaml(text)
    return by_language


def words(language: Language) -> dict[str, Any]:
    """Return the word lists of a language."""
    return _all_words()[language]


class NameGenerator:
    """Generator of names that are unique within a city.

    Args:
        language: language of the city. Most names are generated as pairs of a name in this language and in English.
        rng: random generator.
    """

    def __init__(self, language: Language, rng: Random) -> None:
        self.language: Language = language
        self.words = words(language)
        self._rng = rng
        self._taken: set[str] = set()

    def draw_stem(self) -> tuple[str, str]:
        """Draw a word from which names are built, in the city's language and in English; words may repeat."""
        first = self._rng.choice(self.words["stems"])
        second = self._rng.choice(self.words["seconds"])
        if second[0].casefold() == first[0].casefold():
            second = self.words["seconds"][1]
        return first[0] + second[0], first[1] + second[1]

    def make_unique(self, name: str) -> str:
        """Return the name, with a number appended if it has been used before."""
        candidate, number = name, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{name}{number}" if self.language in {"zh", "ja"} else f"{name} {number}"
        self._taken.add(candidate)
        return candidate

    def draw_road_name(self, kind: RoadClass) -> tuple[str, str]:
        """Draw a unique name for a road of a class, in the city's language and in English.

        If several attempts give names that are already in use, a compass point such as "North" is added.
        """
        for attempt in range(40):
            stem, plain = self.draw_stem()
            suffix, english = self._rng.choice(self.words["roads"][kind])
            name, translated = (
                stem + suffix,
                f"{plain} {english}" if english[0].isupper() else plain + english,
            )
            if attempt > 3:
                where, english_where = self._rng.choice(COMPASS[self.language])
                if self.language == "zh":
                    name, translated = stem + where + suffix, english_where + translated
                else:
                    name, translated = where + name, english_where + translated
            if name not in self._taken:
                self._taken.add(name)
                return name, translated
        stem, plain = self.draw_stem()
        return self.make_unique(f"{stem}{self.words['roads'][kind][0][0]}"), plain

    def ring_road_name(self, number: int) -> tuple[str, str]:
        """Return the name of the n-th ring road from the centre, in the city's language and in English."""
        numbers: list[str] = self.words["numbers"]
        local, english = self.words["ring"]
        ordinals: list[str] = words("en")["numbers"]
        has_word = number < len(numbers)
        ordinal = ordinals[number] if has_word else str(number)
        if self.language == "ja":
            ordinal = str(number)
        local = self.make_unique(local.format(n=numbers[number] if has_word else number))
        return local, english.format(n=ordinal)

    def draw_parts(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Draw the two parts of a place's name, each in the city's language and in English."""
        return self._rng.choice(self.words["stems"]), self._rng.choice(self.words["seconds"])

    def draw_district(self) -> tuple[str, str]:
        for _ in range(200):
            first, second = (
                self._rng.choice(self.words["stems"]),
                self._rng.choice(self.words["seconds"]),
            )
            local, english = self.words["district"]
            name = local.format(a=first[0], b=second[0])
            if second[0] and second[0] != first[0] and name not in self._taken:
                self._taken.add(name)
                return name, english.format(a=first[1], b=second[1])
        raise AssertionError("a city has few districts")
