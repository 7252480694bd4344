"""Drawings of hotels and restaurants as SVG shapes, on the ground drawn by `shapes`."""

from __future__ import annotations

from planspec.families.worldtravel.webscape.shapes import GROUND, Brush, draw_tree


def draw_hotel(brush: Brush) -> str:
    """Draw a house of many windows with a canopy over its door."""
    columns, rows = brush.random.choice((5, 7)), brush.random.choice((4, 5))
    wide = brush.random.uniform(30, 44)
    top = 80 - 10 * (rows + 1)
    return "".join(
        [
            brush.box(-wide, top, 2 * wide, 80 - top, brush.stone),
            brush.box(-wide - 2, top - 3, 2 * wide + 4, 4, brush.roof),
            brush.windows(-wide + 2, wide - 2, columns, top + 3, 68, rows),
            brush.windows(-wide + 2, -10, 2, 68, 80, 1),
            brush.windows(10, wide - 2, 2, 68, 80, 1),
            brush.arch(0, 80, 9, 11, brush.hollow),
            brush.shape([(-9, 70), (9, 70), (12, 66), (-12, 66)], brush.roof),
            *(
                brush.box(x, top - 12, 0.6, 10, brush.shade) + brush.box(x + 0.6, top - 12, 6, 4, brush.roof)
                for x in (-8, 6)
            ),
        ]
    )


def draw_restaurant(brush: Brush) -> str:
    """Draw a front with an awning, and a laid table before it."""
    cloth = "hsl(0 0% 88%)" if brush.night else "hsl(0 0% 99%)"
    stripes = "".join(
        brush.shape(
            [(-44 + 8 * i, 36), (-36 + 8 * i, 36), (-39.6 + 8.8 * i, 47), (-48.4 + 8.8 * i, 47)],
            brush.roof if i % 2 == 0 else cloth,
        )
        for i in range(11)
    )
    tables = "".join(
        brush.oval(x, 68, 11, 2.6, cloth)
        + brush.shape([(x - 10, 68), (x + 10, 68), (x + 8, 79), (x - 8, 79)], cloth)
        + brush.oval(x - 3, 67.4, 3.4, 1, brush.shade)
        + brush.box(x + 4, 61, 2.2, 4, "hsl(350 55% 40%)", 1)
        + brush.box(x + 4.8, 65, 0.6, 3, brush.shade)
        for x in (-28, 28)
    )
    return "".join(
        [
            brush.box(-50, 14, 100, 66, brush.stone),
            brush.windows(-46, 46, 6, 16, 34, 1),
            brush.box(-44, 46, 34, 24, brush.hollow),
            brush.box(10, 46, 34, 24, brush.hollow),
            brush.box(-7, 46, 14, 34, brush.shade),
            brush.box(-5, 49, 10, 18, brush.hollow),
            stripes,
            tables,
        ]
    )


def draw_high_rise(brush: Brush) -> str:
    """Draw a high house of many floors, from a distance."""
    wide = brush.random.uniform(11, 15)
    low = "".join(
        brush.box(x, 80 - tall, 17, tall, brush.shade) for x, tall in ((-58, 16), (-38, 11), (24, 13), (44, 18))
    )
    return "".join(
        [
            low,
            brush.box(-wide, 6, 2 * wide, 74, brush.stone),
            brush.windows(-wide + 1, wide - 1, 6, 8, 72, 22),
            brush.box(-wide - 1, 4, 2 * wide + 2, 2.4, brush.shade),
            brush.box(-wide - 8, 72, 2 * wide + 16, 8, brush.shade),
            brush.box(-5, 73, 10, 7, brush.hollow),
            brush.box(-0.5, 0, 1, 5, brush.shade),
        ]
    )


def draw_twisted_tower(brush: Brush) -> str:
    """Draw a red tower that turns as it rises."""
    red, dark = ("hsl(4 55% 30%)", "hsl(4 50% 22%)") if brush.night else ("hsl(4 66% 48%)", "hsl(4 60% 38%)")
    floors = []
    for floor in range(24):
        turn, y = floor / 23, 77 - 3 * floor
        left, right = -11 - 5 * turn * (1 - turn) * 4 + 3 * turn, 11 + 4 * turn * turn
        floors.append(
            brush.shape([(left, y), (right, y), (right, y - 3.2), (left, y - 3.2)], red if floor % 2 else dark)
        )
        floors.append(brush.box(left + 3 + 8 * turn, y - 2.4, 5, 1.5, brush.hollow))
    low = "".join(brush.box(x, 80 - tall, 20, tall, brush.shade) for x, tall in ((-60, 12), (-36, 9), (26, 14)))
    return low + "".join(floors) + brush.box(-14, 76, 28, 4, brush.shade)


