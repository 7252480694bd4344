"""The metric DEC (task decomposition) compares the steps that an agent plans with the steps of the episode."""

from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.metrics.calling import read_call
from planspec.families.mobilitybench.metrics.declared import Declaration
from planspec.families.mobilitybench.metrics.decomposition import UNKNOWN, decomposition
from planspec.families.mobilitybench.metrics.record import JudgedMetric
from planspec.traces import Call
from tests.families.mobilitybench.metrics.runs import call

NEEDED = ("find_place", "plan_drive", "keep_to_options")


def dec_values(steps: list[Any] | None, *calls: Call, needed: tuple[str, ...] = NEEDED) -> tuple[Any, Any]:
    """Return precision and recall of planned steps."""
    precision, recall = dec_metrics(steps, *calls, needed=needed)
    return precision.value, recall.value


def dec_metrics(
    steps: list[Any] | None, *calls: Call, needed: tuple[str, ...] = NEEDED
) -> tuple[JudgedMetric, JudgedMetric]:
    """Return precision and recall of planned steps with their reasons."""
    read_calls = [read_call(one, public=False) for one in calls]
    return decomposition(needed, None if steps is None else Declaration(steps, "answer"), read_calls)


def test_the_right_steps_by_name_score_1() -> None:
    assert dec_values(list(NEEDED)) == (1, 1)


def test_two_of_three_planned_steps_are_needed_and_two_of_three_needed_are_planned() -> None:
    assert dec_values(["find_place", "plan_drive", "tell_weather"]) == (Fraction(2, 3), Fraction(2, 3))


def test_a_planned_sentence_without_a_known_step_lowers_precision() -> None:
    precision, recall = dec_metrics(["find_place", "Consider the question"])
    assert (precision.value, recall.value) == (Fraction(1, 2), Fraction(1, 3))
    assert precision.reasons == (UNKNOWN,)
    assert recall.reasons == ("missing plan_drive", "missing keep_to_options")


def test_a_needed_step_that_is_planned_twice_counts_once_and_an_unneeded_one_twice() -> None:
    assert dec_values(["find_place", "find_place", "plan_drive"]) == (1, Fraction(2, 3))
    assert dec_values(["find_place", "tell_weather", "tell_weather"]) == (Fraction(1, 3), Fraction(1, 3))


def test_a_step_that_is_needed_twice_is_paired_twice() -> None:
    needed = ("find_place", "find_place", "plan_drive")
    assert dec_values(["find_place", "plan_drive"], needed=needed) == (1, Fraction(2, 3))
    assert dec_values(["find_place", "find_place"], needed=needed) == (1, Fraction(2, 3))


def test_a_plan_of_every_step_has_full_recall_and_low_precision() -> None:
    everything = ["find_place", "find_nearby", "tell_address", "tell_weather", "tell_traffic", "plan_drive"]
    assert dec_values(everything, needed=("tell_weather",)) == (Fraction(1, 6), 1)


def test_calls_count_as_steps_if_an_agent_declares_none() -> None:
    precision, recall = dec_metrics(None, call("poi_query", keywords="x"), call("driving_planning"), call("teleport"))
    assert (precision.value, recall.value) == (Fraction(2, 3), Fraction(2, 3))
    assert precision.source == "calls"


def test_declared_steps_take_precedence_over_calls() -> None:
    precision, _ = dec_metrics(["find_place"], call("weather_query", city="x"))
    assert precision.value == 1
    assert precision.source == "answer"


def test_no_steps_score_0_and_an_episode_without_steps_has_no_value() -> None:
    assert dec_values(None) == (0, 0)
    assert dec_values(["find_place"], needed=()) == (None, None)


def test_a_step_that_is_not_a_string_is_unneeded() -> None:
    assert dec_values([{"step": "find_place"}, 3, "find_place"]) == (Fraction(1, 3), Fraction(1, 3))
