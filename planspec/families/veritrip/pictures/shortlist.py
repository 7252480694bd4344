"""A shortlist of pictures that share corners with an image: a rough vote over all corners, without comparing all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from planspec.families.veritrip.pictures.features import Bytes

    Floats: TypeAlias = NDArray[np.float64]

_TABLES = 14
_NEAR = 52
_CROWD = 400


class CornerVotes:
    """Locality-sensitive hashing of corners: each table files a corner under some of its 256 bits.

    Two corners that differ in few bits share a drawer in some table; only those are compared in full (Indyk and
    Motwani 1998, with bit sampling for the Hamming distance).
    """

    def __init__(self, pictures: list[Bytes]) -> None:
        np = imported("numpy")
        self._count = len(pictures)
        self._every = np.ascontiguousarray(np.concatenate(pictures)).view(np.uint64)
        self._picture = np.repeat(np.arange(len(pictures)), [len(one) for one in pictures])
        bits = 13 + max(0, len(self._every).bit_length() - 15)
        self._chosen = [_bits(table, bits) for table in range(_TABLES)]
        self._orders, self._drawers = [], []
        for chosen in self._chosen:
            keys = _keys(self._every, chosen)
            order = np.argsort(keys, kind="stable")
            self._orders.append(order)
            self._drawers.append(keys[order])

    def of(self, descriptors: Bytes) -> Floats:
        """For each picture, how much speaks for it.

        Each corner of the image has one vote, which the pictures with a corner like it share: what is in many
        pictures says little.
        """
        np = imported("numpy")
        asked = np.ascontiguousarray(descriptors).view(np.uint64)
        pairs = []
        for chosen, order, drawers in zip(self._chosen, self._orders, self._drawers, strict=True):
            keys = _keys(asked, chosen)
            begin, end = np.searchsorted(drawers, keys, "left"), np.searchsorted(drawers, keys, "right")
            # A drawer that is too full holds what all pictures have, as the corner of a plain window.
            sizes = np.where(end - begin > _CROWD, 0, end - begin)
            corner = np.repeat(np.arange(len(asked)), sizes)
            place = (
                np.arange(len(corner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(begin, sizes)
            )
            known = order[place]
            near = np.bitwise_count(asked[corner] ^ self._every[known]).sum(axis=1, dtype=np.int64) <= _NEAR
            pairs.append(corner[near] * self._count + self._picture[known[near]])
        voted = np.unique(np.concatenate(pairs))
        corner, picture = voted // self._count, voted % self._count
        shares = np.bincount(corner, minlength=len(asked))
        return np.bincount(picture, weights=1 / shares[corner], minlength=self._count)  # type: ignore[no-any-return]


def _bits(table: int, count: int) -> list[int]:
    dice, left = Dice("bits", table), list(range(256))
    return [left.pop(dice.whole(0, len(left) - 1)) for _ in range(count)]


def _keys(descriptors: Any, chosen: list[int]) -> Any:  # numpy has no type before it is loaded
    np = imported("numpy")
    keys = np.zeros(len(descriptors), np.int64)
    for bit in chosen:
        keys = keys << 1 | (descriptors[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1)).astype(np.int64)
    return keys
