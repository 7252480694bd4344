"""Drawings of sights and their surroundings as SVG shapes.

Each drawing stands on the ground in the middle of the picture. Its unit of length is a hundredth of the picture's
height, so that proportions are the same in a wide strip and in a small square.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

GROUND = 80.0
"""Vertical position of the upper edge of the ground, in hundredths of the picture's height from the top."""


@dataclass
class Brush:
    """Drawer of SVG shapes. The unit is a hundredth of the picture's height; x counts from the middle, y from the top.

    Attributes:
        width: width of the picture, in pixels.
        height: height of the picture, in pixels.
        random: source of the details by which drawings of different places differ.
        night: whether the place is shown at night.
        stone: colour of walls.
        shade: darker shade of the stone.
        hollow: colour of windows and other openings.
        roof: colour of roofs.
        hue: hue of the stone, in degrees of the colour wheel.
    """

    width: int
    height: int
    random: Random
    night: bool
    stone: str = field(init=False)
    shade: str = field(init=False)
    hollow: str = field(init=False)
    roof: str = field(init=False)
    hue: int = field(init=False)

    def __post_init__(self) -> None:
        self.hue = self.random.choice((18, 28, 36, 42, 48, 210, 350))
        lit = (34, 26, 12) if self.night else (82, 70, 34)
        self.stone, self.shade, self.hollow = (f"hsl({self.hue} 26% {value}%)" for value in lit)
        if self.night:
            self.hollow = "hsl(44 80% 62%)"
        roof = self.random.choice((8, 16, 150, 205))
        self.roof = f"hsl({roof} {34 if self.night else 38}% {22 if self.night else 48}%)"

    def x(self, value: float) -> str:
        """Convert a horizontal position into pixels from the left edge."""
        return f"{self.width / 2 + value * self.height / 100:.0f}"

    def y(self, value: float) -> str:
        """Convert a vertical position into pixels from the top edge."""
        return f"{value * self.height / 100:.0f}"

    def length(self, value: float) -> str:
        """Convert a length into pixels."""
        return f"{value * self.height / 100:.1f}"

    @property
    def half(self) -> float:
        """Half of the picture's width, in hundredths of its height."""
        return 50 * self.width / self.height

    def box(self, left: float, top: float, width: float, height: float, fill: str, corner_radius: float = 0) -> str:
        """Draw a rectangle."""
        corner = f' rx="{self.length(corner_radius)}"' if corner_radius else ""
        return (
            f'<rect x="{self.x(left)}" y="{self.y(top)}" width="{self.length(width)}" height="{self.length(height)}"{corner} '
            f'fill="{fill}"></rect>'
        )

    def oval(self, x: float, y: float, x_radius: float, y_radius: float, fill: str) -> str:
        """Draw an ellipse around a middle."""
        return f'<ellipse cx="{self.x(x)}" cy="{self.y(y)}" rx="{self.length(x_radius)}" ry="{self.length(y_radius)}" fill="{fill}"></ellipse>'

    def shape(self, points: Iterable[tuple[float, float]], fill: str) -> str:
        """Draw a polygon."""
        corners = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        return f'<polygon points="{corners}" fill="{fill}"></polygon>'

    def arch(self, x: float, foot: float, width: float, height: float, fill: str) -> str:
        """Draw a round-topped door or window. `x` and `foot` are the middle of its lower edge."""
        half = width / 2
        radius = self.length(half)
        return (
            f'<path d="M{self.x(x - half)} {self.y(foot)} V{self.y(foot - height + half)} '
            f'A{radius} {radius} 0 0 1 {self.x(x + half)} {self.y(foot - height + half)} V{self.y(foot)} Z" fill="{fill}"></path>'
        )

    def arches(self, left: float, right: float, count: int, foot: float, height: float, share: float = 0.6) -> str:
        """Draw a row of arches. `share` is the width of an arch as a share of the distance between arches."""
        step = (right - left) / count
        return "".join(
            self.arch(left + step * (i + 0.5), foot, step * share, height, self.hollow) for i in range(count)
        )

    def windows(self, left: float, right: float, columns: int, top: float, bottom: float, rows: int) -> str:
        """Draw windows in rows."""
        x_radius, y_radius = (right - left) / columns, (bottom - top) / rows
        return "".join(
            self.box(
                left + x_radius * (i + 0.3),
                top + y_radius * (j + 0.25),
                x_radius * 0.4,
                y_radius * 0.55,
                self.hollow,
            )
            for j in range(rows)
            for i in range(columns)
        )


