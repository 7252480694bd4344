"""ID, intent detection: the scenario that a run declares.

    ID = 1 if the scenario of the nearest label is the episode's, else 0

The labels are published (`data/labels.yaml`, in four languages). The similarity of a label and a text is the
Indel similarity, `1 - insertions and deletions / characters of both`, without case, accents, blanks and
punctuation. A text counts if the similarity to its nearest label is at least `SIMILAR` and no other scenario
has one as near. A part of a label is a fragment, and a text with labels of two scenarios names none: neither
counts.

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
"""Least similarity of a text to a label."""
LONGEST = 300
"""Most characters of a label."""


class Unclear(StrEnum):
    """Reason why a text names no scenario."""

    UNLIKE = "like no label"
    FRAGMENT = "fragment of a label"
    SHARED = "label of several scenarios"
    SEVERAL = "labels of several scenarios"
    BETWEEN = "as like two scenarios"


@dataclass(frozen=True, slots=True)
class Intent:
    """Reading of a text as a scenario.

    Attributes:
        scenario: the named scenario; None if the text names none.
        label: the nearest label.
        similarity: similarity to the label, from 0 to 1.
        unclear: reason why the text names no scenario.
    """

    scenario: Scenario | None
    label: str
    similarity: Fraction
    unclear: Unclear | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """The published labels.

    Attributes:
        scenarios: scenarios by folded label.
        written: spellings by folded label.
        shared: folded labels of several scenarios.
    """

    scenarios: Mapping[str, Scenario]
    written: Mapping[str, str]
    shared: frozenset[str]


@cache
def labels() -> Labels:
    """Return the labels of `data/labels.yaml`."""
    text = files("planspec.families.mobilitybench").joinpath("data", "labels.yaml").read_text("utf-8")
    data = parsed(text)
    scenarios: dict[str, Scenario] = {}
    written: dict[str, str] = {}
    for name, languages in data["labels"].items():
        for label in (label for listed in languages.values() for label in listed):
            plain = folded(label)
            assert scenarios.setdefault(plain, Scenario(name)) is Scenario(name), label
            written.setdefault(plain, label)
    return Labels(scenarios, written, frozenset(map(folded, data["shared"])))


@lru_cache(maxsize=4096)
def intent_of(text: str) -> Intent:
    """Return the scenario that a text names."""
    from rapidfuzz.distance import Indel

    published, plain = labels(), folded(text[: LONGEST * 4])[:LONGEST]
    best: dict[Scenario, tuple[Fraction, str]] = {}
    for label, scenario in published.scenarios.items():
        length = len(label) + len(plain)
        alike = 1 - Fraction(Indel.distance(plain, label), length)
        if scenario not in best or alike > best[scenario][0]:
            best[scenario] = alike, label
    scenario, (alike, label) = max(best.items(), key=lambda entry: entry[1][0])
    unclear = _unclear(plain, scenario, best)
    return Intent(None if unclear else scenario, published.written[label], alike, unclear)


def _unclear(plain: str, scenario: Scenario, best: Mapping[Scenario, tuple[Fraction, str]]) -> Unclear | None:
    published = labels()
    alike, label = best[scenario]
    if plain in published.shared:
        return Unclear.SHARED
    if alike == 1:
        return None
    inside = _inside(plain)
    if len(set(inside.values())) > 1:
        return Unclear.SEVERAL
    if plain and any(plain in other for other in published.scenarios):
        return Unclear.FRAGMENT
    if alike < SIMILAR:
        return Unclear.UNLIKE
    if any(
        other_scenario is not scenario and other_label not in label
        for other_label, other_scenario in inside.items()
    ):
        return Unclear.SEVERAL
    if sum(other_alike == alike for other_alike, _ in best.values()) > 1:
        return Unclear.BETWEEN
    return None


def _inside(plain: str) -> dict[str, Scenario]:
    """Return the labels in a text, except those inside longer ones."""
    labels_inside = {label: scenario for label, scenario in labels().scenarios.items() if label in plain}
    return {
        one: scenario_inside
        for one, scenario_inside in labels_inside.items()
        if not any(one != other and one in other for other in labels_inside)
    }
