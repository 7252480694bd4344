"""The metrics of VeriTrip, with the formulas of its paper (section 3.4, Tables 3 to 7).

Over `N` tasks, of which `d` were delivered:

    DR        delivery rate: d / N
    DR strict as the paper computes it: answers that are JSON with exactly the three tables and nothing else / N
    FR        factual reliability: correct cells / cells that count as facts, of delivered answers
    PR micro  pass rate: satisfied planning constraints / applicable planning constraints, of delivered answers
    PR macro  pass rate: answers that satisfy every planning constraint / N
    PFR       preference fulfilment: answers that satisfy every preference / N
    AM        average margin: mean of max(0, D - D_ref) / places, over delivered answers with known places

The paper does not assess undelivered answers further. Its tables fit these denominators: PR micro is greater than DR,
and PFR is a multiple of 1/N (in its Table 4, 69.23 is 54 of 78 delivered answers, and 64.10 is 50 of 78 that fulfil all
preferences). With these rates an agent may gain by not answering. `pr_micro_all` and `fr_all` therefore count every
constraint and every cell of an undelivered answer as wrong.

`D` is the length of the closed path through the plan's places in their order, and `D_ref` the length of the
shortest such path. AM is an interval if the shortest path is not proved. `am` uses the places of the
itinerary; `am_hotels` adds the hotels, each at the end of the days on which its rooms are used. The paper
gives AM in units of 10 km on the Web Mercator map.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from planspec.families.veritrip.facts_check.verdict import STATUSES, CheckedCell, facts_of
from planspec.families.veritrip.format.reading import FORMS
from planspec.verifiers.metrics.generic import Metrics, is_delivered, mean
from planspec.verifiers.metrics.metric import (
    Exact,
    Metric,
    MetricFields,
    PassRate,
    Rate,
    Share,
    Tallies,
    Weight,
    constraint_weight,
)
from planspec.verifiers.metrics.refusals import RefusalRates
from planspec.verifiers.metrics.scored import ClosedWay, Scored

CONSTRAINT, PREFERENCE = "constraint", "preference"
DIFFICULTIES = ("Simple", "Medium", "Complex")
UNKNOWN = "unknown"
"""Key of the tasks without a difficulty."""
PAPER_UNIT = 10_000
"""The paper's unit of the average margin (AM), in metres."""