# ------------------------------------------------------------------ around


def draw_sky(brush: Brush) -> str:
    """Draw the sky, its sun or moon, and clouds or stars."""
    random = brush.random
    hue = random.choice((32, 196, 204, 212, 222)) if not brush.night else random.choice((222, 232, 245))
    high, low = (16, 24) if brush.night else (80, 89)
    side = random.choice((-1, 1))
    drawn = [
        brush.box(-brush.half, 0, 2 * brush.half, 100, f"hsl({hue} 48% {high}%)"),
        brush.box(-brush.half, 45, 2 * brush.half, 55, f"hsl({hue} 50% {low}%)"),
        brush.oval(side * random.uniform(0.5, 0.8) * brush.half, random.uniform(14, 26), 7, 7, "hsl(46 85% 82%)"),
    ]
    for _ in range(9 if brush.night else 4):
        x, y = random.uniform(-1, 1) * brush.half, random.uniform(8, 34)
        if brush.night:
            drawn.append(brush.oval(x, y, 0.5, 0.5, "hsl(50 60% 85%)"))
        else:
            drawn.append(brush.oval(x, y, random.uniform(8, 16), 2.4, "hsl(0 0% 100% / .75)"))
            drawn.append(brush.oval(x + 4, y - 2, random.uniform(4, 8), 2.6, "hsl(0 0% 100% / .75)"))
    far = f"hsl({hue} 22% {20 if brush.night else 74}%)"
    drawn += [
        brush.oval(
            random.uniform(-1, 1) * brush.half,
            GROUND + 4,
            random.uniform(40, 80),
            random.uniform(14, 24),
            far,
        )
        for _ in range(3)
    ]
    return "".join(drawn)


def draw_ground(brush: Brush) -> str:
    """Draw the ground before the building, trees at its sides, and people."""
    random = brush.random
    paving = f"hsl({brush.hue} 16% {18 if brush.night else 72}%)"
    drawn = [
        brush.box(-brush.half, GROUND, 2 * brush.half, 22, paving),
        brush.box(-brush.half, GROUND, 2 * brush.half, 1.2, brush.shade),
    ]
    drawn += [draw_tree(brush, side * random.uniform(0.78, 0.96) * brush.half) for side in (-1, 1)]
    for _ in range(random.randint(2, 5)):
        drawn.append(draw_person(brush, random.uniform(-0.7, 0.7) * brush.half, random.uniform(84, 92)))
    return "".join(drawn)


def draw_tree(brush: Brush, x: float) -> str:
    """Draw a tree, round or tall."""
    random = brush.random
    leaf = f"hsl({random.randint(90, 150)} 30% {20 if brush.night else 40}%)"
    y_radius = random.uniform(18, 30)
    crown = random.choice((5.0, 9.0))
    return brush.box(x - 0.8, GROUND - 8, 1.6, 10, "hsl(25 30% 28%)") + brush.oval(
        x, GROUND - 4 - y_radius / 2, crown, y_radius / 2, leaf
    )


def draw_person(brush: Brush, x: float, foot: float) -> str:
    """Draw a passer-by with feet at the height `foot`."""
    coat = f"hsl({brush.random.randint(0, 359)} 40% {45 if brush.night else 38}%)"
    return brush.box(x - 1.2, foot - 6.5, 2.4, 6.5, coat, 1.1) + brush.oval(x, foot - 8, 1.2, 1.3, "hsl(25 45% 62%)")


# ------------------------------------------------------------------ sights


