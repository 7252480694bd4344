"""Table 4 of the VeriTrip paper: metrics by difficulty, and differences between complex and simple tasks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from planspec.families.veritrip.verdict_metrics import DIFFICULTIES, Interval, VeriTripMetrics, VeriTripRates
from planspec.scores.attempts import AttemptedRun
from planspec.scores.record import RunTable, TableColumn
from planspec.verifiers.metrics.scored import Scored

COLUMNS = (
    TableColumn(name="tasks of level"),
    TableColumn(name="attempts", kind="count"),
    *(TableColumn(name=name, kind="share") for name in ("DR", "DR strict", "FR", "PFR", "PR mi", "PR ma")),
    TableColumn(name="AM", kind="quantity"),
    TableColumn(name="TC", kind="quantity"),
)
DIFFERENCE = "Complex - Simple"
Values = tuple[float | None, ...]


def tables(run: AttemptedRun) -> tuple[RunTable, ...]:
    """Return one table: the metrics of a run by difficulty, as in the paper's Table 4."""
    attempts = [scored for row in run.rows for scored in row]
    by_level = {level: [one for one in attempts if one.labels.get("difficulty") == level] for level in DIFFICULTIES}
    rows = [(level, len(members), *_values(members)) for level, members in by_level.items() if members]
    simple, complex_ = by_level[DIFFICULTIES[0]], by_level[DIFFICULTIES[-1]]
    if simple and complex_:
        pairs = zip(_values(complex_), _values(simple), strict=True)
        rows.append((DIFFERENCE, None, *(None if a is None or b is None else a - b for a, b in pairs)))
    note = (
        "AM in units of 10 km, if all shortest routes are proved. FR, PR mi and AM are of delivered answers. The last row "
        "has the differences."
    )
    title = "Metrics by difficulty, with differences (Table 4)"
    return (RunTable(name="levels", title=title, columns=COLUMNS, rows=tuple(rows), note=note),)


def _values(attempts: Sequence[Scored]) -> Values:
    """Return the paper's metrics of some attempts, in the order of the table's columns."""
    rates: VeriTripRates = VeriTripMetrics.over(attempts)
    exact = (
        rates.delivery_rate,
        rates.delivery_rate_strict,
        rates.factual_reliability,
        rates.pfr,
        rates.pr_micro,
        rates.pr_macro,
        _value_if_exact(rates.am),
        rates.tool_calls,
    )
    return tuple(None if value is None else float(value) for value in exact)


def _value_if_exact(interval: Interval | None) -> Fraction | None:
    return None if interval is None or interval.least != interval.most else Fraction(interval.least)
