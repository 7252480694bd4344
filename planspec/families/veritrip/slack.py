"""Slack of a closed path: the length that can be saved by simple changes to the order of its places."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
MAX_MOVED = 3
"""Maximal number of consecutive places that one change moves."""


def slack(metres: Integers) -> int:
    """Return the length saved by reversing stretches of a closed path, and by moving a few consecutive places.

    The best change is applied until no change saves anything: 2-opt (G. A. Croes, 1958) and Or-opt (I. Or,
    1976). The result is a lower bound of the true slack, and usually equal to it.

    Args:
        metres: symmetric n x n matrix of distances in metres. The places are in the order of the path.
    """
    n = len(metres)
    saved = 0
    while n > 3:
        change = max(
            (
                _best_reversal(metres),
                *(_best_move(metres, size) for size in range(1, min(MAX_MOVED, n - 3) + 1)),
            ),
            key=_saved_length,
        )
        if change[0] <= 0:
            break
        saved += change[0]
        metres = metres[np.ix_(change[1], change[1])]
    return saved


Change: TypeAlias = tuple[int, list[int]]
"""A change of a path: the metres that it saves, and the order of the places after it, as indexes."""


def _saved_length(change: Change) -> int:
    return change[0]


def _best_reversal(metres: Integers) -> Change:
    """Return the reversal of a part of the path that saves most metres. `metres` is the matrix of distances."""
    n = len(metres)
    after = [*range(1, n), 0]
    onward = metres[:, after]
    steps = onward.diagonal()
    gains = steps[:, None] + steps[None, :] - metres - onward[after]
    gains.ravel()[:: n + 1] = 0
    i, j = sorted(divmod(int(gains.argmax()), n))
    return int(gains[i, j]), [*range(i + 1), *range(j, i, -1), *range(j + 1, n)]


def _best_move(metres: Integers, size: int) -> Change:
    """Return the move of `size` consecutive places, possibly reversed, that saves most metres."""
    n = len(metres)
    first = list(range(n))
    last, before, after, ahead = ([(k + by) % n for k in first] for by in (size - 1, -1, size, 1))
    saved_by_removal = metres[before, first] + metres[last, after] - metres[before, after]
    from_last = metres[last]
    # length added by inserting the block after place j: from j to its first place, and from its last place to j + 1
    along = metres + from_last[:, ahead]
    against = from_last + metres[:, ahead]
    gains = saved_by_removal[:, None] - np.minimum(along, against) + metres[first, ahead][None, :]
    for by in (*range(size), n - 1):  # positions within the moved places and just before them are excluded
        gains[first, [(k + by) % n for k in first]] = 0
    i, j = divmod(int(gains.argmax()), n)
    block = [(i + k) % n for k in range(size)]
    if along[i, j] > against[i, j]:
        block.reverse()
    rest = [k for k in first if k not in block]
    at = rest.index(j) + 1 if j in rest else 0
    return int(gains[i, j]), [*rest[:at], *block, *rest[at:]]