class Interval(BaseModel):
    """Lower and upper bound of a mean margin, equal if all shortest paths are proved."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    least: Exact
    most: Exact


def _fact_cell_count(scored: Scored) -> int:
    """Return the number of cells that count as facts."""
    facts = facts_of(scored.verdict)
    return len(facts.cells) if facts is not None else 0


def _citable_cell_count(scored: Scored) -> int:
    """Return the number of cells on attractions that need a citation."""
    facts = facts_of(scored.verdict)
    return sum(facts.citations.values()) if facts is not None else 0


def _applicable_rule_counter(kind: str) -> Weight:
    """Return a function that counts the applicable rules of a kind in an answer.

    The function returns 0 for an undelivered answer.
    """
    return lambda scored: _count_satisfied_rules(scored, kind)[1] if is_delivered(scored.verdict) else 0


class VeriTripRates(MetricFields):
    """Rates of some tasks. A rate is null if its denominator is zero."""

    delivery_rate: Rate = Field(description="DR: share of the tasks with an answer that could be judged")
    delivery_rate_strict: Rate = Field(
        description="DR as in the paper: share of the tasks whose answer is only JSON with exactly the three tables, empty or not"
    )
    factual_reliability: Annotated[Exact | None, Metric("share", "higher", _fact_cell_count)] = Field(
        description="FR: share of the fact cells of delivered answers that are correct"
    )
    fr_all: Share = Field(
        description="mean over all tasks of the share of correct fact cells; 0 for undelivered answers"
    )
    citation_support: Annotated[Exact | None, Metric("share", "higher", _citable_cell_count)] = Field(
        description="share of the cells on attractions in delivered answers that a cited document supports"
    )
    pr_micro: Annotated[Exact | None, Metric("share", "higher", _applicable_rule_counter(CONSTRAINT))] = Field(
        description="share of the applicable planning constraints of delivered answers that are satisfied"
    )
    pr_micro_all: Annotated[Exact | None, Metric("share", "higher", constraint_weight(CONSTRAINT))] = Field(
        description="the same over all tasks; undelivered answers satisfy none"
    )
    pr_macro: Rate = Field(description="share of the tasks whose answer satisfies all planning constraints")
    pfr: Rate = Field(description="PFR: share of the tasks whose answer satisfies all preferences")
    pfr_micro: Annotated[Exact | None, Metric("share", "higher", _applicable_rule_counter(PREFERENCE))] = Field(
        description="share of the applicable preferences of delivered answers that are satisfied"
    )
    am: Annotated[Interval | None, Metric("quantity", "lower")] = Field(
        description="AM in units of 10 km on the Web Mercator map, as in the paper"
    )
    am_hotels: Annotated[Interval | None, Metric("quantity", "lower")] = Field(
        description="the same for the path that also visits the hotels"
    )
    am_metres: Annotated[Interval | None, Metric("quantity", "lower")] = Field(
        description="AM in metres along great circles"
    )
    tool_calls: Annotated[Exact | None, Metric("quantity", "lower")] = Field(
        description="mean number of tool calls, over the records with such a number"
    )
    pass_rate: PassRate = Field(
        description="share of the tasks with the verdict `pass`: all constraints hold and all checked facts are true"
    )


class VeriTripGroup(VeriTripRates):
    """Rates of the tasks of one difficulty."""

    n: int = Field(description="number of tasks in the group, with and without an answer")


class VeriTripMetrics(RefusalRates, VeriTripRates, Metrics):
    """Rates of all tasks and by difficulty, rates of refusals, counts of cells and citations, and violations of each rule."""

    cells: dict[str, int] = Field(description="number of cells of each status")
    columns: Annotated[dict[str, dict[str, int]], Tallies("Cells by column", "cells", "correct")] = Field(
        description="number of cells of each status, by table and column"
    )
    citations: dict[str, int] = Field(description="number of cells on attractions, by kind of citation")
    difficulties: dict[str, VeriTripGroup] = Field(
        description="rates by difficulty; the key is `unknown` for tasks without one"
    )
    failures: dict[str, int] = Field(description="number of delivered answers that violate each rule, largest first")

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Return the metrics; the module docstring has the formulas.

        Args:
            run: one scored answer per task, including tasks without an answer.
        """
        run = tuple(run)
        checks = [facts for scored in run if (facts := facts_of(scored.verdict)) is not None]
        failures = Counter(
            finding.constraint
            for scored in run
            if is_delivered(scored.verdict)
            for finding in scored.verdict.findings
            if finding.level != "shape" and finding.status == "violated"
        )
        groups: dict[str, list[Scored]] = {}
        for scored in run:
            groups.setdefault(str(scored.labels.get("difficulty", UNKNOWN)), []).append(scored)
        return cls(
            n=len(run),
            delivered=sum(is_delivered(scored.verdict) for scored in run),
            **dict(_rates(run)),
            **dict(RefusalRates.of(run)),
            cells=_add_counts([check.counts for check in checks]),
            columns=_count_by_column(cell for check in checks for cell in check.cells),
            citations=_add_counts([check.citations for check in checks]),
            difficulties={
                name: VeriTripGroup(n=len(groups[name]), **dict(_rates(groups[name])))
                for name in sorted(groups, key=_difficulty_key)
            },
            failures=dict(failures.most_common()),
        )


