"""A sheet to draw on: shapes in the coordinates of the picture, with outlines, in the light of its hour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from planspec.families.veritrip.pictures.colours import Colour, Hour, darker, mix
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

Point: TypeAlias = tuple[float, float]

WIDTH = 512
HEIGHT = 384
SCENE = 312
"""The scene ends and the board with the name begins here, in pixels from the top."""

_FINE = 2


class Canvas:
    """Shapes on a sheet of `WIDTH` by `HEIGHT`; drawn twice as large, so that edges come out smooth.

    Attributes:
        hour: its light falls on every colour that does not glow.
    """

    def __init__(self, hour: Hour) -> None:
        pil = imported("PIL.Image")
        self.image: Image = pil.new("RGB", (WIDTH * _FINE, HEIGHT * _FINE))
        self._draw = imported("PIL.ImageDraw").Draw(self.image)
        self.hour = hour
        self._middle, self._base, self._shift, self._zoom, self._lean = 0.0, 0.0, 0.0, 1.0, 0.0

    def look(self, shift: float = 0.0, zoom: float = 1.0, lean: float = 0.0) -> None:
        """From here on things stand `shift` pixels to the right, larger by `zoom`, and lean as from an angle."""
        self._middle, self._base, self._shift, self._zoom, self._lean = WIDTH / 2, 262.0, shift, zoom, lean

    def _at(self, point: Point) -> Point:
        x, y = point
        side = x - self._middle
        grown = self._zoom * (1 + self._lean * side / WIDTH)
        return (
            (self._middle + self._shift + side * self._zoom) * _FINE,
            (self._base + (y - self._base) * grown) * _FINE,
        )

    def lit(self, colour: Colour, glow: bool = False) -> Colour:
        if glow:
            return colour
        red, green, blue = (
            min(255, channel * percent // 100)
            for channel, percent in zip(colour, self.hour.shine, strict=True)
        )
        return red, green, blue

    def poly(
        self,
        points: Sequence[Point],
        fill: Colour,
        *,
        glow: bool = False,
        outline: bool = True,
        edge: int = 2,
    ) -> None:
        corners = [self._at(point) for point in points]
        colour = self.lit(fill, glow)
        self._draw.polygon(corners, fill=colour)
        if outline:
            self._draw.line([*corners, corners[0]], fill=darker(colour, 45), width=edge, joint="curve")

    def rect(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour,
        *,
        glow: bool = False,
        outline: bool = True,
    ) -> None:
        self.poly(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), fill, glow=glow, outline=outline)

    def oval(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour,
        *,
        glow: bool = False,
        outline: bool = True,
    ) -> None:
        self.slice(x0, y0, x1, y1, 0, 360, fill, glow=glow, outline=outline)

    def slice(
        self, x0: float, y0: float, x1: float, y1: float, begin: int, end: int, fill: Colour, *,
        glow: bool = False, outline: bool = True,
    ) -> None:  # fmt: skip
        """Part of an oval between two angles, closed by a straight edge; 180 to 360 is a dome."""
        self.poly(_arc(x0, y0, x1, y1, begin, end), fill, glow=glow, outline=outline)

    def arch(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour,
        *,
        glow: bool = False,
        outline: bool = True,
    ) -> None:
        """A doorway with a round head."""
        head = min(x1 - x0, (y1 - y0) * 1.4)
        points = [*_arc(x0, y0, x1, y0 + head, 180, 360), (x1, y1), (x0, y1)]
        self.poly(points, fill, glow=glow, outline=outline)

    def line(self, points: Sequence[Point], fill: Colour, width: float = 1.0, *, glow: bool = False) -> None:
        self._draw.line(
            [self._at(point) for point in points],
            fill=self.lit(fill, glow),
            width=max(1, round(width * _FINE)),
            joint="curve",
        )

    def ring(self, x0: float, y0: float, x1: float, y1: float, fill: Colour, width: float = 1.0) -> None:
        self.line(_arc(x0, y0, x1, y1, 0, 360), fill, width)

    def gradient(self, y0: int, y1: int, top: Colour, low: Colour) -> None:
        """Bands across the whole sheet."""
        bands = 16
        for band in range(bands):
            upper = y0 + (y1 - y0) * band // bands
            lower = y0 + (y1 - y0) * (band + 1) // bands
            colour = mix(top, low, band * 100 // (bands - 1))
            self._draw.rectangle((0, upper * _FINE, WIDTH * _FINE, lower * _FINE), fill=colour)

    def text(self, x: float, y: float, words: str, size: int, fill: Colour) -> None:
        """Words centred at a point, in letters of `size` pixels."""
        self._draw.text((x * _FINE, y * _FINE), words, font=_font(size * _FINE), fill=fill, anchor="mm")

    def wide(self, words: str, size: int) -> float:
        """The width of the words, in pixels."""
        return float(_font(size * _FINE).getlength(words)) / _FINE

    def finished(self) -> Image:
        return self.image.reduce(_FINE)


def _font(size: int) -> FreeTypeFont:
    font: FreeTypeFont = imported("PIL.ImageFont").load_default(size)
    return font


def _arc(x0: float, y0: float, x1: float, y1: float, begin: int, end: int) -> list[Point]:
    steps = max(6, (end - begin) // 12)
    across, down = (x1 - x0) / 2, (y1 - y0) / 2
    angles = [math.radians(begin + (end - begin) * step / steps) for step in range(steps + 1)]
    return [(x0 + across + across * math.cos(angle), y0 + down + down * math.sin(angle)) for angle in angles]