def draw_cloister(brush: Brush) -> str:
    """Draw a low house with an arcade around a yard with orange trees."""
    orange = "hsl(28 85% 52%)"
    trees = ""
    for x in (-34, 0, 34):
        trees += brush.box(x - 0.8, 68, 1.6, 14, "hsl(25 30% 28%)") + brush.oval(
            x, 65, 8, 7, f"hsl(110 32% {22 if brush.night else 36}%)"
        )
        trees += "".join(
            brush.oval(x + dx, 65 + dy, 1.1, 1.1, orange) for dx, dy in ((-4, 1), (0, -3), (3, 2), (5, -2))
        )
    return "".join(
        [
            brush.shape([(-66, 42), (66, 42), (60, 34), (-60, 34)], brush.roof),
            brush.box(-64, 42, 128, 38, brush.stone),
            brush.windows(-60, 60, 10, 43, 56, 1),
            brush.box(-64, 57, 128, 1.4, brush.shade),
            brush.arches(-62, 62, 9, GROUND, 19, 0.72),
            trees,
        ]
    )


def draw_resort(brush: Brush) -> str:
    """Draw a wide house with balconies in a park, behind a pool."""
    trees = "".join(draw_tree(brush, x) for x in (-64, -54, 56, 66))
    rails = "".join(brush.box(-48, 44 + 9 * i, 96, 1.2, brush.roof) for i in range(4))
    return "".join(
        [
            trees,
            brush.box(-48, 36, 96, 44, brush.stone),
            brush.windows(-46, 46, 11, 36, 72, 4),
            rails,
            brush.box(-50, 33, 100, 3.4, brush.shade),
            brush.oval(0, 76, 40, 3.6, "hsl(195 60% 62%)"),
            brush.oval(-6, 75.2, 22, 1, "hsl(195 60% 80%)"),
        ]
    )


def draw_brick_works(brush: Brush) -> str:
    """Draw a former factory: a brick house with big panes and a chimney."""
    brick, dark = ("hsl(14 34% 26%)", "hsl(14 30% 18%)") if brush.night else ("hsl(12 44% 50%)", "hsl(12 40% 38%)")
    roofs = [brush.shape([(-54 + 27 * i, 34), (-54 + 27 * i, 24), (-27 + 27 * i, 34)], dark) for i in range(4)]
    panes = [
        brush.box(-50 + 21 * i, 40 + 18 * j, 15, 12, brush.hollow) + brush.box(-43 + 21 * i, 40 + 18 * j, 0.9, 12, dark)
        for i in range(5)
        for j in range(2)
    ]
    return "".join(
        [
            brush.box(44, 8, 7, 30, dark),
            *roofs,
            brush.box(-54, 34, 108, 46, brick),
            *panes,
            brush.box(-6, 68, 12, 12, dark),
        ]
    )


def draw_palazzo(brush: Brush) -> str:
    """Draw a grand hotel with a mansard, balconies and a glass roof over its steps."""
    return "".join(
        [
            brush.shape([(-48, 30), (48, 30), (42, 16), (-42, 16)], brush.roof),
            *(brush.arch(x, 29, 6, 9, brush.hollow) for x in (-32, -16, 0, 16, 32)),
            brush.box(-48, 30, 96, 50, brush.stone),
            brush.windows(-46, 46, 9, 32, 66, 3),
            brush.box(-48, 43, 96, 1.2, brush.shade),
            brush.box(-48, 54.5, 96, 1.2, brush.shade),
            brush.arches(-46, -14, 3, GROUND, 12, 0.6),
            brush.arches(14, 46, 3, GROUND, 12, 0.6),
            brush.box(-9, 67, 18, 13, brush.hollow),
            brush.shape([(-14, 68), (14, 68), (10, 63), (-10, 63)], "hsl(195 30% 70%)"),
        ]
    )


# ------------------------------------------------------------------ tables


def _draw_table(brush: Brush, x: float, cloth: str) -> str:
    return (
        brush.oval(x, 72, 8, 2, cloth)
        + brush.box(x - 0.7, 73, 1.4, 9, brush.shade)
        + brush.box(x - 12, 74, 4, 8, brush.shade, 1)
        + brush.box(x + 8, 74, 4, 8, brush.shade, 1)
        + brush.box(x - 1, 67.6, 1.6, 3.4, "hsl(350 55% 40%)", 0.7)
    )


