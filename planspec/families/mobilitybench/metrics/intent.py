"""ID, intent detection: the scenario that a run takes its episode for.

    ID = 1 if the scenario of the nearest label is the episode's, else 0

The labels are published (`data/labels.yaml`, English and Chinese). A label and a text are as similar as their Indel
similarity, `1 - insertions and deletions / characters of both`, without case, accents, blanks and punctuation. A text
counts if its nearest label is at least `SIMILAR` and no other scenario has one as near. A text that is a part of its label
is a fragment, and a text in which labels of two scenarios stand names none: neither counts.

Source: section 3.2.1, equation (1) of the paper, which gives no threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from importlib.resources import files

from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.yaml_text import parsed
from planspec.verifiers.answers.names import folded

SIMILAR = Fraction(85, 100)
"""A text less similar to a label is not it."""
LONGEST = 300
"""Longer texts are no labels."""


class Unclear(StrEnum):
    """Why a text names no scenario."""

    UNLIKE = "like no label"
    FRAGMENT = "fragment of a label"
    SHARED = "label of several scenarios"
    SEVERAL = "labels of several scenarios"
    BETWEEN = "as like two scenarios"


@dataclass(frozen=True, slots=True)
class Intent:
    """A reading of a text: the scenario that it names.

    Attributes:
        scenario: that it names; None if it names none.
        label: the nearest label.
        similarity: of the text to it, from 0 to 1.
        unclear: why it names none.
    """

    scenario: Scenario | None
    label: str
    similarity: Fraction
    unclear: Unclear | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """The published labels.

    Attributes:
        scenarios: by label, folded.
        written: by label, folded, how it is written.
        shared: labels of several scenarios, folded.
    """

    scenarios: Mapping[str, Scenario]
    written: Mapping[str, str]
    shared: frozenset[str]


@cache
def labels() -> Labels:
    """The labels of `data/labels.yaml`."""
    text = files("planspec.families.mobilitybench").joinpath("data", "labels.yaml").read_text("utf-8")
    said = parsed(text)
    scenarios: dict[str, Scenario] = {}
    written: dict[str, str] = {}
    for name, languages in said["labels"].items():
        for label in (label for listed in languages.values() for label in listed):
            plain = folded(label)
            assert scenarios.setdefault(plain, Scenario(name)) is Scenario(name), label
            written.setdefault(plain, label)
    return Labels(scenarios, written, frozenset(map(folded, said["shared"])))


@lru_cache(maxsize=4096)
def intent_of(text: str) -> Intent:
    """The scenario that a text names."""
    from rapidfuzz.distance import Indel

    known, plain = labels(), folded(text[: LONGEST * 4])[:LONGEST]
    best: dict[Scenario, tuple[Fraction, str]] = {}
    for label, scenario in known.scenarios.items():
        length = len(label) + len(plain)
        alike = 1 - Fraction(Indel.distance(plain, label), length)
        if scenario not in best or alike > best[scenario][0]:
            best[scenario] = alike, label
    scenario, (alike, label) = max(best.items(), key=lambda one: one[1][0])
    unclear = _unclear(plain, scenario, best)
    return Intent(None if unclear else scenario, known.written[label], alike, unclear)


def _unclear(plain: str, scenario: Scenario, best: Mapping[Scenario, tuple[Fraction, str]]) -> Unclear | None:
    known = labels()
    alike, label = best[scenario]
    if plain in known.shared:
        return Unclear.SHARED
    if alike == 1:
        return None
    inside = _inside(plain)
    if len(set(inside.values())) > 1:
        return Unclear.SEVERAL
    if plain and any(plain in other for other in known.scenarios):
        return Unclear.FRAGMENT
    if alike < SIMILAR:
        return Unclear.UNLIKE
    if any(its is not scenario and one not in label for one, its in inside.items()):
        return Unclear.SEVERAL
    if sum(found == alike for found, _ in best.values()) > 1:
        return Unclear.BETWEEN
    return None


def _inside(plain: str) -> dict[str, Scenario]:
    """The labels that stand in a text, but for those within others of them."""
    found = {label: scenario for label, scenario in labels().scenarios.items() if label in plain}
    return {
        one: its for one, its in found.items() if not any(one != other and one in other for other in found)
    }