def draw_museum(brush: Brush) -> str:
    """Draw a house with columns and a pediment."""
    columns = brush.random.choice((6, 8))
    x_radius = brush.random.uniform(44, 54)
    step = 2 * (x_radius - 6) / columns
    return "".join(
        [
            brush.box(-x_radius - 16, 48, 2 * x_radius + 32, 32, brush.shade),
            brush.windows(-x_radius - 14, -x_radius, 2, 52, 76, 2),
            brush.windows(x_radius, x_radius + 14, 2, 52, 76, 2),
            brush.box(-x_radius, 42, 2 * x_radius, 38, brush.hollow if not brush.night else "hsl(30 25% 18%)"),
            *(brush.box(-x_radius + 6 + step * (i + 0.3), 46, step * 0.4, 30, brush.stone) for i in range(columns)),
            brush.box(-x_radius, 40, 2 * x_radius, 6, brush.stone),
            brush.shape([(-x_radius - 2, 40), (x_radius + 2, 40), (0, 26)], brush.stone),
            brush.shape([(-x_radius + 10, 38), (x_radius - 10, 38), (0, 29)], brush.shade),
            brush.box(-x_radius - 2, 76, 2 * x_radius + 4, 4, brush.stone),
        ]
    )


def draw_dome(brush: Brush) -> str:
    """Draw a church under a dome, with a tower beside it."""
    return "".join(
        [
            brush.box(34, 24, 12, 56, brush.stone),
            brush.windows(34, 46, 1, 28, 72, 5),
            brush.box(33, 22, 14, 3, brush.shade),
            brush.box(-8, 13, 4, 8, brush.stone),
            brush.oval(-6, 12, 1.5, 3, brush.shade),
            brush.oval(-6, 42, 21, 24, "hsl(12 42% 26%)" if brush.night else "hsl(12 48% 52%)"),
            brush.box(-27, 42, 42, 14, brush.shade),
            brush.arches(-26, 14, 6, 54, 9, 0.5),
            brush.box(-52, 54, 86, 26, brush.stone),
            brush.arches(-48, 30, 6, 80, 17),
        ]
    )


def draw_two_towered_cathedral(brush: Brush) -> str:
    """Draw a cathedral with two pointed towers before its front."""
    drawn = [brush.box(-44, 56, 88, 24, brush.stone), brush.shape([(-44, 56), (44, 56), (0, 34)], brush.roof)]
    for x in (-24, 24):
        top = brush.random.uniform(6, 12)
        drawn += [
            brush.box(x - 7, 38, 14, 42, brush.shade),
            brush.shape([(x - 7.5, 38), (x + 7.5, 38), (x, top)], brush.roof),
            brush.arch(x, 56, 4, 10, brush.hollow),
        ]
    return "".join([*drawn, brush.oval(0, 58, 6, 6, brush.hollow), brush.arch(0, 80, 11, 15, brush.hollow)])


def draw_steep_roofed_church(brush: Brush) -> str:
    """Draw a church with a steep zigzag roof, a high tower at one side, and the stump of another tower."""
    ridge, eaves = 26.0, 54.0
    roof = [brush.shape([(-58, eaves), (22, eaves), (14, ridge), (-50, ridge)], brush.roof)]
    for row in range(3):
        y = ridge + 6 + 8 * row
        for step in range(8):
            x = -52 + 9 * step - row
            roof.append(brush.shape([(x, y + 4), (x + 4.5, y), (x + 9, y + 4), (x + 4.5, y + 2)], "hsl(46 70% 62%)"))
    return "".join(
        [
            *roof,
            brush.box(-58, eaves, 80, 26, brush.stone),
            brush.arches(-56, 18, 7, 78, 18, 0.4),
            brush.box(-66, 40, 12, 40, brush.shade),
            brush.shape([(-67, 40), (-53, 40), (-60, 33)], brush.roof),
            brush.box(22, 34, 18, 46, brush.shade),
            brush.box(25, 20, 12, 16, brush.shade),
            brush.shape([(22, 36), (27, 20), (31, 2), (35, 20), (40, 36)], brush.stone),
            brush.arch(31, 60, 6, 16, brush.hollow),
            brush.arch(31, 80, 8, 12, brush.hollow),
            brush.arch(31, 34, 4, 10, brush.hollow),
        ]
    )


