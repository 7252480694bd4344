"""The site of a scene, which collects its parts and draws random choices. The choices depend on the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures.rendering.light import Lamp
from planspec_pictures.rendering.paints import Colour, Paint, Pattern
from planspec_pictures.rendering.solids import Solid, join_solids
from planspec_pictures.scenes.scene import Scene, Sight

Option = TypeVar("Option")

STONES: tuple[Colour, ...] = (
    (0.56, 0.51, 0.42),
    (0.50, 0.38, 0.26),
    (0.70, 0.68, 0.63),
    (0.36, 0.36, 0.37),
    (0.46, 0.44, 0.40),
    (0.60, 0.46, 0.40),
    (0.30, 0.27, 0.24),
    (0.62, 0.57, 0.46),
)
PLASTERS: tuple[Colour, ...] = (
    (0.74, 0.72, 0.68),
    (0.64, 0.50, 0.27),
    (0.60, 0.42, 0.36),
    (0.42, 0.50, 0.56),
    (0.52, 0.56, 0.44),
    (0.68, 0.60, 0.46),
    (0.55, 0.30, 0.22),
    (0.40, 0.40, 0.42),
)
BRICK: tuple[Colour, ...] = (
    (0.33, 0.13, 0.085),
    (0.26, 0.12, 0.09),
    (0.40, 0.22, 0.13),
    (0.25, 0.25, 0.26),
    (0.46, 0.34, 0.22),
    (0.20, 0.10, 0.08),
)
ROOFS: tuple[Colour, ...] = (
    (0.13, 0.14, 0.16),
    (0.40, 0.16, 0.085),
    (0.25, 0.43, 0.35),
    (0.24, 0.12, 0.08),
    (0.20, 0.21, 0.20),
    (0.30, 0.25, 0.20),
)
GLAZES: tuple[Colour, ...] = (
    (0.58, 0.36, 0.07),
    (0.10, 0.11, 0.12),
    (0.09, 0.26, 0.16),
    (0.08, 0.14, 0.32),
    (0.17, 0.17, 0.17),
    (0.13, 0.10, 0.09),
)
"""Colours of glazed roof tiles in East Asia."""
LACQUERS: tuple[Colour, ...] = (
    (0.38, 0.06, 0.04),
    (0.30, 0.05, 0.035),
    (0.22, 0.11, 0.06),
    (0.42, 0.13, 0.06),
    (0.14, 0.08, 0.05),
)
GLASS: tuple[Colour, ...] = (
    (0.05, 0.09, 0.12),
    (0.09, 0.12, 0.13),
    (0.04, 0.10, 0.10),
    (0.12, 0.10, 0.07),
    (0.03, 0.05, 0.09),
    (0.14, 0.17, 0.19),
)
GREENS: tuple[Colour, ...] = (
    (0.075, 0.14, 0.035),
    (0.11, 0.17, 0.045),
    (0.055, 0.105, 0.04),
    (0.15, 0.18, 0.05),
    (0.09, 0.13, 0.06),
)
BRIGHTS: tuple[Colour, ...] = (
    (0.45, 0.07, 0.06),
    (0.09, 0.17, 0.32),
    (0.52, 0.36, 0.10),
    (0.07, 0.22, 0.14),
    (0.40, 0.20, 0.08),
    (0.24, 0.10, 0.20),
    (0.70, 0.68, 0.64),
    (0.06, 0.07, 0.09),
    (0.42, 0.20, 0.24),
    (0.14, 0.30, 0.32),
    (0.30, 0.24, 0.18),
    (0.26, 0.28, 0.30),
)


class Site:
    """Collector of the paints, lamps and solids of a scene, and source of random choices.

    Args:
        dice: random source for choices that are fixed for the place.
        moment: random source for choices that differ between views, such as passers-by and cars.
        eastern: whether the place is in East Asia.
    """

    def __init__(self, dice: Dice, moment: np.random.Generator, eastern: bool) -> None:
        self.dice = dice
        self.moment = moment
        self.eastern = eastern
        self.chance = np.random.Generator(np.random.PCG64(dice.seed()))
        self.paints: list[Paint] = []
        self.lamps: list[Lamp] = []
        self._subject: list[Solid] = []
        self._surroundings: list[Solid] = []

    # choices

    def uniform(self, low: float, high: float) -> float:
        """Draw a number between two bounds."""
        return low + (high - low) * self.dice.integer(0, 100_000) / 100_000

    def integer(self, low: int, high: int) -> int:
        return self.dice.integer(low, high)

    def pick(self, options: Sequence[Option]) -> Option:
        return self.dice.pick(options)

    def maybe(self, percent: int) -> bool:
        return self.dice.chance(percent)

    # paints

    def paint(self, paint: Paint) -> int:
        """Add a paint and return its number."""
        self.paints.append(paint)
        return len(self.paints) - 1

    def draw_colour(self, colours: Sequence[Colour], spread: float = 0.10) -> Colour:
        """Draw one of the colours and vary it slightly."""
        r, g, b = self.pick(colours)
        level = 1 + self.uniform(-spread, spread) * 1.6
        return tuple(  # type: ignore[return-value]
            min(0.85, max(0.012, channel * level * (1 + self.uniform(-spread, spread)))) for channel in (r, g, b)
        )

    def draw_light(self, factor: float) -> Colour:
        """Draw a bright colour, multiplied by a factor, as the colour of a light."""
        r, g, b = self.draw_colour(BRIGHTS)
        return r * factor, g * factor, b * factor

    def plain_paint(self, colours: Sequence[Colour] | Colour, *, blotches: float = 0.22, shine: float = 0.0) -> int:
        """Add a paint without a pattern, in the given colour or in one drawn from several; return its number."""
        colour = colours if isinstance(colours[0], float) else self.draw_colour(colours)  # type: ignore[arg-type]
        return self.paint(Paint(colour, blotches=blotches, shine=shine))  # type: ignore[arg-type]

    def masonry(self, colour: Colour | None = None) -> int:
        """Add a paint for bricks, stone blocks or plaster; return its number."""
        kind = self.integer(0, 2)
        if kind == 0:
            main = colour or self.draw_colour(BRICK)
            return self.paint(Paint(main, self.draw_colour(STONES), Pattern.BRICKS, self.uniform(0.09, 0.13), 0.3))
        if kind == 1:
            main = colour or self.draw_colour(STONES)
            joint: Colour = (main[0] * 0.6, main[1] * 0.6, main[2] * 0.6)
            return self.paint(Paint(main, joint, Pattern.BRICKS, self.uniform(0.35, 0.6), 0.35))
        return self.paint(Paint(colour or self.draw_colour(PLASTERS), blotches=0.3))

    def window_wall(self, colour: Colour | None = None, cell: float = 3.2) -> int:
        """Add a paint for a wall with one window per cell; return its number."""
        main = colour or self.draw_colour(self.pick((STONES, PLASTERS, BRICK)))
        frame = self.draw_colour(((0.75, 0.74, 0.72), (0.08, 0.08, 0.09), (0.30, 0.20, 0.12), (0.45, 0.44, 0.42)))
        detail = (self.uniform(0.32, 0.68), self.uniform(0.42, 0.74), float(self.integer(0, 99)), 0.0)
        return self.paint(Paint(main, frame, Pattern.WINDOWS, cell, 0.25, detail=detail))

    def glass_wall(self, colour: Colour | None = None, cell: float = 1.8) -> int:
        """Add a paint for a glass wall with one pane per cell; return its number."""
        frame = self.draw_colour(((0.5, 0.5, 0.5), (0.07, 0.07, 0.08), (0.62, 0.62, 0.6), (0.35, 0.28, 0.18)))
        detail = (0.0, self.pick((0.0, 0.3, 0.8, 1.2)), float(self.integer(0, 99)), 0.0)
        return self.paint(
            Paint(
                colour or self.draw_colour(GLASS),
                frame,
                Pattern.GLAZING,
                cell,
                0.08,
                shine=0.7,
                detail=detail,
            )
        )

    def shopfront(self) -> int:
        """Add a paint for shop windows; return its number."""
        frame = self.draw_colour(BRIGHTS)
        return self.paint(
            Paint((0.2, 0.2, 0.2), frame, Pattern.SHOP, 2.0, 0.1, detail=(0, 0, float(self.integer(0, 99)), 0))
        )

    def roof_tiles(self, colours: Sequence[Colour] = ROOFS) -> int:
        """Add a paint for roof tiles; return its number."""
        return self.paint(
            Paint(self.draw_colour(colours), pattern=Pattern.TILES, size=self.uniform(0.22, 0.42), blotches=0.3)
        )

    def foliage(self, colour: Colour | None = None) -> int:
        """Add a paint for leaves; return its number."""
        main = colour or self.draw_colour(GREENS, 0.2)
        light: Colour = (min(0.6, main[0] * 1.9), min(0.6, main[1] * 1.7), main[2] * 1.2)
        return self.paint(Paint(main, light, Pattern.LEAVES, blotches=0.35))

    def lawn(self) -> int:
        """Add a paint for grass; return its number."""
        return self.paint(
            Paint(
                self.draw_colour(((0.085, 0.115, 0.045), (0.12, 0.14, 0.06)), 0.08),
                self.draw_colour(((0.13, 0.15, 0.07), (0.20, 0.18, 0.10)), 0.08),
                Pattern.GRASS,
                blotches=0.3,
            )
        )

    def water(self) -> int:
        """Add a paint for water; return its number."""
        return self.paint(
            Paint(
                self.draw_colour(((0.02, 0.05, 0.055), (0.03, 0.06, 0.045), (0.02, 0.04, 0.07))),
                pattern=Pattern.WATER,
                size=self.uniform(0.5, 1.4),
                blotches=0.1,
            )
        )

    def pavement(self) -> int:
        """Add a paint for paving slabs; return its number."""
        return self.paint(
            Paint(
                self.draw_colour(((0.42, 0.40, 0.37), (0.34, 0.33, 0.33), (0.48, 0.42, 0.34), (0.40, 0.31, 0.26))),
                (0.16, 0.15, 0.14),
                Pattern.PAVING,
                self.uniform(0.4, 1.6),
                0.3,
                shine=0.04,
            )
        )

    def sign_board(self) -> int:
        """Add a paint for a sign without letters that is lit by night; return its number."""
        main = self.draw_colour(BRIGHTS)
        glow: Colour = (main[0] * 1.6 + 0.05, main[1] * 1.6 + 0.05, main[2] * 1.6 + 0.05)
        return self.paint(
            Paint(
                main,
                self.draw_colour(BRIGHTS),
                Pattern.STRIPES,
                self.uniform(0.15, 1.4),
                0.1,
                glow=glow,
                detail=(self.uniform(0.15, 0.5), 0, 0, 0),
            )
        )

    # building

    def add_subject(self, *solids: Solid) -> None:
        """Add solids to the subject of the picture."""
        self._subject += solids

    def add_beside(self, *solids: Solid) -> None:
        """Add solids to the surroundings."""
        self._surroundings += solids

    def add_behind(self, other: Site, y: float) -> None:
        """Add the subject of another site to the surroundings, shifted by `y`."""
        shift = len(self.paints)
        self.paints += other.paints
        for solid in other._subject:
            shifted_solid = solid.transform(y=y)
            paints = (solid.paints + shift).astype(np.int16)
            self.add_beside(
                Solid(
                    shifted_solid.points,
                    shifted_solid.normals,
                    shifted_solid.uvs,
                    paints,
                    shifted_solid.tints,
                )
            )

    def add_lamp(
        self,
        x: float,
        y: float,
        z: float,
        power: float = 26.0,
        colour: Colour = (1.0, 0.72, 0.42),
        *,
        by_day: bool = False,
    ) -> None:
        """Add a lamp at a position. `power` multiplies its colour."""
        self.lamps.append(Lamp((x, y, z), (colour[0] * power, colour[1] * power, colour[2] * power), by_day))

    def scene(self, sight: Sight, *, indoors: bool = False) -> Scene:
        """Return the finished scene."""
        count = sum(len(one) for one in self._subject)
        solid = join_solids([*self._subject, *self._surroundings])
        return Scene(solid, count, tuple(self.paints), tuple(self.lamps), sight, indoors)
