"""Functions that generated code calls: ranges, pairs of neighbours, intervals, and caches of values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from planspec.dsl.model.facts import as_set
from planspec.verifiers.meaning.interpret import distinct, pair_count
from planspec.verifiers.meaning.intervals import is_apart, peak, until

Number = int | Fraction
Spend = Callable[[int], None]
"""Function that counts steps, and raises an exception after too many."""

MEMO_LIMIT = 1 << 16
"""Maximum number of cached values of a definition. Without a limit, plans could exhaust the memory."""


class Memo(dict[Any, Any]):
    """Cache of the values of a definition by arguments. A missing value is computed on lookup."""

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Any) -> Any:
        if len(self) >= MEMO_LIMIT:
            self.clear()
        value = self[key] = self._compute(key)
        return value


def ascending_range(spend: Spend, low: Number, high: Number, step: Number) -> Sequence[Number]:
    """Return `low`, `low + step`, ... up to `high`, or an empty sequence if the step is not positive.

    Args:
        spend: counts the steps.
        low: first number.
        high: upper bound, included.
        step: difference between consecutive numbers.
    """
    if step <= 0:
        return ()
    if isinstance(low, int) and isinstance(step, int):
        return range(low, high // 1 + 1, step)
    spend(max(0, (high - low) // step))
    return [low + k * step for k in range((high - low) // step + 1)]


def range_of(spend: Spend, low: Number, high: Number, step: Number) -> tuple[Number, ...] | None:
    """Return the numbers `low`, `low + step`, ... up to `high`; None if the step is not positive.

    Args:
        spend: counts the steps.
        low: first number.
        high: upper bound, included.
        step: difference between consecutive numbers.
    """
    if step <= 0:
        return None
    items = ascending_range(spend, low, high, step)
    spend(len(items))
    return tuple(items)


def is_on_grid(item: Number, low: Number, high: Number, step: Number) -> bool:
    """Return whether `item` is one of `low`, `low + step`, ... up to `high`."""
    return low <= item <= high and (item - low) % step == 0


def neighbours_of(spend: Spend, elements: Sequence[Any], rank: Callable[[Any], Any]) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of neighbours in order of rank, as `neighbours` does.

    Args:
        spend: counts the steps.
        elements: the elements.
        rank: function that computes an element's rank, never None.
    """
    spend(len(elements))
    ordered = sorted(elements, key=rank)
    ranks = list(map(rank, ordered))
    if len(set(ranks)) == len(ranks):
        return pairwise(ordered)
    return _tied_pairs(spend, ranks, ordered)


def neighbours(spend: Spend, ranks: Sequence[Any], elements: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of neighbours in order of rank. Two elements are neighbours if no element ranks between them.

    Elements of equal rank are paired in both orders.

    Args:
        spend: counts the steps.
        ranks: rank of each element, never None.
        elements: the elements.
    """
    spend(len(ranks))
    order = sorted(range(len(ranks)), key=ranks.__getitem__)
    ordered = [elements[place] for place in order]
    if len(set(ranks)) == len(ranks):
        return pairwise(ordered)
    return _tied_pairs(spend, [ranks[place] for place in order], ordered)


def neighbours_within(
    spend: Spend, groups: Sequence[Any], ranks: Sequence[Any], elements: Sequence[Any]
) -> Iterable[tuple[Any, Any]]:
    """Return the pairs of neighbours in each group. Groups are in the order of their first elements.

    Args:
        spend: counts the steps.
        groups: group of each element, hashable and never None.
        ranks: rank of each element, never None.
        elements: the elements.
    """
    by_group: dict[Any, tuple[list[Any], list[Any]]] = {}
    for group, rank, element in zip(groups, ranks, elements, strict=True):
        group_lists = by_group.setdefault(group, ([], []))
        group_lists[0].append(rank)
        group_lists[1].append(element)
    return (pair for ranked, members in by_group.values() for pair in neighbours(spend, ranked, members))


def _tied_pairs(spend: Spend, ranks: Sequence[Any], ordered: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    ties: dict[Any, list[Any]] = {}
    for rank, element in zip(ranks, ordered, strict=True):
        ties.setdefault(rank, []).append(element)
    spend(pair_count(ties))
    return _pairs_of_ties(list(ties.values()))


def _pairs_of_ties(ties: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of neighbours, given the elements of each rank. Within a rank, all elements are paired."""
    for tied, later in zip(ties, [*ties[1:], []], strict=True):
        for place, a in enumerate(tied):
            yield from ((a, b) for other, b in enumerate(tied) if other != place)
        yield from ((a, b) for a in tied for b in later)


def intervals_apart(spend: Spend, groups: Sequence[Any] | None, starts: Sequence[Any], untils: Sequence[Any]) -> bool:
    """Return whether no two intervals in the same group overlap.

    Args:
        spend: counts the steps.
        groups: group of each interval; None if there is only one group.
        starts: start of each interval.
        untils: for each interval, the time from which the next one may start.
    """
    spend(len(starts))
    return all(is_apart(*members) for members in _by_group(groups, starts, untils))


def peak_of_groups(
    spend: Spend, groups: Sequence[Any] | None, starts: Sequence[Any], ends: Sequence[Any], amounts: Sequence[Any]
) -> Any:
    """Return the maximum sum of amounts in use at one moment in any group, at least 0.

    Args:
        spend: counts the steps.
        groups: group of each interval; None if there is only one group.
        starts: start of each interval.
        ends: end of each interval.
        amounts: amount that each interval uses.
    """
    spend(len(starts))
    return max((peak(*members)[0] for members in _by_group(groups, starts, ends, amounts)), default=0)


def _by_group(groups: Sequence[Any] | None, *columns: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Split columns (sequences of equal length) by group: for each group, return a tuple of its part of each column.

    `groups` has the group of each position. If it is None, all positions are in one group.
    """
    if groups is None:
        return (columns,)
    members: dict[Any, list[tuple[Any, ...]]] = {}
    for group, row in zip(groups, zip(*columns, strict=True), strict=True):
        members.setdefault(group, []).append(row)
    return (tuple(zip(*rows, strict=True)) for rows in members.values())


UNSET = object()
"""Marker in the state of a plan for a value that has not been computed yet."""


def initial_globals(spend: Spend) -> dict[str, Any]:
    """Return the global names of generated code before its own functions and constants are added.

    Built-in functions of Python other than these are not available to the code.

    Args:
        spend: function that counts the steps of the code.
    """
    counted = (
        ascending_range,
        intervals_apart,
        neighbours,
        neighbours_of,
        neighbours_within,
        peak_of_groups,
        range_of,
    )
    return {
        "UNSET": UNSET,
        "__builtins__": {},
        "abs": abs,
        "as_set": as_set,
        "distinct": distinct,
        "frozenset": frozenset,
        "len": len,
        "map": map,
        "max": max,
        "min": min,
        "on_grid": is_on_grid,
        "range": range,
        "set": set,
        "spend": spend,
        "tuple": tuple,
        "until": until,
        **{function.__name__: partial(function, spend) for function in counted},
    }