def draw_many_towered_church(brush: Brush) -> str:
    """Draw a church with many slender towers with coloured points around a higher tower."""
    gold = "hsl(44 75% 60%)"
    drawn = []
    for x, y_radius, x_radius in (
        (0, 74, 13),
        (-13, 60, 10),
        (13, 60, 10),
        (-34, 52, 8),
        (-24, 56, 8),
        (24, 56, 8),
        (34, 52, 8),
    ):
        top = 80 - y_radius
        path = (
            f'<path d="M{brush.x(x - x_radius / 2)} {brush.y(80)} Q{brush.x(x - x_radius / 2)} {brush.y(top + 16)} {brush.x(x)} {brush.y(top)} '
            f'Q{brush.x(x + x_radius / 2)} {brush.y(top + 16)} {brush.x(x + x_radius / 2)} {brush.y(80)} Z" fill="{brush.stone if x_radius > 8 else brush.shade}"></path>'
        )
        slits = "".join(brush.box(x - 0.7, y, 1.4, 3.4, brush.hollow) for y in range(round(top) + 16, 66, 7))
        drawn += [path, slits, brush.oval(x, top, 1.5, 1.8, gold)]
    front = brush.shape([(-44, 80), (-44, 68), (-22, 62), (0, 56), (22, 62), (44, 68), (44, 80)], brush.stone)
    return "".join(
        [
            *drawn,
            front,
            brush.arch(-14, 80, 8, 13, brush.hollow),
            brush.arch(0, 80, 10, 18, brush.hollow),
            brush.arch(14, 80, 8, 13, brush.hollow),
        ]
    )


def draw_rotunda(brush: Brush) -> str:
    """Draw a round house under a flat dome, behind columns and a pediment."""
    step = 8.0
    return "".join(
        [
            brush.oval(0, 36, 46, 20, brush.shade),
            brush.box(-52, 36, 104, 44, brush.stone),
            brush.box(-52, 48, 104, 1.4, brush.shade),
            brush.box(-52, 36, 104, 2.4, brush.shade),
            brush.box(-34, 52, 68, 28, "hsl(30 20% 22%)"),
            *(brush.box(-32 + step * i, 52, 3.6, 28, brush.stone) for i in range(9)),
            brush.box(-36, 48, 72, 5, brush.stone),
            brush.shape([(-38, 48), (38, 48), (0, 32)], brush.stone),
            brush.shape([(-29, 46.4), (29, 46.4), (0, 35)], brush.shade),
        ]
    )


def draw_round_hall(brush: Brush) -> str:
    """Draw a round hall without windows under a low roof, with a stair to its door."""
    steps = [brush.box(-14 - 2 * i, 74 + 2 * i, 28 + 4 * i, 2, brush.shade if i % 2 else brush.stone) for i in range(3)]
    ribs = [brush.box(x, 36, 1, 44, brush.shade) for x in range(-44, 48, 11)]
    return "".join(
        [
            brush.box(-64, 54, 128, 26, brush.shade),
            brush.windows(-62, -46, 3, 58, 78, 1),
            brush.windows(46, 62, 3, 58, 78, 1),
            brush.shape([(-48, 36), (48, 36), (20, 26), (-20, 26)], brush.roof),
            brush.box(-46, 36, 92, 44, brush.stone),
            *ribs,
            brush.box(-46, 36, 92, 3, brush.shade),
            brush.arch(0, 76, 12, 16, brush.hollow),
            *steps,
        ]
    )


def draw_stone_drum(brush: Brush) -> str:
    """Draw a great drum of stone on a wall, a smaller drum on top of it, and a statue on top of that."""
    teeth = [brush.box(-46 + 6.2 * i, 34, 3.6, 4, brush.stone) for i in range(15)]
    return "".join(
        [
            brush.box(-12, 18, 24, 20, brush.shade),
            brush.box(-14, 16, 28, 3, brush.stone),
            brush.windows(-10, 10, 3, 22, 34, 1),
            brush.box(-1.2, 8, 2.4, 8, brush.roof),
            brush.shape([(-5, 12), (0, 9), (5, 12), (0, 11)], brush.roof),
            brush.box(-46, 37, 92, 32, brush.stone),
            *teeth,
            brush.box(-46, 43, 92, 1.4, brush.shade),
            brush.windows(-42, 42, 9, 47, 57, 1),
            brush.box(-64, 66, 128, 14, brush.shade),
            *(brush.box(-64 + 8.2 * i, 63, 4.6, 3.6, brush.shade) for i in range(16)),
            brush.arch(0, 80, 11, 13, brush.hollow),
        ]
    )


