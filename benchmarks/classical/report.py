"""Table of results, and ratios compared with their targets."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from benchmarks.classical.runs import PROVERS, SYSTEMS, Cell

FLOOR_S = 0.05
"""Minimum of the compared seconds: smaller values are raised to it, since they are mostly noise."""
HAND_PROOF_S = 10.0
"""Seconds: planspec is expected to prove each optimum that the hand-written model proves within this time."""

Results = dict[tuple[str, str], dict[str, Cell]]
"""Results, keyed by (kind, size) and then by system."""


def by_instance(cells: Iterable[Cell]) -> Results:
    results: Results = {}
    for cell in cells:
        results.setdefault((cell.kind, cell.size), {})[cell.system] = cell
    return results


# ------------------------------------------------------------------ table


def table(results: Results) -> Iterable[str]:
    """Yield the lines of the table."""
    heading = f"{'kind':<12}{'size':>9} {'system':<9}{'lines':>5}{'check':>7}{'build':>7}{'search':>8}{'total':>8}{'whole':>8}"
    yield heading + f"  {'status':<11}{'objective':>9}{'bound':>8}  second look"
    for (kind, size), row in results.items():
        for system in SYSTEMS:
            cell = row.get(system)
            if cell is None:
                continue
            check = f"{cell.check:7.2f}" if system == "planspec" else " " * 7
            looks = ", ".join(_check_text(row[each]) for each in PROVERS if each in row) if system == "planspec" else ""
            yield (
                f"{kind:<12}{size:>9} {system:<9}{cell.lines:>5}{check}{cell.build:7.2f}{cell.search:8.2f}"
                f"{cell.total:8.2f}{cell.whole:8.2f}  {cell.status:<11}{_number(cell.objective):>9}"
                f"{_number(cell.bound):>8}  {looks}".rstrip()
            )


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _check_text(cell: Cell) -> str:
    answer = f"{cell.total:.1f} s" if cell.proved else "undecided"
    return f"{cell.system} {answer}"


# ------------------------------------------------------------------ ratios


@dataclass(frozen=True)
class Ratio:
    """A ratio on one instance.

    Attributes:
        kind: kind of the instance.
        size: its size.
        value: the ratio.
        is_open: whether planspec reached its limit without a proof, so that `value` is only a lower bound.
    """

    kind: str
    size: str
    value: float
    is_open: bool

    def __str__(self) -> str:
        return f"{'over ' if self.is_open else ''}{self.value:.1f} ({self.kind} {self.size})"


def ratios(results: Results, seconds: Callable[[Cell], float]) -> list[Ratio]:
    """Return planspec's seconds divided by the hand-written model's, for each instance that this model has proved."""
    found = []
    for (kind, size), row in results.items():
        own, hand = row.get("planspec"), row.get("hand")
        if own is None or hand is None or not hand.proved:
            continue
        ratio = max(FLOOR_S, seconds(own)) / max(FLOOR_S, seconds(hand))
        found.append(Ratio(kind, size, ratio, not own.proved))
    return found


def median_of_kinds(all_ratios: Sequence[Ratio]) -> float:
    """Return the median over kinds of each kind's median ratio. Ratios that are only lower bounds count as infinite."""
    kinds = {each.kind for each in all_ratios}
    return statistics.median(
        statistics.median_high(math.inf if r.is_open else r.value for r in all_ratios if r.kind == kind)
        for kind in kinds
    )


def is_ahead(own: Cell, other: Cell, *, maximize: bool) -> bool | None:
    """Return whether planspec is ahead of another system on an instance, or None on a tie.

    A proof decides first, then the objective value, then the time until the answer (for MiniZinc, the time of the whole
    process).
    """
    if own.proved != other.proved:
        return own.proved
    if not own.proved:
        own_value, other_value = (cell.objective if cell.status == "feasible" else None for cell in (own, other))
        if own_value is None or other_value is None:
            return None if own_value == other_value else other_value is None
        return None if own_value == other_value else (own_value > other_value) == maximize
    own_s, other_s = max(FLOOR_S, own.total), max(FLOOR_S, other.total)
    return None if own_s == other_s else own_s < other_s


def kinds_behind(results: Results, system: str, maximized: Iterable[str]) -> tuple[list[str], int]:
    """Return the kinds with planspec behind another system, and the number of compared kinds.

    planspec is behind in a kind if it is ahead on no size, or on fewer sizes than the other system."""
    behind, compared = [], 0
    for kind in dict.fromkeys(kind for kind, _ in results):
        rows = [row for (name, _), row in results.items() if name == kind and "planspec" in row and system in row]
        if rows:
            places = [is_ahead(row["planspec"], row[system], maximize=kind in maximized) for row in rows]
            compared += 1
            if places.count(True) < max(1, places.count(False)):
                behind.append(kind)
    return behind, compared


def targets(results: Results, maximized: Iterable[str]) -> Iterable[str]:
    """Yield a line for each target, with the value reached."""
    for title, seconds, aims in (
        ("search, over the hand model's", lambda cell: cell.search, (2, 4)),
        ("load to proved optimum, over the hand model's", lambda cell: cell.total, (3, 8)),
    ):
        all_ratios = ratios(results, seconds)
        if all_ratios:
            worst = sorted(all_ratios, key=lambda each: -each.value)
            yield (
                f"{title}: median of kinds {median_of_kinds(all_ratios):.2f} (target {aims[0]}), worst {worst[0]} "
                f"(target {aims[1]}); above {aims[1]}: {sum(each.value > aims[1] for each in all_ratios)} of {len(all_ratios)}"
            )
    for system, most in (("minizinc", 0.0), ("cpmpy", 0.5)):
        behind, compared = kinds_behind(results, system, maximized)
        if compared:
            aim = "every kind" if most == 0.0 else "half of the kinds"
            yield (
                f"ahead of {system} in {compared - len(behind)} of {compared} kinds (target {aim})"
                + (f"; not in {', '.join(behind)}" if behind else "")
            )
    builds = [
        (max(FLOOR_S, row["planspec"].build) / max(FLOOR_S, row["cpmpy"].build), f"{kind} {size}")
        for (kind, size), row in results.items()
        if "cpmpy" in row and "planspec" in row and row["cpmpy"].build
    ]
    if builds:
        above = sum(ratio > 5 for ratio, _ in builds)
        worst_build = max(builds)
        yield (
            f"load, check and lowering, over CPMpy's building: median {statistics.median(r for r, _ in builds):.1f}, "
            f"worst {worst_build[0]:.1f} ({worst_build[1]}) (target 5); above: {above} of {len(builds)}"
        )
    late = []
    expected = 0
    for (kind, size), row in results.items():
        own, hand = row.get("planspec"), row.get("hand")
        if own is None or hand is None or not hand.proved or hand.total > HAND_PROOF_S:
            continue
        expected += 1
        if not own.proved or own.total > max(HAND_PROOF_S, 4 * hand.total):
            late.append(f"{kind} {size}")
    yield (
        f"proved if the hand model proves within {HAND_PROOF_S:g} s: {expected - len(late)} of {expected} (target all)"
        + (f"; not {', '.join(late)}" if late else "")
    )
    looks = [cell for row in results.values() for system, cell in row.items() if system in PROVERS]
    claims = {(cell.kind, cell.size) for cell in looks}
    decided = {(cell.kind, cell.size) for cell in looks if cell.proved}
    if claims:
        yield f"second look: {len(decided)} of {len(claims)} claims of planspec are decided by Z3 or SAT, too"
