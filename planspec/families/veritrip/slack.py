"""The slack of a closed way: the length that simple changes save."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
LONGEST = 3
"""The most neighbouring places that are moved together."""


def slack(metres: Integers) -> int:
    """The length that a closed way loses by exchanging two of its stretches, or moving a few places elsewhere.

    The change that gains most is made until none gains (G. A. Croes, 1958, for the first kind; I. Or, 1976, for the
    second). The shortest way can be shorter still; it seldom is.

    Args:
        metres: n rows of n lengths, symmetric, the places in the order of the way.
    """
    n = len(metres)
    gained = 0
    while n > 3:
        found = max(
            (_turned(metres), *(_moved(metres, size) for size in range(1, min(LONGEST, n - 3) + 1))),
            key=_gain,
        )
        if found[0] <= 0:
            break
        gained += found[0]
        metres = metres[np.ix_(found[1], found[1])]
    return gained


Change: TypeAlias = tuple[int, list[int]]
"""A gain, and the order in which the places are then visited."""


def _gain(change: Change) -> int:
    return change[0]


def _turned(metres: Integers) -> Change:
    """A stretch between two places is gone the other way."""
    n = len(metres)
    after = [*range(1, n), 0]
    onward = metres[:, after]
    steps = onward.diagonal()
    gains = steps[:, None] + steps[None, :] - metres - onward[after]
    gains.ravel()[:: n + 1] = 0
    i, j = sorted(divmod(int(gains.argmax()), n))
    return int(gains[i, j]), [*range(i + 1), *range(j, i, -1), *range(j + 1, n)]


def _moved(metres: Integers, size: int) -> Change:
    """A few neighbours are visited elsewhere, in either direction."""
    n = len(metres)
    first = list(range(n))
    last, before, after, ahead = ([(k + by) % n for k in first] for by in (size - 1, -1, size, 1))
    freed = metres[before, first] + metres[last, after] - metres[before, after]
    from_last = metres[last]
    along = metres + from_last[:, ahead]  # from j to the first, from the last on
    against = from_last + metres[:, ahead]
    gains = freed[:, None] - np.minimum(along, against) + metres[first, ahead][None, :]
    for by in (*range(size), n - 1):  # not within the places that move, nor just before them
        gains[first, [(k + by) % n for k in first]] = 0
    i, j = divmod(int(gains.argmax()), n)
    block = [(i + k) % n for k in range(size)]
    if along[i, j] > against[i, j]:
        block.reverse()
    rest = [k for k in first if k not in block]
    at = rest.index(j) + 1 if j in rest else 0
    return int(gains[i, j]), [*rest[:at], *block, *rest[at:]]