def _add_counts(parts: Iterable[Mapping[Any, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)


def _count_by_column(cells: Iterable[CheckedCell]) -> dict[str, dict[str, int]]:
    """Count the cells of each column by status, in the order of the answer's tables."""
    counted: dict[str, Counter[str]] = {}
    for cell in cells:
        counted.setdefault(f"{cell.table}.{cell.column}", Counter())[cell.status] += 1
    return {
        name: {"n": count.total(), **{status: count[status] for status in STATUSES}}
        for table, columns in FORMS.items()
        for column in columns
        if (count := counted.get(name := f"{table}.{column}", Counter()))
    }


def _difficulty_key(name: str) -> tuple[int, str]:
    return (DIFFICULTIES.index(name), "") if name in DIFFICULTIES else (len(DIFFICULTIES), name)


def _rates(run: Sequence[Scored]) -> VeriTripRates:
    delivered = [scored for scored in run if is_delivered(scored.verdict)]
    tallies = [_count_satisfied_rules(scored, CONSTRAINT) for scored in delivered]
    preferences = [_count_satisfied_rules(scored, PREFERENCE) for scored in delivered]
    requested = sum(scored.hard_counts.get(CONSTRAINT, 0) for scored in run)
    facts = [facts for scored in delivered if (facts := facts_of(scored.verdict)) is not None]
    right, cells = sum(check.counts["correct"] for check in facts), sum(len(check.cells) for check in facts)
    cited = sum(check.citations["supported"] for check in facts)
    citable = sum(sum(check.citations.values()) for check in facts)
    return VeriTripRates(
        delivery_rate=_share(len(delivered), len(run)),
        delivery_rate_strict=_share(
            sum((check := facts_of(s.verdict)) is not None and check.exact for s in run), len(run)
        ),
        factual_reliability=_share(right, cells),
        fr_all=mean([_correct_share(scored) for scored in run]),
        citation_support=_share(cited, citable),
        pr_micro=_share(sum(satisfied for satisfied, _ in tallies), sum(applicable for _, applicable in tallies)),
        pr_micro_all=_share(sum(satisfied for satisfied, _ in tallies), requested),
        pr_macro=_share(sum(satisfied == applicable for satisfied, applicable in tallies), len(run)),
        pfr=_share(sum(satisfied == applicable for satisfied, applicable in preferences), len(run)),
        pfr_micro=_share(
            sum(satisfied for satisfied, _ in preferences), sum(applicable for _, applicable in preferences)
        ),
        am=_mean_margin([(s.detour.plane, s.detour.places) for s in delivered if s.detour], PAPER_UNIT),
        am_hotels=_mean_margin(
            [(d.plane, d.places) for s in delivered if s.detour for d in [s.detour.lodged or s.detour]],
            PAPER_UNIT,
        ),
        am_metres=_mean_margin([(s.detour.globe, s.detour.places) for s in delivered if s.detour], 1),
        tool_calls=mean([Fraction(s.tool_calls) for s in run if s.tool_calls is not None]),
        pass_rate=_share(sum(scored.verdict.status == "pass" for scored in run), len(run)),
    )


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _count_satisfied_rules(scored: Scored, kind: str) -> tuple[int, int]:
    """Return the numbers of satisfied and of applicable rules of a kind."""
    statuses = [
        f.status
        for f in scored.verdict.findings
        if f.kind == kind and f.level != "shape" and f.status != "not-applicable"
    ]
    return statuses.count("satisfied"), len(statuses)


def _correct_share(scored: Scored) -> Fraction:
    facts = facts_of(scored.verdict)
    return Fraction(facts.counts["correct"], len(facts.cells)) if facts is not None and facts.cells else Fraction(0)


def margin(way: ClosedWay, places: int) -> tuple[Fraction, Fraction] | None:
    """Return bounds of a plan's average margin (AM), in metres per place, or None if the path has no length.

    Args:
        way: closed path of the plan.
        places: number of places on the path.
    """
    if way.length is None or way.least is None or way.most is None:
        return None
    return Fraction(max(0, way.length - way.most), places), Fraction(max(0, way.length - way.least), places)


def _mean_margin(ways: Iterable[tuple[ClosedWay, int]], unit: int) -> Interval | None:
    margins = [bounds for way, places in ways if (bounds := margin(way, places)) is not None]
    if not margins:
        return None
    least, most = (sum(part, Fraction(0)) / len(margins) / unit for part in zip(*margins, strict=True))
    return Interval(least=least, most=most)
