"""Bridges, harbours and fairs."""

from __future__ import annotations

import math

from planspec.families.veritrip.pictures.colours import (
    GLASS,
    GOLD,
    INK,
    LAMP,
    RED,
    STEEL,
    STONE,
    WATER,
    WHITE,
    WOOD,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.parts import boat, flag, pavilion, steps, wall, water, windows
from planspec.families.veritrip.pictures.scenery import BASE, HORIZON, Composition


def bridge(scene: Composition) -> None:
    """A bridge of arches, cables or trusses over water."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    water(scene, HORIZON)
    deck, shape = HORIZON - dice.whole(4, 22), dice.whole(0, 2)
    body = mix(STONE, style.wall, 60)
    if shape == 0:
        spans, crown = dice.pick((1, 3, 5, 7)), dice.whole(20, 52)
        at = [(56 + 400 * step / 20, deck + 24 - crown * math.sin(math.pi * step / 20)) for step in range(21)]
        canvas.poly([*at, (456, HORIZON + 34), (56, HORIZON + 34)], body)
        for span in range(spans):
            x, half = 56 + 400 * (span + 0.5) / spans, 170 / spans
            rise = crown * math.sin(math.pi * (span + 0.5) / spans) + 20
            canvas.slice(
                x - half - 4, HORIZON + 32 - rise, x + half + 4, HORIZON + 36 + rise, 180, 360, style.trim
            )
            canvas.slice(
                x - half, HORIZON + 36 - rise, x + half, HORIZON + 36 + rise, 180, 360, darker(WATER, 44)
            )
        for _ in range(60):
            x, y = dice.whole(70, 430), dice.whole(round(deck) + 16, HORIZON + 12)
            canvas.rect(x, y, x + dice.whole(6, 12), y + 4, darker(body, dice.whole(6, 24)), outline=False)
        for a, b in at:
            canvas.rect(a - 3, b - 13, a + 3, b + 2, lighter(body, 30))
        canvas.line([(a, b - 9) for a, b in at], lighter(body, 30), 2)
        if dice.chance(35):
            pavilion(scene, 256, at[10][1], 24)
    else:
        tall, gap = dice.whole(92, 138), dice.whole(96, 130)
        paint = dice.pick((RED, STEEL, body, style.accent))
        canvas.rect(-40, deck, 552, deck + 11, darker(paint, 20))
        for truss in range(40):
            x = -40 + truss * 15
            canvas.line([(x, deck + 11), (x + 8, deck + 1), (x + 15, deck + 11)], lighter(paint, 40), 1.2)
        for side in (-1, 1):
            x = 256 + side * gap
            wall(scene, x - 13, deck - tall, x + 13, HORIZON + 40, mix(paint, body, 40))
            canvas.arch(x - 7, deck - tall + 14, x + 7, deck - 6, canvas.hour.low, glow=True)
            for stay in range(1, 10):
                for way in (-1, 1):
                    top = deck - tall + 6 + (stay * 5 if shape == 1 else 0)
                    canvas.line([(x, top), (x + way * stay * gap / 9.5, deck)], lighter(paint, 30), 1)
            canvas.rect(x - 16, deck - tall - 6, x + 16, deck - tall, style.trim)
            flag(scene, x, deck - tall - 6, 24)
    for car in range(dice.whole(2, 6) if shape else 0):
        x = 80 + car * 66 + dice.whole(0, 30)
        canvas.rect(x, deck - 10, x + dice.whole(16, 30), deck, hsv(dice.whole(0, 359), 60, 84))
    for _ in range(dice.whole(2, 4)):
        boat(scene, dice.whole(90, 420), dice.whole(BASE + 4, BASE + 34), dice.whole(14, 27))


def port(scene: Composition) -> None:
    """A quay with a ship, and a crane, sheds or a lighthouse."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    water(scene, HORIZON)
    for shed in range(dice.whole(2, 4)):
        x, tall = 90 + shed * 84, dice.whole(38, 66)
        wall(
            scene,
            x,
            HORIZON + 6 - tall,
            x + 74,
            HORIZON + 6,
            mix(style.wall, hsv(dice.whole(0, 359), 40, 76), 50),
        )
        canvas.poly(
            [(x - 4, HORIZON + 6 - tall), (x + 37, HORIZON - 14 - tall), (x + 78, HORIZON + 6 - tall)],
            style.roof,
        )
        windows(scene, x + 4, HORIZON + 12 - tall, x + 70, HORIZON + 2, dice.whole(3, 5), 1)
    x, tall = dice.pick((104, 398)), dice.whole(110, 150)
    if dice.chance(50):
        for band in range(6):
            low, up = 17 - band * 1.3, 17 - (band + 1) * 1.3
            y0, y1 = HORIZON + 14 - tall * band / 6, HORIZON + 14 - tall * (band + 1) / 6
            canvas.poly(
                [(x - low, y0), (x - up, y1), (x + up, y1), (x + low, y0)],
                WHITE if band % 2 else style.accent,
            )
        canvas.rect(x - 9, HORIZON - tall - 2, x + 9, HORIZON + 14 - tall, LAMP, glow=True)
        canvas.slice(x - 11, HORIZON - tall - 14, x + 11, HORIZON - tall + 10, 180, 360, RED)
    else:
        way = 1 if x < 256 else -1
        canvas.line([(x, HORIZON + 14), (x, HORIZON - tall)], GOLD, 5)
        canvas.line([(x - way * 30, HORIZON - tall + 12), (x + way * 120, HORIZON - tall - 8)], GOLD, 4)
        canvas.line([(x + way * 96, HORIZON - tall - 4), (x + way * 96, HORIZON - 60)], INK, 1)
        canvas.rect(x + way * 96 - 12, HORIZON - 60, x + way * 96 + 12, HORIZON - 44, RED)
    canvas.rect(-60, HORIZON + 6, 572, HORIZON + 16, STONE)
    a, hull = dice.whole(90, 150), dice.pick((INK, RED, style.accent, (50, 84, 130)))
    length, y = dice.whole(190, 260), BASE + 8
    if dice.chance(50):
        for deck in range(dice.whole(2, 4)):
            canvas.rect(
                a + 22 + deck * 16, y - 34 - deck * 15, a + length - 26 - deck * 10, y - 18 - deck * 15, WHITE
            )
            windows(
                scene,
                a + 24 + deck * 16,
                y - 33 - deck * 15,
                a + length - 30 - deck * 10,
                y - 19 - deck * 15,
                9,
                1,
            )
        canvas.rect(a + length // 2, y - 104, a + length // 2 + 22, y - 64, style.accent)
    else:
        for mast in range(3):
            m, high = a + length * (mast + 1) / 4, dice.whole(104, 140)
            canvas.line([(m, y - 16), (m, y - high)], WOOD, 2.6)
            for sail in range(3):
                wide = 27 - sail * 6
                canvas.poly(
                    [
                        (m - wide, y - 40 - sail * 26),
                        (m - wide + 4, y - 62 - sail * 26),
                        (m + wide - 4, y - 62 - sail * 26),
                        (m + wide, y - 40 - sail * 26),
                    ],
                    lighter(style.trim, 50),
                )
            canvas.line([(m, y - high), (a + length + 16, y - 20)], INK, 0.8)
    canvas.poly(
        [(a - 8, y - 20), (a + length + 16, y - 24), (a + length - 16, y + 14), (a + 18, y + 14)], hull
    )
    for port_hole in range(11):
        m = a + 22 + port_hole * (length - 40) / 11
        canvas.oval(m, y - 8, m + 6, y - 2, LAMP if scene.night else WHITE, glow=scene.night)
    boat(scene, dice.whole(80, 420), BASE + 38, dice.whole(14, 22))
    steps(scene, 236, 276, HORIZON + 8, HORIZON + 24, 2)


def fair(scene: Composition) -> None:
    """A wheel, tents, a castle or a track of rails, and balloons."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x, radius, cars = dice.whole(150, 350), dice.whole(68, 92), dice.whole(9, 16)
    y = BASE - radius - 22
    for side in (-1, 1):
        canvas.line([(x, y), (x + side * radius * 0.6, BASE)], darker(style.roof), 4)
    for reach in (radius, radius - 8, radius / 3):
        canvas.ring(x - reach, y - reach, x + reach, y + reach, style.accent, 2)
    for car in range(cars):
        angle = 2 * math.pi * car / cars
        a, b = x + radius * math.cos(angle), y + radius * math.sin(angle)
        canvas.line([(x, y), (a, b)], style.accent, 1.2)
        canvas.slice(a - 8, b - 6, a + 8, b + 10, 180, 360, hsv(dice.whole(0, 359), 70, 90))
        canvas.rect(a - 7, b + 3, a + 7, b + 10, dice.pick((WHITE, LAMP, GLASS)))
    side = -1 if x > 256 else 1
    if dice.chance(50):
        for spire in range(dice.whole(3, 5)):
            a, tall = x + side * (96 + spire * 26), dice.whole(54, 112)
            wall(scene, a - 12, BASE - tall, a + 12, BASE, style.wall)
            windows(scene, a - 8, BASE - tall + 6, a + 8, BASE - 20, 1, 2, arched=True)
            canvas.poly(
                [(a - 15, BASE - tall), (a, BASE - tall - dice.whole(28, 48)), (a + 15, BASE - tall)],
                hsv(dice.whole(180, 330), 56, 76),
            )
    else:
        track = [(x + side * (70 + step * 13), BASE - 40 - dice.whole(0, 80)) for step in range(10)]
        for a, b in track:
            canvas.line([(a, b), (a, BASE)], WHITE, 1.6)
        canvas.line(track, RED, 4)
    for tent in range(dice.whole(2, 3)):
        a, tall, colour = (
            110 + tent * 120 + dice.whole(0, 50),
            dice.whole(50, 74),
            hsv(dice.whole(0, 359), 66, 84),
        )
        for stripe in range(6):
            one, two = a - 34 + stripe * 68 / 6, a - 34 + (stripe + 1) * 68 / 6
            paint = WHITE if stripe % 2 else colour
            canvas.poly(
                [
                    (one, BASE + 16),
                    (one, BASE - tall / 2 + 12),
                    (two, BASE - tall / 2 + 12),
                    (two, BASE + 16),
                ],
                paint,
            )
            canvas.poly(
                [(one - 3, BASE - tall / 2 + 14), (a, BASE - tall + 10), (two + 3, BASE - tall / 2 + 14)],
                paint,
            )
        flag(scene, a, BASE - tall + 10, 18)
    for _ in range(dice.whole(6, 12)):
        a, b = dice.whole(100, 410), dice.whole(50, 160)
        canvas.line([(a, b + 8), (a - 2, b + 26)], INK, 0.7)
        canvas.oval(a - 6, b - 8, a + 6, b + 8, hsv(dice.whole(0, 359), 70, 92))
