"""Paints: the optical properties of surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[float, float, float]
"""Linear shares of the reflected light."""


class Pattern(IntEnum):
    """Variation over a surface, besides blotches and grain."""

    PLAIN = 0
    BRICKS = 1
    WINDOWS = 2
    GLAZING = 3
    TILES = 4
    PLANKS = 5
    GRASS = 6
    PAVING = 7
    WATER = 8
    LEAVES = 9
    SHOP = 10
    LATTICE = 11
    ROCK = 12
    PAINTING = 13
    STRIPES = 14
    ROAD = 15


@dataclass(frozen=True, slots=True)
class Paint:
    """A surface.

    Attributes:
        colour: main colour.
        second: colour of the pattern's details: mortar, glass, joints.
        pattern: kind of pattern.
        size: size of the pattern in metres, unless the surface counts its cells.
        blotches: variation of the colour.
        shine: reflection of the sky at a flat angle, and sharpness of the sun's reflection.
        glow: emitted light by night.
        always: whether it also glows by day.
        detail: parameters of the pattern: shares of a window, of a joint, its seed.
    """

    colour: Colour
    second: Colour = (0.3, 0.3, 0.3)
    pattern: Pattern = Pattern.PLAIN
    size: float = 1.0
    blotches: float = 0.25
    shine: float = 0.0
    glow: Colour = (0.0, 0.0, 0.0)
    always: bool = False
    detail: tuple[float, float, float, float] = (0.6, 0.6, 0.0, 0.0)

    def tinted(self, factor: float) -> Paint:
        """Return a lighter or darker paint."""
        r, g, b = (min(0.95, channel * factor) for channel in self.colour)
        return replace(self, colour=(r, g, b))


@dataclass(frozen=True, eq=False, slots=True)
class PaintTable:
    """Paints of a scene as arrays, indexed by their numbers."""

    colour: NDArray[np.float32]
    second: NDArray[np.float32]
    pattern: NDArray[np.int8]
    size: NDArray[np.float32]
    blotches: NDArray[np.float32]
    shine: NDArray[np.float32]
    glow: NDArray[np.float32]
    always: NDArray[np.float32]
    detail: NDArray[np.float32]

    @classmethod
    def of(cls, paints: Sequence[Paint]) -> PaintTable:
        def numbers(values: Sequence[Any]) -> NDArray[np.float32]:
            return np.array(values, np.float32)

        return cls(
            numbers([one.colour for one in paints]),
            numbers([one.second for one in paints]),
            np.array([one.pattern for one in paints], np.int8),
            numbers([one.size for one in paints]),
            numbers([one.blotches for one in paints]),
            numbers([one.shine for one in paints]),
            numbers([one.glow for one in paints]),
            numbers([float(one.always) for one in paints]),
            numbers([one.detail for one in paints]),
        )
