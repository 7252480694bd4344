"""Paints: what a surface is made of, as far as light is concerned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[float, float, float]
"""Linear shares of the light that comes back."""


class Pattern(IntEnum):
    """What varies over a surface, beside blotches and grain."""

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
        colour: of most of it.
        second: of what the pattern sets off: mortar, glass, joints.
        pattern: what varies.
        size: of the pattern, in metres, where its cells are not counted by the surface.
        blotches: how much its colour wanders.
        shine: how much of the sky it mirrors at a flat angle, and how sharply the sun.
        glow: the light that it sends by itself, by night.
        always: it glows by day, too.
        detail: numbers of the pattern's own: shares of a window, of a joint, its seed.
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
        """The same, lighter or darker."""
        r, g, b = (min(0.95, channel * factor) for channel in self.colour)
        return replace(self, colour=(r, g, b))


@dataclass(frozen=True, eq=False, slots=True)
class PaintTable:
    """The paints of a scene, as arrays to be looked up by their numbers."""

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