def draw_tavern(brush: Brush) -> str:
    """Draw a narrow old house with a gable, a lantern and leaves around its door."""
    leaf = f"hsl(120 30% {20 if brush.night else 38}%)"
    ivy = "".join(brush.oval(-30 + 7 * i, 44 + 3 * (i % 3), 5, 4.4, leaf) for i in range(9) if i not in (3, 4, 5))
    return "".join(
        [
            brush.box(-60, 30, 26, 50, brush.shade),
            brush.box(34, 34, 26, 46, brush.shade),
            brush.windows(-58, -36, 2, 34, 76, 3),
            brush.windows(36, 58, 2, 38, 76, 3),
            brush.shape([(-36, 34), (36, 34), (0, 8)], brush.roof),
            brush.box(-34, 34, 68, 46, brush.stone),
            brush.windows(-24, 24, 3, 18, 32, 1),
            brush.windows(-32, 32, 4, 36, 52, 1),
            ivy,
            brush.arch(0, GROUND, 11, 20, brush.shade),
            brush.arch(0, GROUND, 8, 17, brush.hollow),
            brush.box(-26, 60, 12, 14, brush.hollow),
            brush.box(14, 60, 12, 14, brush.hollow),
            brush.box(8.6, 54, 0.8, 4, brush.shade),
            brush.oval(9, 60, 1.8, 2.4, "hsl(46 85% 68%)"),
        ]
    )


def draw_coffee_house(brush: Brush) -> str:
    """Draw a palace front with high round-topped windows, and tables before it."""
    cloth = "hsl(0 0% 96%)"
    return "".join(
        [
            brush.box(-58, 22, 116, 58, brush.stone),
            brush.box(-60, 20, 120, 3, brush.shade),
            brush.windows(-56, 56, 9, 24, 42, 1),
            brush.box(-58, 43, 116, 1.6, brush.shade),
            brush.arches(-56, 56, 7, 76, 30, 0.66),
            *(brush.box(x, 46, 2, 34, brush.shade) for x in (-57, -25, 23, 55)),
            *(_draw_table(brush, x, cloth) for x in (-42, -6, 36)),
        ]
    )


def draw_pavilion(brush: Brush) -> str:
    """Draw a low glass house among trees, by water."""
    glass = f"hsl(195 35% {34 if brush.night else 78}%)"
    bars = "".join(brush.box(x, 52, 0.9, 28, brush.stone) for x in range(-48, 49, 12))
    return "".join(
        [
            *(draw_tree(brush, x) for x in (-62, -52, 50, 62)),
            brush.box(-50, 52, 100, 28, glass),
            bars,
            brush.box(-54, 48, 108, 4.4, brush.stone),
            brush.box(-7, 58, 14, 22, brush.hollow),
            brush.oval(0, 84, 48, 3, "hsl(200 45% 60%)"),
        ]
    )


def draw_villa(brush: Brush) -> str:
    """Draw a villa in a garden, with tables under its trees."""
    return "".join(
        [
            brush.shape([(-36, 36), (36, 36), (20, 20), (-20, 20)], brush.roof),
            brush.box(-32, 36, 64, 44, brush.stone),
            brush.windows(-30, 30, 5, 38, 58, 1),
            brush.arches(-30, 30, 5, GROUND, 17, 0.5),
            brush.box(-34, 35, 68, 2, brush.shade),
            *(draw_tree(brush, x) for x in (-58, -46, 46, 60)),
            *(_draw_table(brush, x, "hsl(0 0% 96%)") for x in (-46, 44)),
        ]
    )


def draw_arcaded_house(brush: Brush) -> str:
    """Draw tables under the arcades of a long house."""
    return "".join(
        [
            brush.box(-62, 16, 124, 64, brush.stone),
            brush.windows(-60, 60, 9, 18, 48, 2),
            brush.box(-62, 49, 124, 2, brush.shade),
            brush.arches(-60, 60, 6, GROUND, 28, 0.76),
            *(_draw_table(brush, x, "hsl(0 0% 96%)") for x in (-50, -10, 30)),
        ]
    )


def draw_cellar(brush: Brush) -> str:
    """Draw an underground vault with tables and barrels, from inside."""
    wall = f"hsl({brush.hue} 22% {20 if brush.night else 58}%)"
    light = "hsl(42 80% 70%)"
    vaults = "".join(
        brush.arch(x, GROUND, 34, 50, brush.stone) + brush.arch(x, GROUND, 28, 46, brush.shade) for x in (-42, 0, 42)
    )
    lamps = "".join(brush.box(x - 0.3, 34, 0.6, 8, "#222") + brush.oval(x, 44, 3, 2.4, light) for x in (-42, 0, 42))
    barrels = "".join(
        brush.oval(x, 70, 6, 6, "hsl(25 45% 32%)") + brush.oval(x, 70, 4, 4, "hsl(25 40% 42%)") for x in (-48, -36, 40)
    )
    return "".join(
        [
            brush.box(-66, 14, 132, 66, wall),
            vaults,
            lamps,
            barrels,
            *(_draw_table(brush, x, "hsl(0 0% 96%)") for x in (-6, 8)),
        ]
    )
