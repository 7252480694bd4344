"""Paints: the optical properties of surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Colour: TypeAlias = tuple[float, float, float]
"""Share of the light that is reflected, in linear red, green and blue."""


class Pattern(IntEnum):
    """Pattern on a surface, in addition to blotches and grain."""

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
    """Optical properties of a surface.

    Attributes:
        colour: main colour.
        second: colour of the pattern's details, such as mortar, frames or joints.
        pattern: pattern drawn on the surface.
        size: size of the pattern's cells, in metres.
        blotches: strength of irregular variations of the colour.
        shine: strength of reflections, from 0 to 1.
        glow: light emitted by night.
        glows_by_day: whether the surface also glows by day.
        detail: further parameters; their meaning depends on the pattern. The third one is usually a seed.
    """

    colour: Colour
    second: Colour = (0.3, 0.3, 0.3)
    pattern: Pattern = Pattern.PLAIN
    size: float = 1.0
    blotches: float = 0.25
    shine: float = 0.0
    glow: Colour = (0.0, 0.0, 0.0)
    glows_by_day: bool = False
    detail: tuple[float, float, float, float] = (0.6, 0.6, 0.0, 0.0)

    def scale_colour(self, factor: float) -> Paint:
        """Return the paint with its colour multiplied by a factor."""
        r, g, b = (min(0.95, channel * factor) for channel in self.colour)
        return replace(self, colour=(r, g, b))


@dataclass(frozen=True, eq=False, slots=True)
class PaintTable:
    """Paints of a scene as arrays, one row per paint; see `Paint`."""

    colour: NDArray[np.float32]
    second: NDArray[np.float32]
    pattern: NDArray[np.int8]
    size: NDArray[np.float32]
    blotches: NDArray[np.float32]
    shine: NDArray[np.float32]
    glow: NDArray[np.float32]
    glows_by_day: NDArray[np.float32]
    detail: NDArray[np.float32]

    @classmethod
    def of(cls, paints: Sequence[Paint]) -> PaintTable:
        def as_array(values: Sequence[Any]) -> NDArray[np.float32]:
            return np.array(values, np.float32)

        return cls(
            as_array([one.colour for one in paints]),
            as_array([one.second for one in paints]),
            np.array([one.pattern for one in paints], np.int8),
            as_array([one.size for one in paints]),
            as_array([one.blotches for one in paints]),
            as_array([one.shine for one in paints]),
            as_array([one.glow for one in paints]),
            as_array([float(one.glows_by_day) for one in paints]),
            as_array([one.detail for one in paints]),
        )
