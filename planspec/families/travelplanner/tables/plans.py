"""Tables about plans by any agent: spending by day, complexity, tiers of difficulty, rules and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import mean, pstdev

from planspec.families.travelplanner.tables.trips import (
    BUDGET_RULE,
    EASY,
    MEDIUM,
    TIERS,
    Cell,
    Columns,
    Trip,
    average,
    deviation,
    share,
    table,
)
from planspec.scores.record import RunTable

RESTAURANTS, SIGHTS = "is_valid_restaurants", "is_valid_attractions"
ALL = "all"
"""Label of the row for the attempts of all tiers."""
RANGES = {"easy": f"to {EASY:.1f}", "medium": f"to {MEDIUM:.1f}", "hard": f"over {MEDIUM:.1f}", ALL: ""}
EARLY_DAYS = 2
"""Overspending counts as early if it occurs within the first two days (Table 33)."""
TIGHT, AMPLE = 600_00, 1000_00
"""Limits of budgets per day, in cents. Up to the first, a budget is tight; above the second, it is ample (Table 28)."""
Mode = tuple[str, Callable[[Trip], bool]]


def budget_by_day(trips: Sequence[Trip]) -> RunTable:
    """Return, for each n, the share of plans within the budget after the first n days (Table 2)."""
    rows: list[tuple[Cell, ...]] = []
    for length in sorted({trip.days for trip in trips if trip.days is not None}):
        plans = [trip for trip in trips if trip.days == length and trip.budget and trip.costs]
        for day in range(1, length + 1) if plans else ():
            spent = [(_spent(trip, day), trip.budget or 0) for trip in plans]
            priced = [(cost, budget) for cost, budget in spent if cost is not None]
            rows.append(
                (
                    length,
                    day,
                    len(plans),
                    sum(cost <= budget for cost, budget in priced) / len(plans),
                    sum(cost * length <= budget * day for cost, budget in priced) / len(plans),
                    average(cost / budget for cost, budget in priced),
                )
            )
    columns: Columns = (
        ("trip", "count"), ("day", "count"), ("plans", "count"), ("within budget", "share"),
        ("within pace", "share"), ("budget used", "share"),
    )  # fmt: skip
    return table(
        "budget-by-day",
        "Budget by day (Table 2)",
        columns,
        rows,
        "Plans with a budget, by the trip's length in days. Within budget: the days so far cost no more than the "
        "whole budget; within pace: no more than the same share of it as of the days. Unknown prices count as over.",
    )


def complexity(trips: Sequence[Trip]) -> RunTable:
    """Return the distribution of the trips' complexity (Table 14)."""
    by_task = {trip.task: trip for trip in trips if trip.complexity is not None}
    rows: list[tuple[Cell, ...]] = []
    for tier in (*TIERS, ALL):
        tasks = [trip for trip in by_task.values() if tier in (ALL, trip.tier)]
        attempts = [trip for trip in trips if trip.tier is not None and tier in (ALL, trip.tier)]
        values = [trip.complexity for trip in tasks if trip.complexity is not None]
        if values:
            part, given = len(tasks) / len(by_task), average(trip.given_complexity for trip in tasks)
            rate = share(attempts, lambda trip: trip.passed)
            rows.append((tier, RANGES[tier], len(tasks), part, mean(values), pstdev(values), given, rate))
    columns: Columns = (
        ("tier", "text"), ("complexity", "text"), ("tasks", "count"), ("share", "share"), ("mean", "quantity"),
        ("deviation", "quantity"), ("as given", "quantity"), ("pass rate", "share"),
    )  # fmt: skip
    return table(
        "complexity",
        "Complexity of the tasks (Table 14)",
        columns,
        rows,
        "D * C * (1 + 0.5 N), with D days and C cities. The published values follow from N = 4, the kinds of local "
        "constraints, so tiers are lengths of trips. As given: the mean with the number of constraints in the request.",
    )


def tiers(trips: Sequence[Trip]) -> RunTable:
    """Return pass rate, overspending and diversity by tier (Tables 23, 24, and the full system in 26, 27 and 29)."""
    rows: list[tuple[Cell, ...]] = []
    for tier in (*TIERS, ALL):
        members = [trip for trip in trips if trip.tier is not None and tier in (trip.tier, ALL)]
        plans = [trip for trip in members if trip.delivered]
        if members:
            rows.append(
                (
                    tier,
                    len(members),
                    share(members, lambda trip: trip.passed),
                    share(plans, lambda trip: BUDGET_RULE in trip.violated),
                    share(plans, lambda trip: not {RESTAURANTS, SIGHTS} & trip.violated),
                    average(trip.budget_used for trip in plans),
                    deviation(trip.budget_used for trip in plans),
                    average(trip.seconds for trip in members),
                )
            )
    columns: Columns = (
        ("tier", "text"), ("attempts", "count"), ("pass rate", "share"), ("over budget", "share"),
        ("diverse", "share"), ("budget used", "share"), ("deviation", "share"), ("seconds", "quantity"),
    )  # fmt: skip
    return table(
        "tiers",
        "Results by tier of complexity (Tables 23, 24, 26, 27, 29)",
        columns,
        rows,
        "Shares over budget, and diverse (no restaurant or attraction twice), are of delivered plans.",
    )