def draw_brick_halls(brush: Brush) -> str:
    """Draw the remains of high brick halls: walls of uneven height with great arches, and stumps."""
    random = brush.random
    brick, dark = ("hsl(14 34% 26%)", "hsl(14 30% 18%)") if brush.night else ("hsl(16 42% 56%)", "hsl(14 36% 42%)")
    air = "hsl(232 30% 16%)" if brush.night else "hsl(205 45% 82%)"
    drawn = []
    for left, x_radius, top in ((-60, 34, 22), (-22, 46, 14), (28, 34, 28)):
        ragged = [(left + x_radius * i / 5, top + random.uniform(0, 9)) for i in range(6)]
        drawn += [
            brush.shape([(left, 80), *ragged, (left + x_radius, 80)], brick),
            brush.box(left, 50, x_radius, 1.4, dark),
            brush.arch(left + x_radius / 2, 80, x_radius * 0.46, 34, air),
        ]
    drawn += [brush.box(x, random.uniform(66, 74), 7, 16, dark, 1) for x in (-66, -24, 22, 62)]
    return "".join(drawn)


def draw_palace(brush: Brush) -> str:
    """Draw a long front with a raised middle."""
    return "".join(
        [
            brush.box(-66, 46, 132, 34, brush.stone),
            brush.windows(-64, -20, 6, 48, 80, 3),
            brush.windows(20, 64, 6, 48, 80, 3),
            brush.shape([(-68, 46), (-62, 39), (62, 39), (68, 46)], brush.roof),
            brush.box(-19, 36, 38, 44, brush.shade),
            brush.windows(-18, 18, 5, 40, 62, 2),
            brush.shape([(-21, 36), (21, 36), (12, 25), (-12, 25)], brush.roof),
            brush.arches(-12, 12, 3, 80, 14),
        ]
    )


def draw_domed_palace(brush: Brush) -> str:
    """Draw a palace under a dome between two smaller ones."""
    domes = "".join(
        brush.oval(x, top, x_radius, y_radius, brush.shade)
        + brush.box(x - 0.6, top - y_radius - 4, 1.2, 5, brush.shade)
        for x, top, x_radius, y_radius in ((-44, 42, 8, 9), (0, 28, 15, 16), (44, 42, 8, 9))
    )
    return domes + draw_palace(brush)


def draw_domed_pavilions(brush: Brush) -> str:
    """Draw a brick house with a tower between brick houses with domes."""
    brick = "hsl(12 40% 26%)" if brush.night else "hsl(12 46% 54%)"
    drawn = []
    for x, top, x_radius in ((-46, 50, 26), (46, 50, 26), (0, 40, 32)):
        drawn += [
            brush.oval(x, top, x_radius / 3.2, 11, brush.roof),
            brush.box(x - x_radius / 2, top, x_radius, 80 - top, brick),
            brush.box(x - x_radius / 2, top, x_radius, 2, brush.stone),
            brush.windows(x - x_radius / 2 + 1, x + x_radius / 2 - 1, 4, top + 4, 66, 2),
            brush.arch(x, 80, 7, 12, brush.hollow),
        ]
    return "".join([brush.box(-4, 14, 8, 30, brick), brush.shape([(-5, 15), (5, 15), (0, 3)], brush.roof), *drawn])


def draw_opera_house(brush: Brush) -> str:
    """Draw an opera house with two rows of arches and a high roof over the stage."""
    return "".join(
        [
            brush.box(-34, 20, 68, 30, brush.shade),
            brush.shape([(-36, 22), (36, 22), (28, 13), (-28, 13)], brush.roof),
            brush.box(-56, 42, 112, 38, brush.stone),
            brush.box(-58, 40, 116, 3, brush.shade),
            brush.arches(-36, 36, 5, 60, 14, 0.55),
            brush.arches(-36, 36, 5, 80, 15, 0.6),
            brush.windows(-54, -38, 2, 46, 78, 2),
            brush.windows(38, 54, 2, 46, 78, 2),
            *(brush.oval(x, 38, 1.3, 3, brush.shade) for x in (-36, -18, 0, 18, 36)),
        ]
    )


