"""Places under the open sky: lakes, parks, gardens, mountains, zoos."""

from __future__ import annotations

import math

from planspec.families.veritrip.pictures.colours import (
    GLASS,
    INK,
    RED,
    STONE,
    WATER,
    WHITE,
    WOOD,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.parts import (
    banner,
    boat,
    columns,
    door,
    pavilion,
    wall,
    water,
    windows,
)
from planspec.families.veritrip.pictures.scenery import BASE, HORIZON, Composition, lamp, tree


def lake(scene: Composition) -> None:
    """Water between hills, with boats, islands, lotus and a pavilion."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    for hill in range(dice.whole(2, 5)):
        x, half, tall = dice.whole(20, 490), dice.whole(70, 150), dice.whole(26, 84)
        tone = mix(mix(scene.season.leaves[hill % 2], (84, 110, 110), 50), canvas.hour.low, 34)
        canvas.slice(x - half, HORIZON - tall, x + half, HORIZON + tall, 180, 360, tone)
    water(scene, HORIZON)
    shore = dice.pick((-1, 1))
    x, reach = 256 + shore * dice.whole(50, 120), dice.whole(60, 96)
    canvas.oval(x - reach, HORIZON - 2, x + reach, HORIZON + 26, scene.season.ground)
    pavilion(scene, x, HORIZON + 14, dice.whole(24, 40))
    for _ in range(dice.whole(2, 5)):
        tree(scene, x + dice.whole(-reach + 10, reach - 10), HORIZON + 16, dice.whole(34, 60), dice)
    if dice.chance(45):
        side = 256 - shore * dice.whole(60, 130)
        for arch in range(dice.whole(3, 6)):
            a = side - 66 + arch * 26
            canvas.rect(a, HORIZON + 4, a + 26, HORIZON + 20, STONE)
            canvas.slice(a + 4, HORIZON + 9, a + 22, HORIZON + 34, 180, 360, darker(WATER, 40))
    for _ in range(dice.whole(2, 5)):
        boat(scene, dice.whole(70, 440), dice.whole(HORIZON + 34, BASE + 30), dice.whole(15, 27))
    for _ in range(dice.whole(6, 18)):
        a, b = dice.whole(60, 440), dice.whole(BASE + 20, BASE + 42)
        canvas.oval(a, b, a + 15, b + 6, (86, 146, 92))
        if dice.chance(50):
            canvas.poly([(a + 3, b), (a + 7, b - 9), (a + 11, b)], (238, 150, 176))
    if dice.chance(60):
        canvas.rect(
            256 - shore * 190 - 40, BASE + 14, 256 - shore * 190 + 40, BASE + 22, mix(WOOD, style.wall, 20)
        )


def _flowers(scene: Composition, x0: int, x1: int, y0: int, y1: int, count: int) -> None:
    dice = scene.dice
    hues = (dice.whole(0, 359), dice.whole(0, 359), dice.whole(0, 359))
    for _ in range(count):
        x, y, r = dice.whole(x0, x1), dice.whole(y0, y1), dice.whole(2, 4)
        scene.canvas.oval(x - r, y - r, x + r, y + r, hsv(dice.pick(hues), dice.whole(40, 80), 90))


def park(scene: Composition) -> None:
    """Lawns with a winding path, trees, beds, benches, and a bandstand, fountain or pond."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    for _ in range(dice.whole(7, 11)):
        tree(scene, dice.whole(70, 440), HORIZON + dice.whole(4, 20), dice.whole(46, 90), dice)
    end, bend, foot = dice.whole(180, 330), dice.whole(120, 390), dice.whole(140, 370)
    path = mix(STONE, (226, 204, 160), 60)
    canvas.poly([(end - 5, HORIZON + 14), (end + 5, HORIZON + 14), (bend + 20, BASE), (foot + 50, BASE + 52),
                 (foot - 40, BASE + 52), (bend - 20, BASE)], path)  # fmt: skip
    match dice.whole(0, 3):
        case 0:
            pavilion(scene, dice.whole(190, 320), BASE - 6, dice.whole(36, 52))
        case 1:
            x = dice.whole(190, 320)
            canvas.oval(x - 54, BASE - 14, x + 54, BASE + 16, STONE)
            canvas.oval(x - 47, BASE - 11, x + 47, BASE + 11, WATER)
            columns(scene, x - 7, BASE - 50, x + 7, BASE + 2, 1, STONE)
            canvas.oval(x - 26, BASE - 56, x + 26, BASE - 42, STONE)
            for jet in range(-4, 5):
                canvas.line(
                    [(x, BASE - 84), (x + jet * 6, BASE - 70), (x + jet * 10, BASE - 2)],
                    lighter(GLASS, 60),
                    1.5,
                )
        case 2:
            x, reach = dice.whole(180, 330), dice.whole(70, 110)
            canvas.oval(x - reach, BASE - 20, x + reach, BASE + 26, WATER)
            for _ in range(12):
                a, b = x + dice.whole(-reach // 2, reach // 2), BASE + dice.whole(-10, 16)
                canvas.line([(a, b), (a + 12, b)], lighter(WATER, 50), 1.2)
            for _ in range(dice.whole(3, 6)):
                a, b = x + dice.whole(-reach // 2, reach // 2), BASE + dice.whole(-8, 12)
                canvas.oval(a, b, a + 13, b + 7, WHITE)
                canvas.line([(a + 11, b + 2), (a + 14, b - 6), (a + 18, b - 5)], WHITE, 2)
        case _:
            x = dice.whole(190, 320)
            canvas.line(
                [(x - 46, BASE + 6), (x - 30, BASE - 66), (x + 40, BASE - 66), (x + 56, BASE + 6)],
                style.accent,
                3,
            )
            for swing in (-12, 18):
                canvas.line([(x + swing, BASE - 66), (x + swing + 4, BASE - 12)], INK, 1)
                canvas.rect(x + swing - 4, BASE - 14, x + swing + 13, BASE - 9, RED)
    for _ in range(dice.whole(2, 4)):
        x, y = dice.whole(80, 410), BASE + dice.whole(4, 30)
        canvas.rect(x, y - 12, x + 34, y - 6, WOOD)
        canvas.rect(x - 2, y - 3, x + 36, y + 1, WOOD)
        canvas.line([(x + 2, y - 12), (x + 2, y + 8)], INK, 1.6)
        canvas.line([(x + 32, y - 12), (x + 32, y + 8)], INK, 1.6)
    _flowers(scene, 70, 200, BASE + 16, BASE + 40, 34)
    _flowers(scene, 310, 440, BASE - 6, BASE + 14, 34)
    lamp(scene, dice.whole(110, 400), BASE + 10, 60)


def garden(scene: Composition) -> None:
    """A wall with a round gate, rocks, beds and a pavilion or a glasshouse."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    for _ in range(6):
        tree(scene, dice.whole(80, 430), BASE - 24, dice.whole(60, 100), dice)
    if dice.chance(50):
        x, half = dice.whole(200, 310), dice.whole(64, 92)
        canvas.slice(x - half, BASE - half - 20, x + half, BASE + half - 60, 180, 360, mix(GLASS, WHITE, 50))
        canvas.rect(x - half, BASE - 40, x + half, BASE, mix(GLASS, scene.season.leaves[1], 40))
        for rib in range(-4, 5):
            canvas.line(
                [
                    (x + rib * half / 4.5, BASE),
                    (x + rib * half / 4.5, BASE - 40),
                    (x + rib * 4, BASE - half - 18),
                ],
                WHITE,
                1.4,
            )
        windows(scene, x - half + 2, BASE - 38, x + half - 2, BASE - 4, dice.whole(6, 9), 1)
        door(scene, x, BASE, 24, 34, style.accent)
    else:
        wall(scene, 96, BASE - 62, 416, BASE - 4, mix(WHITE, style.wall, 20))
        canvas.line([(92, BASE - 64), (420, BASE - 64)], style.roof, 6)
        x = dice.whole(150, 250)
        canvas.oval(x - 30, BASE - 62, x + 30, BASE - 2, style.trim)
        canvas.oval(x - 26, BASE - 58, x + 26, BASE - 6, scene.season.leaves[1])
        windows(scene, x + 44, BASE - 50, 410, BASE - 24, dice.whole(2, 5), 1)
        pavilion(scene, dice.whole(310, 370), BASE - 8, dice.whole(26, 40))
    for _ in range(dice.whole(4, 8)):
        x, tall = dice.whole(90, 420), dice.whole(16, 46)
        stone = mix(STONE, (120, 124, 130), dice.whole(10, 70))
        canvas.poly(
            [
                (x - 18, BASE + 12),
                (x - 12, BASE - tall / 2),
                (x - 4, BASE + 4 - tall),
                (x + 8, BASE + 9 - tall),
                (x + 12, BASE - tall / 3),
                (x + 20, BASE + 12),
            ],
            stone,
        )
        canvas.oval(x - 5, BASE - tall / 3, x + 3, BASE - tall / 3 + 7, darker(stone, 40))
    for bed in range(3):
        _flowers(scene, 100 + bed * 110, 190 + bed * 110, BASE + 16, BASE + 42, 26)


def mountain(scene: Composition) -> None:
    """Peaks with stairs, pines and a pavilion on the way."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    for peak in range(dice.whole(3, 5)):
        x, tall, half = dice.whole(90, 420), dice.whole(92, 200), dice.whole(70, 120)
        rock = mix(mix(STONE, scene.season.leaves[1], 30 + peak * 9), style.wall, 16)
        lean = dice.whole(-20, 20)
        canvas.poly(
            [
                (x - half, BASE),
                (x - half * 0.4, BASE - tall * 0.62),
                (x + lean, BASE - tall),
                (x + half * 0.5, BASE - tall * 0.5),
                (x + half, BASE),
            ],
            rock,
        )
        canvas.poly(
            [
                (x + lean, BASE - tall),
                (x + half * 0.5, BASE - tall * 0.5),
                (x + half, BASE),
                (x + half * 0.2, BASE),
            ],
            darker(rock, 18),
            outline=False,
        )
        for _ in range(9):
            a, b = x + dice.whole(-half // 2, half // 2), BASE - dice.whole(4, round(tall * 0.6))
            canvas.line([(a, b), (a + 5, b - 12), (a + 12, b - 16)], darker(rock, 40), 1.4)
        for _ in range(5):
            tree(
                scene,
                x + dice.whole(-half // 2, half // 2),
                BASE - dice.whole(0, tall // 2),
                dice.whole(18, 34),
                dice,
            )
    x, swing = dice.whole(190, 320), dice.whole(14, 34)
    for stair in range(24):
        middle, wide = x + swing * math.sin(stair / 4), 20 - stair * 0.6
        canvas.rect(
            middle - wide, BASE + 8 - stair * 5, middle + wide, BASE + 12 - stair * 5, lighter(STONE, 24)
        )
    pavilion(scene, x + dice.whole(-20, 20), BASE - 112, dice.whole(18, 28))


def zoo(scene: Composition) -> None:
    """A giraffe, an elephant or a panda behind a fence, and a gate."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    for _ in range(6):
        tree(scene, dice.whole(80, 430), BASE - 18, dice.whole(50, 96), dice)
    order = [dice.whole(0, 2) for _ in range(3)]
    for number, animal in enumerate(order):
        x, foot, s = 150 + number * 106 + dice.whole(-16, 16), BASE + 2, dice.whole(80, 112) / 100
        coat = ((226, 178, 92), (146, 150, 160), WHITE)[animal]
        for leg in (-20, -10, 12, 22):
            canvas.rect(
                x + leg * s - 4,
                foot - 34 * s,
                x + leg * s + 4,
                foot,
                INK if animal == 2 else darker(coat, 10),
            )
        canvas.oval(x - 32 * s, foot - 62 * s, x + 32 * s, foot - 20 * s, coat)
        if animal == 0:
            canvas.poly(
                [
                    (x + 14 * s, foot - 50 * s),
                    (x + 36 * s, foot - 122 * s),
                    (x + 48 * s, foot - 120 * s),
                    (x + 30 * s, foot - 38 * s),
                ],
                coat,
            )
            canvas.oval(x + 34 * s, foot - 134 * s, x + 64 * s, foot - 116 * s, coat)
            for _ in range(14):
                a, b = x + dice.whole(-24, 20) * s, foot - dice.whole(28, 54) * s
                canvas.oval(a, b, a + 7, b + 6, (150, 92, 44))
        else:
            canvas.oval(x + 18 * s, foot - 84 * s, x + 58 * s, foot - 44 * s, coat)
            patch = INK if animal == 2 else darker(coat, 20)
            canvas.oval(x + 18 * s, foot - 90 * s, x + 32 * s, foot - 72 * s, patch)
            canvas.oval(x + 42 * s, foot - 90 * s, x + 56 * s, foot - 72 * s, patch)
            canvas.oval(x + 44 * s, foot - 70 * s, x + 51 * s, foot - 62 * s, INK)
            if animal == 1:
                canvas.line(
                    [(x + 50 * s, foot - 58 * s), (x + 62 * s, foot - 36 * s), (x + 58 * s, foot - 14 * s)],
                    coat,
                    6 * s,
                )
    for post in range(30):
        x = 84 + post * 12
        canvas.line([(x, BASE + 18), (x, BASE - dice.whole(12, 18))], WOOD, 2)
    canvas.line([(80, BASE + 2), (436, BASE + 2)], WOOD, 2)
    banner(scene, dice.whole(110, 390), BASE - 60, 20, 44)
    _flowers(scene, 90, 420, BASE + 24, BASE + 42, 30)
    canvas.rect(88, BASE - 8, 112, BASE + 20, style.accent)