def rules(trips: Sequence[Trip]) -> RunTable:
    """Return the pass rate of each rule, over all attempts and by tier (Tables 18 and 25)."""
    kinds = {r.rule: r.kind for trip in trips for r in trip.facts.rules if r.n}
    rows: list[tuple[Cell, ...]] = []
    for rule, kind in kinds.items():
        bound = [trip for trip in trips if any(r.rule == rule and r.n for r in trip.facts.rules)]
        rates = [_rule_rate(rule, [trip for trip in bound if tier in (ALL, trip.tier)]) for tier in (*TIERS, ALL)]
        plans = [trip for trip in bound if trip.delivered]
        rows.append((rule, kind or "", len(bound), *rates, _rule_rate(rule, plans)))
    columns: Columns = (
        ("rule", "text"), ("kind", "text"), ("attempts", "count"), ("easy", "share"), ("medium", "share"),
        ("hard", "share"), ("all", "share"), ("delivered", "share"),
    )  # fmt: skip
    return table(
        "rules",
        "Pass rate by rule (Tables 18 and 25)",
        columns,
        rows,
        "Attempts at tasks to which the rule applies, by tier; undelivered answers satisfy nothing. The last column "
        "leaves them out.",
    )


def cities(trips: Sequence[Trip]) -> RunTable:
    """Return the frequency of visits to expensive cities, by budget (Table 28)."""
    plans = [trip for trip in trips if trip.delivered and trip.budget and trip.days and "dear" in trip.measures]
    rows: list[tuple[Cell, ...]] = []
    for name, least, most in (("tight", 0, TIGHT), ("moderate", TIGHT, AMPLE), ("ample", AMPLE, None)):
        members = [trip for trip in plans if _is_between((trip.budget or 0) / (trip.days or 1), least, most)]
        if members:
            chose = share(members, lambda trip: bool(trip.measures["dear"]))
            rows.append((name, f"over {least // 100}" if most is None else f"to {most // 100}", len(members), chose))
    columns: Columns = (("budget", "text"), ("a day", "text"), ("plans", "count"), ("dear city", "share"))
    return table(
        "cities",
        "Dear cities by budget (Table 28)",
        columns,
        rows,
        "Dear: among the quarter of cities with the highest median price of a night and three meals. The paper names "
        "New York, San Francisco and Los Angeles, and does not define its rate of appropriate choices.",
    )


def failures(trips: Sequence[Trip]) -> RunTable:
    """Return the number of failed attempts by type of failure (Tables 33 and 37)."""
    failed = [trip for trip in trips if not trip.passed]
    rows: list[tuple[Cell, ...]] = []
    for name, members in _by_mode(failed):
        alone = [trip for trip in members if sum(holds(trip) for _, holds in MODES) == 1]
        used = average(trip.budget_used for trip in members)
        rounds = average(trip.rounds for trip in members)
        rows.append(
            (name, len(members), len(members) / len(trips), len(members) / len(failed), len(alone), used, rounds)
        )
    columns: Columns = (
        ("failure", "text"), ("attempts", "count"), ("of all", "share"), ("of failed", "share"), ("alone", "count"),
        ("budget used", "share"), ("rounds", "quantity"),
    )  # fmt: skip
    return table(
        "failures",
        "Failures (Tables 33 and 37)",
        columns,
        rows,
        "An attempt counts for each of its failures; alone: it has no other. Overspending is early if the first two "
        "days exceed the budget. Rounds of bargaining are known for `himap` alone.",
    )


def _by_mode(failed: Sequence[Trip]) -> Iterator[tuple[str, list[Trip]]]:
    """Yield each type of failure that occurs, with its attempts."""
    for name, holds in (*MODES, ("several", _has_several), ("other", _has_none)):
        members = [trip for trip in failed if holds(trip)]
        if members:
            yield name, members


def _violates(*names: str) -> Callable[[Trip], bool]:
    return lambda trip: bool(trip.violated.intersection(names))


def _overspends_early(trip: Trip) -> bool:
    spent = _spent(trip, EARLY_DAYS)
    return BUDGET_RULE in trip.violated and spent is not None and trip.budget is not None and spent > trip.budget


def _misses_cities(trip: Trip) -> bool:
    return "is_not_absent" in trip.violated and trip.measures.get("visited") != trip.cities


MODES: tuple[Mode, ...] = (
    ("budget, early", _overspends_early),
    ("budget, by drift", lambda trip: BUDGET_RULE in trip.violated and not _overspends_early(trip)),
    ("restaurant twice", _violates(RESTAURANTS)),
    ("attraction twice", _violates(SIGHTS)),
    ("route", _violates("is_reasonable_visiting_city", "is_valid_information_in_current_city")),
    ("cities missing", _misses_cities),
    ("incomplete", lambda trip: "is_not_absent" in trip.violated and not _misses_cities(trip)),
    ("minimum nights", _violates("is_valid_accommodation")),
    ("name in no table", _violates("is_valid_information_in_sandbox")),
    ("transport", _violates("is_valid_transportation", "valid_transportation")),
    ("room or cuisine", _violates("valid_room_rule", "valid_room_type", "valid_cuisine")),
    ("no answer", lambda trip: not trip.delivered),
)
"""Types of failure, each with a predicate on failed attempts."""


def _has_several(trip: Trip) -> bool:
    return sum(holds(trip) for _, holds in MODES) > 1


def _has_none(trip: Trip) -> bool:
    return not any(holds(trip) for _, holds in MODES)


def _spent(trip: Trip, day: int) -> int | None:
    """Return the cost of the first `day` days in cents; None if a price is unknown or there is no plan."""
    costs = trip.costs[:day]
    priced = [cost for cost in costs if cost is not None]
    return sum(priced) if costs and len(priced) == len(costs) else None


def _rule_rate(rule: str, trips: Sequence[Trip]) -> float | None:
    return share(trips, lambda trip: trip.delivered and rule not in trip.violated)


def _is_between(value: float, least: int, most: int | None) -> bool:
    return least < value and (most is None or value <= most)