def draw_television_tower(brush: Brush) -> str:
    """Draw a television tower with a ball."""
    return "".join(
        [
            *(
                brush.box(x, 80 - y_radius, 15, y_radius, brush.shade)
                for x, y_radius in ((-62, 20), (-44, 13), (30, 17), (48, 23))
            ),
            brush.shape([(-4, 80), (4, 80), (1.4, 30), (-1.4, 30)], brush.stone),
            brush.oval(0, 28, 8, 8, brush.roof),
            brush.box(-8, 27, 16, 2, brush.hollow),
            brush.box(-0.7, 3, 1.4, 20, "hsl(8 60% 50%)"),
        ]
    )


def draw_glass_domed_house(brush: Brush) -> str:
    """Draw a house with columns under a glass dome."""
    glass = "hsl(195 45% 70% / .85)"
    ribs = "".join(brush.box(x, 15, 0.6, 20, brush.stone) for x in (-9, -4.5, 0, 4.5, 9))
    return brush.oval(0, 32, 17, 20, glass) + ribs + draw_museum(brush)


def draw_elephant(brush: Brush) -> str:
    """Draw an elephant before palms and a gate."""
    grey = f"hsl(215 10% {36 if brush.night else 55}%)"
    gate = brush.box(-60, 44, 9, 36, brush.stone) + brush.box(-30, 44, 9, 36, brush.stone)
    roof = brush.shape([(-66, 45), (-15, 45), (-22, 36), (-40, 30), (-59, 36)], brush.roof)
    legs = "".join(brush.box(x, 62, 6, 19, grey, 1.5) for x in (8, 17, 29, 37))
    trunk = f'<path d="M{brush.x(46)} {brush.y(54)} Q{brush.x(58)} {brush.y(60)} {brush.x(54)} {brush.y(78)}" fill="none" stroke="{grey}" stroke-width="{brush.length(5)}" stroke-linecap="round"></path>'
    return "".join(
        [
            gate,
            roof,
            trunk,
            legs,
            brush.oval(25, 56, 20, 13, grey),
            brush.oval(44, 50, 9.5, 10, grey),
            brush.oval(38, 50, 6, 8, f"hsl(215 10% {30 if brush.night else 48}%)"),
            brush.oval(48, 47, 0.9, 0.9, "#111"),
        ]
    )


def draw_field_of_blocks(brush: Brush) -> str:
    """Draw a field of plain blocks."""
    drawn = []
    for row in range(4):
        for column in range(-8, 9):
            y_radius = brush.random.uniform(6, 20) - row
            x = column * (9 + row) - 3
            drawn.append(
                brush.box(
                    x,
                    70 + 3 * row - y_radius,
                    6 + row,
                    y_radius + 8,
                    f"hsl(220 6% {24 + 9 * row if brush.night else 62 - 9 * row}%)",
                )
            )
    return "".join(drawn)


def draw_park_terrace(brush: Brush) -> str:
    """Draw a terrace with a wavy bench, and little houses."""
    colours = [f"hsl({hue} 55% {40 if brush.night else 60}%)" for hue in (10, 45, 130, 190, 215, 330)]
    drawn = [draw_tree(brush, x) for x in (-58, -46, 44, 60)]
    for x in (-26, 26):
        drawn += [
            brush.box(x - 8, 42, 16, 38, brush.stone, 2),
            brush.oval(x, 42, 11, 9, brush.roof),
            brush.box(x - 1.2, 20, 2.4, 15, brush.shade),
            brush.oval(x, 20, 2.4, 3, colours[0]),
            brush.arch(x, 62, 5, 9, brush.hollow),
        ]
    drawn += [brush.oval(-64 + 8 * i, 76 + 2 * (i % 2), 5.4, 5, colours[i % len(colours)]) for i in range(17)]
    return "".join(drawn)


