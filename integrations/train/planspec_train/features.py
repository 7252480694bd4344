"""Features of the candidates of a decision. The hash of a feature's name selects its parameter in the policy."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from planspec_train.terms import Terms

MISSING = np.nan
CODES = 4
"""Number of results of a comparison: less, equal, greater, and not comparable because a term is missing."""


@lru_cache(maxsize=1 << 18)
def feature_hash(*name: Hashable) -> int:
    """Return a hash of a feature's name that is the same in every process."""
    return crc32(repr(name).encode())


@dataclass(slots=True)
class Features:
    """Collects features of the candidates of one decision, as triples (parameter index, candidate, value).

    Attributes:
        size: number of parameters.
        count: number of candidates.
    """

    size: int
    count: int
    _places: list[NDArray[np.int64]] = field(default_factory=list)
    _owners: list[NDArray[np.int64]] = field(default_factory=list)
    _values: list[NDArray[np.float64]] = field(default_factory=list)
    _single: list[tuple[int, int]] = field(default_factory=list)

    def add(self, candidate: int, *name: Hashable) -> None:
        """Add a binary feature that a candidate has."""
        self._single.append((feature_hash(*name) % self.size, candidate))

    def compare(self, cell: str, terms: Sequence[Terms]) -> None:
        """Add features that compare terms (named numbers) of the candidates.

        Only terms that differ between candidates give features. Each pair of a candidate's terms of the same kind gives
        the feature "less", "equal", "greater" or "missing". Each single term gives its position between the least and
        the greatest value over all candidates.

        Args:
            cell: name of the decision.
            terms: the terms of each candidate; see `planspec_train.terms`.
        """
        kinds = {name: kind for each in terms for name, (kind, _) in each.items()}
        names = tuple(sorted(kinds))
        if not names:
            return
        table = np.array([[each[name][1] if name in each else MISSING for name in names] for each in terms])
        low, high = _extremes(table)
        varying = tuple(bool(each) for each in (low != high) | (np.isnan(table).any(0) & ~np.isnan(table).all(0)))
        if not any(varying):
            return
        first, second, pairs, ranks = _comparison_indexes(cell, names, tuple(kinds[name] for name in names), varying)
        owners = np.arange(len(terms))
        if len(first):
            one, other = table[:, first], table[:, second]
            codes = np.where(one < other, 0, np.where(one == other, 1, np.where(one > other, 2, 3)))
            self._extend(pairs[None, :] + codes, owners[:, None], 1.0)
        changing = np.flatnonzero(varying)
        spread = np.where(high > low, high - low, 1.0)[changing]
        share = (table[:, changing] - low[changing]) / spread
        present = ~np.isnan(share)
        places = np.broadcast_to(ranks[None, :], share.shape)
        candidates = np.broadcast_to(owners[:, None], share.shape)
        self._extend(places[present], candidates[present], 4.0 * share[present])
        self._extend(places[share == 0] + 1, candidates[share == 0], 1.0)
        self._extend(places[share == 1] + 2, candidates[share == 1], 1.0)

    def _extend(
        self, places: NDArray[np.int64], owners: NDArray[np.int64], values: NDArray[np.float64] | float
    ) -> None:
        self._places.append((places % self.size).ravel())
        self._owners.append(np.broadcast_to(owners, places.shape).ravel())
        self._values.append(np.broadcast_to(np.asarray(values, dtype=float), places.shape).ravel())

    def finish(self) -> Decision:
        """Return the decision, with values scaled so that the norms of candidates' features are comparable."""
        if self._single:
            places, owners = np.array(self._single, dtype=np.int64).T
            self._extend(places, owners, 2.0)
        empty = np.zeros(0, dtype=np.int64)
        places = np.concatenate([empty, *self._places])
        owners = np.concatenate([empty, *self._owners])
        values = np.concatenate([np.zeros(0), *self._values])
        norm = np.sqrt(max(1.0, len(places) / self.count))
        return Decision(places, owners, values / norm, self.count)


@dataclass(frozen=True, slots=True)
class Decision:
    """The candidates of a decision as a sparse matrix of features, in coordinate format.

    Attributes:
        places: parameter index of each entry.
        owners: candidate of each entry.
        values: value of each entry.
        count: number of candidates.
    """

    places: NDArray[np.int64]
    owners: NDArray[np.int64]
    values: NDArray[np.float64]
    count: int


@lru_cache(maxsize=1 << 12)
def _comparison_indexes(
    cell: str, names: tuple[str, ...], kinds: tuple[str, ...], varying: tuple[bool, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the columns of the terms to compare (first, second), and the feature hashes of pairs and of positions."""
    pairs = [
        (a, b)
        for a in range(len(names))
        for b in range(a + 1, len(names))
        if (varying[a] or varying[b]) and kinds[a] == kinds[b]
    ]
    places = [CODES * feature_hash(cell, names[a], names[b]) for a, b in pairs]
    ranks = [CODES * feature_hash(cell, names[a]) for a in range(len(names)) if varying[a]]
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    return tuple(np.array(each, dtype=np.int64) for each in (first, second, places, ranks))  # type: ignore[return-value]


def _extremes(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the minimum and the maximum of each column, ignoring NaN; infinities for a column without numbers."""
    missing = np.isnan(table)
    return np.where(missing, np.inf, table).min(0), np.where(missing, -np.inf, table).max(0)
