"""Drawings of places where a town meets and travels: stations, streets, markets, squares, stadiums."""

from __future__ import annotations

from planspec.families.veritrip.pictures.colours import (
    GLASS,
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
from planspec.families.veritrip.pictures.parts import columns, door, emblem, steps, wall, windows
from planspec.families.veritrip.pictures.scenery import BASE, Composition, person


def station(scene: Composition) -> None:
    """A hall with a clock over arches; a train stands before it."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, tall = dice.whole(112, 152), dice.whole(70, 96)
    top = BASE - tall
    wall(scene, 256 - half, top, 256 + half, BASE, style.wall)
    windows(scene, 256 - half + 4, top + 8, 256 + half - 4, BASE - 8, dice.whole(7, 11), 1, arched=True)
    if dice.chance(50):
        canvas.slice(256 - half, top - 46, 256 + half, top + 46, 180, 360, mix(style.roof, GLASS, 50))
        for rib in range(-5, 6):
            canvas.line([(256 + rib * half / 6, top), (256 + rib * half / 7, top - 34)], WHITE, 1)
    else:
        canvas.poly(
            [
                (256 - half - 8, top),
                (256 - half + 24, top - 28),
                (256 + half - 24, top - 28),
                (256 + half + 8, top),
            ],
            style.roof,
        )
    x, high = 256 + dice.whole(-70, 70), tall + dice.whole(34, 62)
    wall(scene, x - 24, BASE - high, x + 24, BASE - tall + 12, lighter(style.wall, 16))
    canvas.oval(x - 17, BASE - high + 6, x + 17, BASE - high + 40, WHITE)
    canvas.line([(x, BASE - high + 23), (x + dice.whole(-11, 11), BASE - high + 12)], INK, 2)
    canvas.line([(x, BASE - high + 23), (x + dice.whole(-8, 8), BASE - high + 28)], INK, 2.4)
    canvas.poly([(x - 28, BASE - high), (x, BASE - high - 22), (x + 28, BASE - high)], style.roof)
    door(scene, 256, BASE, 40, 46, GLASS)
    paint, begin = hsv(dice.whole(0, 359), 60, 78), dice.whole(60, 120)
    for car in range(dice.whole(2, 4)):
        a = begin + car * 92
        canvas.rect(a, BASE + 4, a + 88, BASE + 32, mix(WHITE, paint, 14))
        canvas.rect(a, BASE + 22, a + 88, BASE + 27, paint, outline=False)
        windows(scene, a + 2, BASE + 5, a + 86, BASE + 21, 6, 1)
    canvas.poly(
        [(begin, BASE + 4), (begin - 30, BASE + 26), (begin - 26, BASE + 32), (begin, BASE + 32)], paint
    )
    canvas.line([(20, BASE + 36), (492, BASE + 36)], STEEL, 2)


def metro(scene: Composition) -> None:
    """Stairs to the underground beneath a glass roof, before house fronts."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    _fronts(scene, 96, 416, 78, 140)
    x, half = dice.whole(220, 292), dice.whole(52, 74)
    canvas.rect(x - half, BASE - 48, x + half, BASE + 20, mix(GLASS, WHITE, 40))
    canvas.poly(
        [
            (x - half + 8, BASE + 20),
            (x - half + 30, BASE - 36),
            (x + half - 30, BASE - 36),
            (x + half - 8, BASE + 20),
        ],
        darker(STONE, 60),
    )
    for stair in range(7):
        y = BASE - 32 + stair * 8
        reach = half - 29 + stair * 3
        canvas.line([(x - reach, y), (x + reach, y)], lighter(STONE, 20), 1.6)
    if dice.chance(50):
        canvas.slice(x - half - 10, BASE - 78, x + half + 10, BASE - 18, 180, 360, style.accent)
    else:
        canvas.poly(
            [
                (x - half - 12, BASE - 48),
                (x - half + 6, BASE - 68),
                (x + half + 18, BASE - 60),
                (x + half + 8, BASE - 46),
            ],
            style.accent,
        )
    post = x + dice.pick((-1, 1)) * (half + 24)
    canvas.line([(post, BASE + 20), (post, BASE - 70)], STEEL, 3)
    canvas.oval(post - 18, BASE - 100, post + 18, BASE - 64, style.accent)
    canvas.line(
        [
            (post - 9, BASE - 73),
            (post - 9, BASE - 91),
            (post, BASE - 80),
            (post + 9, BASE - 91),
            (post + 9, BASE - 73),
        ],
        WHITE,
        3,
    )


def airport(scene: Composition) -> None:
    """A terminal under a wave, a control tower and a plane."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x0, x1, waves = 96, 404, dice.whole(2, 5)
    canvas.rect(x0, BASE - 50, x1, BASE, mix(GLASS, style.wall, 30))
    windows(scene, x0 + 2, BASE - 46, x1 - 2, BASE - 2, dice.whole(12, 18), 2)
    for wave in range(waves):
        a, b = x0 + (x1 - x0) * wave / waves - 6, x0 + (x1 - x0) * (wave + 1) / waves + 6
        canvas.slice(a, BASE - 50 - dice.whole(20, 36), b, BASE - 30, 180, 360, lighter(style.roof, 20))
    x = dice.pick((130, 372))
    canvas.poly([(x - 9, BASE - 30), (x - 6, BASE - 150), (x + 6, BASE - 150), (x + 9, BASE - 30)], WHITE)
    canvas.poly(
        [(x - 22, BASE - 170), (x + 22, BASE - 170), (x + 14, BASE - 148), (x - 14, BASE - 148)], GLASS
    )
    canvas.rect(x - 24, BASE - 176, x + 24, BASE - 169, style.accent)
    a, b, tail = dice.whole(150, 250), BASE + 12, hsv(dice.whole(0, 359), 70, 76)
    canvas.oval(a, b - 14, a + 170, b + 14, WHITE)
    canvas.poly([(a + 132, b - 8), (a + 158, b - 46), (a + 174, b - 46), (a + 164, b - 4)], tail)
    canvas.poly([(a + 66, b), (a + 112, b + 4), (a + 134, b + 34), (a + 120, b + 34)], STEEL)
    for pane in range(14):
        canvas.oval(a + 26 + pane * 8, b - 7, a + 30 + pane * 8, b - 2, (70, 90, 120))
    canvas.rect(a + 20, b + 1, a + 150, b + 5, tail, outline=False)
    for _ in range(7):
        cargo = dice.whole(96, 410)
        canvas.rect(cargo, BASE + 34, cargo + dice.whole(8, 16), BASE + 44, hsv(dice.whole(0, 359), 60, 80))


def _fronts(scene: Composition, x0: float, x1: float, low: int, high: int) -> None:
    """A row of house fronts, each of its own height and colour."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x = x0
    while x < x1 - 20:
        wide, tall = min(dice.whole(38, 66), x1 - x), dice.whole(low, high)
        colour = mix(hsv(dice.whole(0, 359), dice.whole(16, 46), dice.whole(66, 92)), style.wall, 35)
        wall(scene, x, BASE - tall, x + wide, BASE, colour)
        windows(
            scene,
            x + 2,
            BASE - tall + 5,
            x + wide - 2,
            BASE - 30,
            max(2, round(wide / 18)),
            max(1, tall // 30),
            arched=dice.chance(25),
        )
        roof = dice.pick((style.roof, darker(colour, 40), (140, 74, 58)))
        if dice.chance(55):
            canvas.poly(
                [
                    (x - 2, BASE - tall),
                    (x + wide / 2, BASE - tall - dice.whole(12, 30)),
                    (x + wide + 2, BASE - tall),
                ],
                roof,
            )
        else:
            canvas.rect(x - 2, BASE - tall - 6, x + wide + 2, BASE - tall, roof)
        canvas.rect(x + 3, BASE - 26, x + wide - 3, BASE, darker(colour, 40))
        door(scene, x + wide * dice.pick((0.3, 0.7)), BASE, 12, 22, style.accent)
        canvas.poly(
            [(x + 1, BASE - 32), (x + wide - 1, BASE - 32), (x + wide + 3, BASE - 23), (x - 3, BASE - 23)],
            hsv(dice.whole(0, 359), 56, 80),
        )
        x += wide


def street(scene: Composition) -> None:
    """Two rows of fronts that run together, with strings of flags or lanterns."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    far = dice.whole(222, 290)
    canvas.poly(
        [(far - 16, BASE - 46), (far + 16, BASE - 46), (420, BASE + 50), (92, BASE + 50)], lighter(STONE, 20)
    )
    for side, edge in ((-1, 30), (1, 482)):
        for front in range(5, -1, -1):
            near, back = 0.82**front, 0.82 ** (front + 1)
            a, b = far + (edge - far) * near * 0.98, far + (edge - far) * back * 0.98
            high = dice.whole(104, 196)
            foot, rear = BASE - 40 + 66 * near, BASE - 40 + 66 * back
            colour = mix(hsv(dice.whole(0, 359), dice.whole(18, 48), dice.whole(64, 92)), style.wall, 30)
            canvas.poly([(a, foot), (a, foot - high * near), (b, rear - high * back), (b, rear)], colour)
            for row in range(3):
                for column in range(2):
                    part, depth = (column + 0.25) / 2, (column + 0.7) / 2
                    one, two = a + (b - a) * part, a + (b - a) * depth
                    up, grow = 0.36 + row * 0.21, near + (back - near) * part
                    level = foot + (rear - foot) * part
                    pane = (
                        dice.pick((LAMP, GLASS))
                        if scene.night
                        else mix(GLASS, style.accent, dice.whole(0, 50))
                    )
                    canvas.rect(
                        min(one, two),
                        level - high * grow * (up + 0.13),
                        max(one, two),
                        level - high * grow * up,
                        pane,
                        glow=scene.night,
                    )
            canvas.poly(
                [
                    (a, foot - 34 * near),
                    (b, rear - 34 * back),
                    (b - side * 5, rear - 24 * back),
                    (a - side * 12, foot - 24 * near),
                ],
                hsv(dice.whole(0, 359), 60, 82),
            )
    for rope in range(dice.whole(1, 3)):
        y, reach = BASE - 100 + rope * 34, 76 + rope * 24
        for pennant in range(11):
            x, sag = far - reach + pennant * reach / 5, 14 - abs(pennant - 5) * 2.6
            canvas.poly(
                [(x, y + sag), (x + 8, y + sag), (x + 4, y + sag + 10)],
                dice.pick((RED, GOLD, style.accent, WHITE)),
            )
    for _ in range(6):
        person(scene, far + dice.whole(-40, 40), BASE + dice.whole(-16, 16), dice.whole(18, 28), dice)


def market(scene: Composition) -> None:
    """Stalls with striped roofs and goods in heaps, before a hall."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    _fronts(scene, 110, 402, 90, 140)
    for stall in range(dice.whole(3, 4)):
        x, wide, y = 92 + stall * 88, dice.whole(66, 82), BASE - dice.whole(-8, 4)
        for post in (x + 3, x + wide - 3):
            canvas.line([(post, y + 20), (post, y - 44)], WOOD, 2.4)
        colour = hsv(dice.whole(0, 359), 62, 82)
        for stripe in range(6):
            a, b = x + wide * stripe / 6, x + wide * (stripe + 1) / 6
            canvas.poly(
                [(a + 4, y - 60), (b + 4, y - 60), (b, y - 38), (a, y - 38)], WHITE if stripe % 2 else colour
            )
        canvas.rect(x, y - 6, x + wide, y + 20, mix(WOOD, style.wall, 30))
        for _ in range(20):
            a, b = x + dice.whole(3, wide - 8), y - dice.whole(4, 16)
            canvas.oval(a, b, a + 7, b + 7, hsv(dice.whole(-20, 130), 70, 86))
        person(scene, x + wide / 2, y - 4, 34, dice)


def square(scene: Composition) -> None:
    """An open place with a monument or a fountain between house fronts."""
    canvas, dice = scene.canvas, scene.dice
    _fronts(scene, 84, 206, 60, 128)
    _fronts(scene, 306, 430, 60, 128)
    canvas.oval(186, BASE - 6, 326, BASE + 34, lighter(STONE, 26))
    if dice.chance(50):
        steps(scene, 232, 280, BASE - 12, BASE + 12, 3)
        canvas.rect(242, BASE - 62, 270, BASE - 12, STONE)
        emblem(scene, 256, BASE - 36, 11, "square")
        person(scene, 256, BASE - 62, dice.whole(44, 66), dice)
    else:
        canvas.oval(206, BASE - 4, 306, BASE + 22, (112, 170, 200))
        columns(scene, 250, BASE - 44, 262, BASE + 8, 1, STONE)
        canvas.oval(230, BASE - 50, 282, BASE - 36, STONE)
        for jet in range(-4, 5):
            canvas.line(
                [(256, BASE - 66), (256 + jet * 6, BASE - 56), (256 + jet * 9, BASE + 4)],
                lighter(GLASS, 50),
                1.4,
            )
    for _ in range(16):
        x, y = dice.whole(120, 392), dice.whole(BASE + 6, BASE + 40)
        canvas.poly([(x, y), (x + 6, y - 3), (x + 9, y - 1), (x + 6, y + 2)], dice.pick((STEEL, WHITE, INK)))


def stadium(scene: Composition) -> None:
    """A bowl with its own web of beams, floodlights and the crowd inside."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, tall = dice.whole(134, 164), dice.whole(76, 110)
    for side in (-1, 1):
        x = 256 + side * (half - 14)
        canvas.line([(x, BASE), (x, BASE - tall - 60)], STEEL, 3)
        canvas.rect(x - 19, BASE - tall - 78, x + 19, BASE - tall - 58, WHITE, glow=scene.night)
        windows(scene, x - 18, BASE - tall - 77, x + 18, BASE - tall - 59, 5, 2)
    canvas.slice(256 - half, BASE - tall - 30, 256 + half, BASE + 40, 150, 390, mix(style.wall, STEEL, 30))
    canvas.rect(256 - half, BASE - tall / 2, 256 + half, BASE, mix(style.wall, STEEL, 30))
    for _ in range(dice.whole(24, 44)):
        x, lean = dice.whole(256 - half, 256 + half), dice.whole(-50, 50)
        end = min(256.0 + half, max(256.0 - half, x + lean))
        canvas.line([(x, BASE), (end, BASE - tall * 0.62)], dice.pick((WHITE, style.accent, style.roof)), 2)
    canvas.oval(256 - half, BASE - tall - 26, 256 + half, BASE - tall + 40, style.trim)
    canvas.oval(256 - half + 20, BASE - tall - 16, 256 + half - 20, BASE - tall + 32, (96, 150, 86))
    for _ in range(110):
        x, y = dice.whole(256 - half + 12, 256 + half - 16), dice.whole(BASE - tall - 20, BASE - tall + 6)
        canvas.oval(x, y, x + 4, y + 4, hsv(dice.whole(0, 359), 60, 90), outline=False)
    for arch in range(7):
        door(scene, 256 + (arch - 3) * half / 4, BASE, 18, 26, (60, 54, 64))