def draw_arena(brush: Brush) -> str:
    """Draw an oval arena of arches, which is higher on one side."""
    wall = [(-64, 80), (-64, 48), (-52, 42), (-6, 34), (4, 22), (52, 22), (64, 28), (64, 80)]
    return "".join(
        [
            brush.shape(wall, brush.stone),
            brush.arches(-62, 62, 13, 79, 12),
            brush.arches(-62, 62, 13, 64, 11),
            brush.arches(-44, 62, 11, 50, 10),
            brush.arches(8, 62, 6, 36, 8, 0.4),
            brush.box(-64, 65, 128, 1.6, brush.shade),
            brush.box(-64, 51, 128, 1.6, brush.shade),
        ]
    )


def draw_ruins(brush: Brush) -> str:
    """Draw columns, some broken, and a piece of wall with an arch."""
    random = brush.random
    drawn = [
        brush.box(20, 34, 42, 46, brush.shade),
        brush.arch(41, 80, 22, 34, "hsl(205 40% 80%)" if not brush.night else "#222b40"),
    ]
    for index in range(6):
        x, top = -58 + 12 * index, random.choice((32, 32, 44, 56))
        drawn += [
            brush.box(x, top, 5, 80 - top, brush.stone),
            brush.box(x - 1.2, top - 2.4, 7.4, 2.6, brush.shade),
        ]
    drawn.append(brush.box(-60, 27, 34, 4, brush.stone))
    return "".join([*drawn, *(brush.box(random.uniform(-60, 50), 76, 8, 5, brush.stone, 1) for _ in range(4))])


def draw_castle(brush: Brush) -> str:
    """Draw a keep with battlements and a tower."""
    teeth = [brush.box(-42 + 8 * i, 40, 4.5, 5, brush.stone) for i in range(11)]
    top = [brush.box(-9 + 5 * i, 15, 3, 4, brush.stone) for i in range(4)]
    return "".join(
        [
            brush.box(-8, 20, 16, 30, brush.shade),
            brush.box(-10, 18, 20, 5, brush.stone),
            *top,
            brush.windows(-6, 6, 2, 24, 40, 2),
            brush.box(-42, 44, 84, 36, brush.stone),
            *teeth,
            brush.box(-42, 50, 84, 1.6, brush.shade),
            brush.windows(-38, 38, 8, 54, 70, 1),
            brush.arch(0, 80, 12, 17, brush.hollow),
        ]
    )


def draw_wavy_front(brush: Brush) -> str:
    """Draw a wavy front with oval windows and twisted chimneys."""
    edge = "".join(
        f" Q{brush.x(-44 + 22 * i + 11)} {brush.y(24 if i % 2 else 34)} {brush.x(-22 + 22 * i)} {brush.y(30)}"
        for i in range(4)
    )
    front = (
        f'<path d="M{brush.x(-44)} {brush.y(80)} V{brush.y(30)}{edge} V{brush.y(80)} Z" fill="{brush.stone}"></path>'
    )
    rows = "".join(
        brush.oval(-33 + 13 * i, 41 + 13 * j, 4, 4.6, brush.hollow)
        + brush.box(-38 + 13 * i, 45.5 + 13 * j, 10, 1.3, brush.shade, 0.6)
        for j in range(2)
        for i in range(6)
    )
    chimneys = "".join(
        brush.box(x, 16, 4, 16, brush.roof, 2) + brush.oval(x + 2, 16, 3, 4, brush.shade) for x in (-34, -12, 10, 32)
    )
    return chimneys + front + rows + brush.arches(-38, 38, 5, 80, 15, 0.7)


def draw_arcade(brush: Brush) -> str:
    """Draw a long house over an arcade."""
    return "".join(
        [
            brush.box(-62, 34, 124, 46, brush.stone),
            brush.shape([(-65, 34), (65, 34), (58, 28), (-58, 28)], brush.roof),
            brush.windows(-60, 60, 11, 36, 60, 2),
            brush.box(-62, 60, 124, 1.6, brush.shade),
            brush.arches(-60, 60, 11, 80, 17, 0.66),
        ]
    )
