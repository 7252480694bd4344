"""The intent of a text is the scenario of the most similar label, if the similarity is high enough."""

from fractions import Fraction

import pytest

from planspec.families.mobilitybench.episode import LABELS, Scenario
from planspec.families.mobilitybench.metrics.intent import SIMILAR, UnclearIntent, intent_of, labels
from planspec.families.mobilitybench.official.truth import SCENARIOS


@pytest.mark.parametrize(("label", "scenario"), LABELS.items())
def test_scenarios_are_recognised_by_their_names_in_the_paper_and_in_the_public_table(
    label: str, scenario: Scenario
) -> None:
    match = intent_of(label)
    assert match.scenario is scenario
    assert match.similarity == 1


def test_every_scenario_has_its_own_labels_in_each_language() -> None:
    for scenario in Scenario:
        own = [label for label, its in labels().scenarios.items() if its is scenario]
        assert any(label.isascii() for label in own)
        assert any(not label.isascii() for label in own)
        assert len(own) >= 11
        assert all(intent_of(labels().spellings[label]).scenario is scenario for label in own)
    assert not labels().shared & labels().scenarios.keys()


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        ("Wettervorhersage", Scenario.WEATHER),
        ("渋滞情報", Scenario.TRAFFIC),
        ("Suche in der Nähe", Scenario.NEARBY_SEARCH),
        ("経由地付きルート計画", Scenario.MULTI_STOP),
        ("Punkt-zu-Punkt-Planung", Scenario.POINT_TO_POINT),
    ],
)
def test_labels_are_known_in_german_and_japanese(text: str, scenario: Scenario) -> None:
    assert intent_of(text).scenario is scenario


def test_the_public_toolkits_labels_name_their_scenario_or_are_shared_by_several() -> None:
    for name, scenario in SCENARIOS.items():
        match = intent_of(scenario.intent)
        assert match.scenario is LABELS[name] or match.unclear is UnclearIntent.SHARED


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        ("poi search", Scenario.POI_SEARCH),
        ("  Weather  Query. ", Scenario.WEATHER),
        ("point_to_point_planning", Scenario.POINT_TO_POINT),
        ("Multistop Planing", Scenario.MULTI_STOP),
        ("the weather query", Scenario.WEATHER),
        ("附近周边搜索。", Scenario.NEARBY_SEARCH),
    ],
)
def test_case_blanks_punctuation_and_misspellings_are_ignored(text: str, scenario: Scenario) -> None:
    assert intent_of(text).scenario is scenario


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("路", UnclearIntent.FRAGMENT),
        ("天气", UnclearIntent.FRAGMENT),
        ("Point-to-Point Plan", UnclearIntent.FRAGMENT),
        ("Query", UnclearIntent.FRAGMENT),
        ("路线规划", UnclearIntent.SHARED),
        ("Route planning", UnclearIntent.SHARED),
        ("POI Search, Weather Query", UnclearIntent.SEVERAL),
        ("Option-Constrained Route Planning 距离", UnclearIntent.SEVERAL),
        ("Weather Query Traffic Query Nearby Search Route Property Query", UnclearIntent.SEVERAL),
        ("The user wants to know the weather", UnclearIntent.UNLIKE),
        ("Quatsch", UnclearIntent.UNLIKE),
        ("Wetter", UnclearIntent.FRAGMENT),
        ("Routenplanung", UnclearIntent.SHARED),
        ("ルート計画", UnclearIntent.SHARED),
        ("???", UnclearIntent.UNLIKE),
    ],
)
def test_no_scenario_is_recognised_in_fragments_sentences_or_several_labels(text: str, unclear: UnclearIntent) -> None:
    match = intent_of(text)
    assert match.scenario is None
    assert match.unclear is unclear


def test_the_similarity_counts_insertions_and_deletions() -> None:
    # weatherquery and weatherqery have 23 letters together, of which one is only in the first
    assert intent_of("weather qery").similarity == 1 - Fraction(1, 23)
    assert Fraction(17, 20) == SIMILAR


def test_a_label_containing_another_scenarios_label_names_its_own_scenario() -> None:
    assert intent_of("Nearby POI Search").scenario is Scenario.NEARBY_SEARCH
    assert intent_of("POI Search").scenario is Scenario.POI_SEARCH
