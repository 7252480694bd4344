"""Buildings of culture and learning: museums, memorials, towers, libraries, theatres."""

from __future__ import annotations

from itertools import pairwise

from planspec.families.veritrip.pictures.colours import (
    GOLD,
    INK,
    LAMP,
    RED,
    STEEL,
    STONE,
    WHITE,
    WOOD,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.parts import (
    banner,
    columns,
    door,
    emblem,
    flag,
    steps,
    wall,
    windows,
)
from planspec.families.veritrip.pictures.scenery import BASE, Composition, person


def _shaped(scene: Composition, told: tuple[tuple[str, int], ...], last: int) -> int:
    """The shape that a word of the name asks for, else one of 0 to `last`."""
    guess, name = scene.dice.whole(0, last), scene.place.name.lower().split()
    return next((shape for words, shape in told if any(word in name for word in words.split())), guess)


def museum(scene: Composition) -> None:
    """A portico between two wings, with banners."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, wing, tall = dice.whole(58, 84), dice.whole(54, 92), dice.whole(58, 92)
    top = BASE - tall
    for side in (-1, 1):
        x0, x1 = sorted((256 + side * half, 256 + side * (half + wing)))
        wall(scene, x0, top + 8, x1, BASE, style.wall)
        windows(
            scene,
            x0 + 3,
            top + 12,
            x1 - 3,
            BASE - 6,
            dice.whole(3, 5),
            dice.whole(1, 3),
            arched=dice.chance(50),
        )
        canvas.rect(x0 - 3, top + 2, x1 + 3, top + 9, style.trim)
    wall(scene, 256 - half, top, 256 + half, BASE, darker(style.wall, 10))
    crown = dice.whole(0, 3)
    if crown == 1:
        canvas.rect(216, top - 62, 296, top - 20, lighter(style.wall, 12))
        windows(scene, 218, top - 54, 294, top - 28, 7, 1, arched=True)
        canvas.slice(212, top - 112, 300, top - 12, 180, 360, style.roof)
        for rib in range(-3, 4):
            canvas.line([(256 + rib * 13, top - 62), (256 + rib * 4, top - 110)], darker(style.roof), 0.9)
        canvas.line([(256, top - 112), (256, top - 130)], GOLD, 2)
    elif crown == 2:
        canvas.poly([(200, top), (256, top - 96), (312, top)], mix(style.roof, (160, 200, 216), 60))
        for row in range(1, 6):
            y, reach = top - row * 16, 56 - row * 9.3
            canvas.line([(256 - reach, y), (256 + reach, y)], WHITE, 1)
            canvas.line([(256 - reach, y), (256 - reach + 50, top)], WHITE, 0.8)
    door(scene, 256, BASE - 8, 24, tall * 0.6, darker(WOOD))
    columns(
        scene, 256 - half + 4, top, 256 + half - 4, BASE - 8, 2 * dice.whole(2, 4), lighter(style.trim, 20)
    )
    canvas.rect(256 - half - 5, top - 10, 256 + half + 5, top, style.trim)
    if crown != 2:
        rise = dice.whole(24, 44)
        canvas.poly(
            [(256 - half - 6, top - 10), (256, top - 10 - rise), (256 + half + 6, top - 10)], style.wall
        )
        emblem(scene, 256, top - 8 - rise * 0.42, rise * 0.3)
    for side in (-1, 1):
        banner(scene, 256 + side * (half - 20) - 8, top + 12, 16, tall * 0.6)
        if dice.chance(60):
            flag(scene, 256 + side * (half + wing // 2), top + 2, 34)
    steps(scene, 256 - half, 256 + half, BASE - 8, BASE + 10, 4)


def memorial(scene: Composition) -> None:
    """An obelisk, a column with a figure, or a wall of names, behind a basin."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    stone = mix(STONE, style.wall, 60)
    shape, tall = (
        _shaped(scene, (("obelisk monument", 0), ("statue column", 1), ("memorial", 2)), 2),
        dice.whole(150, 200),
    )
    steps(scene, 206, 306, BASE - 22, BASE + 4, dice.whole(3, 5))
    foot = BASE - 22
    if shape == 0:
        canvas.poly(
            [(242, foot), (247, foot - tall), (256, foot - tall - 16), (265, foot - tall), (270, foot)], stone
        )
        for course in range(tall // 9):
            canvas.line([(244, foot - course * 9), (268, foot - course * 9)], darker(stone, 14), 0.7)
    elif shape == 1:
        columns(scene, 250, foot - tall + 46, 262, foot, 1, stone)
        canvas.rect(238, foot - 30, 274, foot, stone)
        person(scene, 256, foot - tall + 46, 58, dice)
    else:
        wall(scene, 196, foot - 76, 316, foot, stone)
        for line in range(8):
            for column in range(3):
                x = 204 + column * 37
                canvas.line(
                    [(x, foot - 68 + line * 8), (x + dice.whole(12, 31), foot - 68 + line * 8)],
                    darker(stone, 50),
                    1.2,
                )
        canvas.poly([(190, foot - 76), (256, foot - 76 - dice.whole(14, 44)), (322, foot - 76)], style.trim)
    emblem(scene, 256, foot - 15, 11)
    for side in (-1, 1):
        for post in range(dice.whole(1, 3)):
            flag(scene, 256 + side * (70 + post * 34), BASE + 2, dice.whole(70, 96))
        for _ in range(9):
            x = 256 + side * dice.whole(40, 130)
            canvas.oval(
                x - 4, BASE - 5, x + 4, BASE + 2, dice.pick((RED, WHITE, style.accent, (226, 176, 60)))
            )
    canvas.poly([(196, BASE + 12), (316, BASE + 12), (372, BASE + 46), (140, BASE + 46)], (120, 168, 190))
    for _ in range(18):
        x, y = dice.whole(176, 336), dice.whole(BASE + 15, BASE + 43)
        canvas.line([(x, y), (x + dice.whole(8, 24), y)], dice.pick((WHITE, stone, (90, 140, 170))), 1)


def tower(scene: Composition) -> None:
    """A slab of glass, a shaft with a pod, a lattice, or a stepped tower; wide only at the foot."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    told = (
        ("pearl television tv needle", 1),
        ("eiffel radio", 2),
        ("building post", 3),
        ("observatory headquarters", 0),
    )
    shape, tall, half = _shaped(scene, told, 3), dice.whole(176, 226), dice.whole(24, 40)
    body = mix(style.wall, style.accent, dice.whole(0, 40))
    if shape == 0:
        wall(scene, 256 - half, BASE - tall * 0.9, 256 + half, BASE, body)
        windows(
            scene,
            256 - half + 2,
            BASE - tall * 0.88,
            256 + half - 2,
            BASE - 16,
            dice.whole(3, 6),
            dice.whole(11, 18),
        )
        canvas.poly(
            [
                (256 - half, BASE - tall * 0.9),
                (256 + dice.whole(-half, half), BASE - tall),
                (256 + half, BASE - tall * 0.9),
            ],
            style.roof,
        )
    elif shape == 1:
        canvas.poly([(244, BASE), (251, BASE - tall), (261, BASE - tall), (268, BASE)], STEEL)
        for side in (-1, 1):
            canvas.poly(
                [(256 + side * 44, BASE), (256 + side * 5, BASE - tall * 0.5), (256 + side * 34, BASE)], body
            )
        for ball in range(dice.whole(1, 3)):
            radius, y = 24 - ball * 7, BASE - tall * (0.42 + ball * 0.22)
            canvas.oval(256 - radius, y - radius, 256 + radius, y + radius, style.accent)
            for pane in range(-2, 3):
                x = 256 + pane * radius / 3
                canvas.rect(x - 2, y - 3, x + 2, y + 3, LAMP if scene.night else WHITE, glow=scene.night)
        canvas.line([(256, BASE - tall), (256, BASE - tall - 22)], RED, 2)
    elif shape == 2:
        spread, levels = half * 1.7, dice.whole(6, 9)
        at = [
            (spread * (1 - level / levels) ** 1.7 + 3, BASE - tall * level / levels)
            for level in range(levels + 1)
        ]
        for (low, y0), (high, y1) in pairwise(at):
            for one, other in ((-low, -high), (low, high), (-low, high), (low, -high), (-high, high)):
                canvas.line([(256 + one, y0), (256 + other, y1)], darker(style.accent, 24), 2.2)
        for level in (2, levels - 2):
            reach, y = at[level][0] + 8, at[level][1]
            canvas.rect(256 - reach, y - 9, 256 + reach, y + 2, style.trim)
            windows(scene, 256 - reach + 2, y - 8, 256 + reach - 2, y + 1, 6, 1)
    else:
        foot = float(BASE)
        for tier in range(dice.whole(3, 5)):
            reach, high = half * (1.35 - tier * 0.3), tall * (0.46 - tier * 0.1)
            wall(scene, 256 - reach, foot - high, 256 + reach, foot, lighter(body, tier * 5))
            windows(
                scene,
                256 - reach + 2,
                foot - high + 3,
                256 + reach - 2,
                foot - 3,
                max(2, round(reach / 8)),
                max(1, round(high / 14)),
            )
            canvas.rect(256 - reach - 2, foot - high - 4, 256 + reach + 2, foot - high, style.trim)
            foot -= high + 4
        canvas.poly([(248, foot), (256, foot - 34), (264, foot)], style.roof)
    reach = half + dice.whole(24, 60)
    wall(scene, 256 - reach, BASE - 26, 256 + reach, BASE, style.wall)
    windows(scene, 256 - reach + 3, BASE - 23, 256 + reach - 3, BASE - 1, dice.whole(6, 10), 1)


def library(scene: Composition) -> None:
    """A long hall of arches with book spines above the cornice."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, tall, bays = dice.whole(106, 146), dice.whole(84, 116), dice.whole(5, 9)
    wall(scene, 256 - half, BASE - tall, 256 + half, BASE, style.wall)
    windows(scene, 256 - half + 4, BASE - tall + 26, 256 + half - 4, BASE - 10, bays, 1, arched=True)
    x = 256.0 - half + 3
    while x < 256 + half - 9:
        wide, high = dice.whole(4, 9), dice.whole(12, 19)
        canvas.rect(
            x,
            BASE - tall + 22 - high,
            x + wide,
            BASE - tall + 22,
            hsv(dice.whole(0, 359), dice.whole(30, 70), dice.whole(50, 85)),
        )
        x += wide + 0.6
    canvas.rect(256 - half - 6, BASE - tall - 9, 256 + half + 6, BASE - tall + 2, style.trim)
    emblem(scene, 256, BASE - tall - 22, 13, "square")
    door(scene, 256, BASE, 28, 50, WOOD)
    steps(scene, 206, 306, BASE - 4, BASE + 10, 3)
    for side in (-1, 1):
        x = 256 + side * 74
        canvas.rect(x - 13, BASE - 12, x + 13, BASE + 6, STONE)
        canvas.slice(x - 13, BASE - 30, x + 13, BASE + 6, 180, 360, lighter(STONE, 30))
        canvas.oval(x + side * 6 - 6, BASE - 38, x + side * 6 + 6, BASE - 26, lighter(STONE, 30))


def university(scene: Composition) -> None:
    """Brick wings beside a clock tower."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x, tall = dice.whole(206, 306), dice.whole(70, 92)
    brick = mix((164, 82, 62), style.wall, dice.whole(0, 60))
    wall(scene, 100, BASE - tall, 412, BASE, brick)
    canvas.poly(
        [(94, BASE - tall), (112, BASE - tall - 26), (400, BASE - tall - 26), (418, BASE - tall)], style.roof
    )
    for gable in range(dice.whole(2, 4)):
        a = 130 + gable * 78
        canvas.poly([(a - 20, BASE - tall), (a, BASE - tall - 34), (a + 20, BASE - tall)], brick)
        canvas.oval(a - 6, BASE - tall - 17, a + 6, BASE - tall - 5, style.trim)
    windows(
        scene,
        104,
        BASE - tall + 4,
        408,
        BASE - 6,
        dice.whole(9, 13),
        dice.whole(2, 3),
        arched=dice.chance(40),
    )
    high = tall + dice.whole(44, 74)
    wall(scene, x - 22, BASE - high, x + 22, BASE, lighter(brick, 12))
    canvas.oval(x - 14, BASE - high + 8, x + 14, BASE - high + 36, WHITE)
    canvas.line([(x, BASE - high + 22), (x + dice.whole(-9, 9), BASE - high + 13)], INK, 1.6)
    canvas.line([(x, BASE - high + 22), (x + dice.whole(-6, 6), BASE - high + 27)], INK, 2)
    canvas.poly(
        [(x - 26, BASE - high), (x, BASE - high - dice.whole(22, 52)), (x + 26, BASE - high)], style.roof
    )
    windows(scene, x - 16, BASE - high + 42, x + 16, BASE - 44, 2, 3, arched=True)
    door(scene, x, BASE, 22, 36, WOOD)
    flag(scene, x, BASE - high - 20, 28)


def theatre(scene: Composition) -> None:
    """A front with a marquee of bulbs between posters."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, tall = dice.whole(88, 122), dice.whole(118, 162)
    top = BASE - tall
    wall(scene, 256 - half, top, 256 + half, BASE, style.wall)
    if dice.chance(50):
        canvas.slice(256 - half, top - 44, 256 + half, top + 44, 180, 360, style.roof)
    else:
        canvas.poly([(256 - half - 5, top), (256, top - 42), (256 + half + 5, top)], style.roof)
    emblem(scene, 256, top - 14, 14)
    windows(scene, 256 - half + 10, top + 8, 256 + half - 10, BASE - 76, dice.whole(3, 7), 1, arched=True)
    columns(scene, 256 - half + 4, top + 4, 256 + half - 4, BASE - 70, dice.whole(4, 8), style.trim)
    canvas.poly(
        [
            (256 - half + 6, BASE - 70),
            (256 + half - 6, BASE - 70),
            (256 + half + 14, BASE - 46),
            (256 - half - 14, BASE - 46),
        ],
        style.accent,
    )
    for bulb in range(24):
        x = 256 - half - 8 + bulb * (2 * half + 16) / 23
        canvas.oval(x - 3, BASE - 49, x + 3, BASE - 43, dice.pick((LAMP, WHITE, GOLD)), glow=True)
    for number in range(3):
        door(scene, 256 + (number - 1) * 34, BASE, 24, 38, RED)
    for side in (-1, 1):
        banner(scene, 256 + side * (half - 18) - 11, BASE - 40, 22, 36)
    steps(scene, 256 - half, 256 + half, BASE - 2, BASE + 8, 2)
