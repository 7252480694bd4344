"""ID, intent detection: the scenario that a run declares.

    ID = 1 if the most similar label belongs to the episode's scenario, else 0

The labels of scenarios are published in four languages (`data/labels.yaml`). A text and a label are compared by their
Indel similarity, `1 - (insertions and deletions) / (characters of both)`, ignoring case, accents, blanks and
punctuation. A text names the scenario of the most similar label if the similarity is at least `SIMILAR` and no other
scenario has an equally similar label. A text that is only a part of a label, or that contains labels of two scenarios,
names no scenario.

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
from planspec.families.mobilitybench.yaml_text import parse_yaml
from planspec.verifiers.answers.names import folded_name

SIMILAR = Fraction(85, 100)
"""Minimum similarity of a text and a label at which the text names the label's scenario."""
LONGEST = 300
"""Maximum number of characters of a text that are compared."""


class UnclearIntent(StrEnum):
    """Reason why a text names no scenario."""

    UNLIKE = "like no label"
    FRAGMENT = "fragment of a label"
    SHARED = "label of several scenarios"
    SEVERAL = "labels of several scenarios"
    BETWEEN = "as like two scenarios"


@dataclass(frozen=True, slots=True)
class Intent:
    """Scenario that a text names.

    Attributes:
        scenario: the scenario; None if the text names none.
        label: the most similar label.
        similarity: similarity of the text to that label, from 0 to 1.
        unclear: reason why the text names no scenario; None if it names a scenario.
    """

    scenario: Scenario | None
    label: str
    similarity: Fraction
    unclear: UnclearIntent | None = None


@dataclass(frozen=True, slots=True)
class LabelTable:
    """The published labels.

    Attributes:
        scenarios: scenario of each folded label.
        spellings: published spelling of each folded label.
        shared: folded labels that several scenarios share.
    """

    scenarios: Mapping[str, Scenario]
    spellings: Mapping[str, str]
    shared: frozenset[str]


@cache
def labels() -> LabelTable:
    """Return the labels of `data/labels.yaml`."""
    text = files("planspec.families.mobilitybench").joinpath("data", "labels.yaml").read_text("utf-8")
    data = parse_yaml(text)
    scenarios: dict[str, Scenario] = {}
    spellings: dict[str, str] = {}
    for name, languages in data["labels"].items():
        for label in (label for listed in languages.values() for label in listed):
            plain = folded_name(label)
            assert scenarios.setdefault(plain, Scenario(name)) is Scenario(name), label
            spellings.setdefault(plain, label)
    return LabelTable(scenarios, spellings, frozenset(map(folded_name, data["shared"])))


@lru_cache(maxsize=4096)
def intent_of(text: str) -> Intent:
    """Compare a text with all labels, and return the scenario that it names, if any."""
    from rapidfuzz.distance import Indel

    published, plain = labels(), folded_name(text[: LONGEST * 4])[:LONGEST]
    best: dict[Scenario, tuple[Fraction, str]] = {}
    for label, scenario in published.scenarios.items():
        length = len(label) + len(plain)
        alike = 1 - Fraction(Indel.distance(plain, label), length)
        if scenario not in best or alike > best[scenario][0]:
            best[scenario] = alike, label
    scenario, (alike, label) = max(best.items(), key=lambda entry: entry[1][0])
    unclear = _why_unclear(plain, scenario, best)
    return Intent(None if unclear else scenario, published.spellings[label], alike, unclear)


def _why_unclear(plain: str, scenario: Scenario, best: Mapping[Scenario, tuple[Fraction, str]]) -> UnclearIntent | None:
    published = labels()
    alike, label = best[scenario]
    if plain in published.shared:
        return UnclearIntent.SHARED
    if alike == 1:
        return None
    inside = _labels_in(plain)
    if len(set(inside.values())) > 1:
        return UnclearIntent.SEVERAL
    if plain and any(plain in other for other in published.scenarios):
        return UnclearIntent.FRAGMENT
    if alike < SIMILAR:
        return UnclearIntent.UNLIKE
    if any(
        other_scenario is not scenario and other_label not in label for other_label, other_scenario in inside.items()
    ):
        return UnclearIntent.SEVERAL
    if sum(other_alike == alike for other_alike, _ in best.values()) > 1:
        return UnclearIntent.BETWEEN
    return None


def _labels_in(plain: str) -> dict[str, Scenario]:
    """Return the labels that a folded text contains, with their scenarios. Labels within longer labels are omitted."""
    labels_inside = {label: scenario for label, scenario in labels().scenarios.items() if label in plain}
    return {
        one: scenario_inside
        for one, scenario_inside in labels_inside.items()
        if not any(one != other and one in other for other in labels_inside)
    }
