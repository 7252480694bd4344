"""Buildings of old: palaces, pagodas, churches, gates, walls, houses."""

from __future__ import annotations

from itertools import pairwise

from planspec.families.veritrip.facts import Attraction
from planspec.families.veritrip.pictures.colours import (
    GOLD,
    LAMP,
    RED,
    STONE,
    WHITE,
    WOOD,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.parts import columns, door, eaves, emblem, steps, wall, windows
from planspec.families.veritrip.pictures.scenery import BASE, Composition


def palace(scene: Composition) -> None:
    """A hall of red columns on terraces under one or two roofs."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, storeys = dice.whole(86, 138), dice.whole(1, 3)
    tiles = dice.pick((GOLD, (66, 120, 96), (86, 94, 104), style.roof))
    for terrace in range(3):
        y, reach = BASE - 22 + terrace * 9, half + 14 + terrace * 12
        canvas.rect(256 - reach, y, 256 + reach, y + 9, lighter(STONE, 40))
        for post in range(-9, 10):
            x = 256 + post * reach / 9
            canvas.rect(x - 2, y - 7, x + 2, y, WHITE)
    canvas.poly(
        [(236, BASE - 22), (276, BASE - 22), (286, BASE + 8), (226, BASE + 8)], mix(STONE, style.accent, 30)
    )
    foot = BASE - 22.0
    for storey in range(storeys):
        reach, tall = half - storey * 26, 44 - storey * 9
        wall(scene, 256 - reach, foot - tall, 256 + reach, foot, mix(RED, style.wall, 30))
        bays = 2 * dice.whole(3, 5) + 1
        windows(scene, 256 - reach + 3, foot - tall + 8, 256 + reach - 3, foot - 2, bays, 1)
        columns(scene, 256 - reach, foot - tall + 4, 256 + reach, foot, bays + 1, RED)
        canvas.rect(
            256 - reach, foot - tall, 256 + reach, foot - tall + 8, mix((40, 90, 130), style.accent, 40)
        )
        for bracket in range(bays * 2):
            x = 256 - reach + (bracket + 0.5) * reach / bays
            canvas.rect(
                x - 3,
                foot - tall + 1,
                x + 3,
                foot - tall + 6,
                dice.pick((GOLD, style.accent, (70, 140, 110))),
                outline=False,
            )
        eaves(scene, 256 - reach, 256 + reach, foot - tall, 30 - storey * 3, tiles)
        foot -= tall + 22
    emblem(scene, 256, foot + 36, 9, "square")


def pagoda(scene: Composition) -> None:
    """A tower of many roofs beside a low hall."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    tiers, half = dice.whole(3, 8), dice.whole(30, 52)
    tiles = dice.pick(((86, 94, 104), (66, 110, 96), (150, 84, 60), GOLD, style.roof))
    centre, side = dice.whole(196, 316), dice.pick((-1, 1))
    x0, x1 = sorted((centre + side * (half + 10), centre + side * (half + 10 + dice.whole(80, 110))))
    wall(scene, x0, BASE - 40, x1, BASE, mix((206, 164, 70), style.wall, 50))
    windows(scene, x0 + 2, BASE - 34, x1 - 2, BASE - 4, dice.whole(3, 5), 1, arched=dice.chance(50))
    eaves(scene, x0, x1, BASE - 40, 30, tiles)
    step = min(46, 190 // tiers)
    for tier in range(tiers):
        reach = half * (1 - tier * 0.62 / tiers)
        foot = BASE - 6 - tier * step
        wall(scene, centre - reach, foot - step, centre + reach, foot, mix(style.wall, RED, 34))
        windows(
            scene,
            centre - reach + 2,
            foot - step * 0.66,
            centre + reach - 2,
            foot,
            dice.whole(2, 4),
            1,
            arched=dice.chance(60),
        )
        eaves(scene, centre - reach - 4, centre + reach + 4, foot - step + 10, step * 0.42, tiles)
    top = BASE - 6 - tiers * step
    canvas.line([(centre, top), (centre, top - 26)], GOLD, 3)
    for bead in range(dice.whole(2, 4)):
        canvas.oval(centre - 5 + bead, top - 8 - bead * 6, centre + 5 - bead, top - 2 - bead * 6, GOLD)
    steps(scene, centre - half - 6, centre + half + 6, BASE - 6, BASE + 6, 2)
    pot = centre - side * (half + 40)
    canvas.slice(pot - 15, BASE - 30, pot + 15, BASE + 6, 0, 180, darker(GOLD, 40))
    canvas.rect(pot - 17, BASE - 14, pot + 17, BASE - 9, GOLD)
    for stick in range(4):
        canvas.line([(pot - 8 + stick * 5, BASE - 14), (pot - 9 + stick * 6, BASE - 30)], RED, 1.4)


def church(scene: Composition) -> None:
    """A nave with one or two towers and a rose window."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, tall, spire = dice.whole(42, 62), dice.whole(86, 118), dice.whole(36, 84)
    towers = dice.pick(((-1, 1), (-1, 1), (0,), (1,), (-1,)))
    x1 = 256 + half + dice.whole(50, 100)
    wall(scene, 256, BASE - tall * 0.66, x1, BASE, darker(style.wall, 8))
    canvas.poly(
        [(256, BASE - tall * 0.66), (270, BASE - tall), (x1 - 10, BASE - tall), (x1 + 5, BASE - tall * 0.66)],
        style.roof,
    )
    windows(scene, 256 + half, BASE - tall * 0.58, x1 - 4, BASE - 8, dice.whole(3, 5), 1, arched=True)
    wall(scene, 256 - half, BASE - tall, 256 + half, BASE, style.wall)
    canvas.poly(
        [(256 - half - 4, BASE - tall), (256, BASE - tall - half * 0.9), (256 + half + 4, BASE - tall)],
        style.wall,
    )
    for side in towers:
        x, wide = 256 + side * (half + 4), dice.whole(15, 19)
        high = tall + dice.whole(18, 34)
        wall(scene, x - wide, BASE - high, x + wide, BASE, lighter(style.wall, 10))
        windows(scene, x - wide + 2, BASE - high + 8, x + wide - 2, BASE - 30, 1, 3, arched=True)
        if dice.chance(70):
            canvas.poly(
                [(x - wide - 3, BASE - high), (x, BASE - high - spire), (x + wide + 3, BASE - high)],
                style.roof,
            )
        else:
            canvas.slice(x - wide, BASE - high - wide, x + wide, BASE - high + wide, 180, 360, style.roof)
            spire = wide
        canvas.line([(x, BASE - high - spire), (x, BASE - high - spire - 16)], GOLD, 2)
        canvas.line([(x - 5, BASE - high - spire - 10), (x + 5, BASE - high - spire - 10)], GOLD, 2)
    radius, y = half * 0.42, BASE - tall * 0.74
    canvas.oval(256 - radius - 3, y - radius - 3, 256 + radius + 3, y + radius + 3, style.trim)
    for petal in range(dice.whole(6, 12), 0, -1):
        shade = hsv(dice.whole(0, 359), 60, 84)
        canvas.slice(
            256 - radius, y - radius, 256 + radius, y + radius, 0, petal * 30, shade, glow=scene.night
        )
    canvas.oval(250, y - 6, 262, y + 6, style.accent)
    door(scene, 256, BASE, 30, 44, RED if dice.chance(40) else WOOD)


def gate(scene: Composition) -> None:
    """A gate of stone arches under roofs, or one of painted beams."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    half, bays = dice.whole(84, 128), dice.pick((1, 3, 3, 5))
    if dice.chance(55):
        tall = dice.whole(66, 100)
        wall(scene, 256 - half, BASE - tall, 256 + half, BASE, mix(STONE, style.wall, 60))
        for bay in range(bays):
            x = 256 + (bay - (bays - 1) / 2) * 2 * half / bays
            wide = half / bays * (0.62 if bay == bays // 2 else 0.48)
            canvas.arch(x - wide - 3, BASE - tall * 0.72 - 3, x + wide + 3, BASE, style.trim)
            canvas.arch(x - wide, BASE - tall * 0.72, x + wide, BASE, (70, 62, 66))
        for merlon in range(half // 6):
            canvas.rect(
                256 - half + merlon * 12, BASE - tall - 7, 256 - half + merlon * 12 + 7, BASE - tall, STONE
            )
        foot = BASE - tall - 7.0
        for storey in range(dice.whole(1, 2)):
            reach = half * (0.72 - storey * 0.14)
            windows(scene, 256 - reach, foot - 30, 256 + reach, foot, dice.whole(5, 9), 1)
            columns(scene, 256 - reach, foot - 30, 256 + reach, foot, dice.whole(5, 8), RED)
            eaves(scene, 256 - reach - 4, 256 + reach + 4, foot - 30, 24, style.roof)
            foot -= 52
        return
    for post in range(bays + 1):
        x = 256 - half + 2 * half * post / bays
        canvas.rect(x - 7, BASE - 108, x + 7, BASE, RED)
        canvas.rect(x - 11, BASE - 14, x + 11, BASE, STONE)
    for bay in range(bays):
        x0, x1 = 256 - half + 2 * half * bay / bays, 256 - half + 2 * half * (bay + 1) / bays
        lift = 26 if bay == bays // 2 else 8
        canvas.rect(
            x0 - 4, BASE - 92 - lift, x1 + 4, BASE - 66 - lift / 2, mix((40, 96, 130), style.accent, 40)
        )
        for panel in range(round((x1 - x0) / 12)):
            canvas.oval(
                x0 + panel * 12 + 2,
                BASE - 84 - lift,
                x0 + panel * 12 + 9,
                BASE - 76 - lift,
                dice.pick((GOLD, WHITE, RED, style.accent)),
            )
        eaves(scene, x0, x1, BASE - 92 - lift, 26, dice.pick((GOLD, style.roof)))


def fortress(scene: Composition) -> None:
    """A wall with watchtowers that climbs over hills."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    stone = mix((172, 158, 134), style.wall, 30)
    heights = [dice.whole(30, 124) for _ in range(6)]
    at = [(60 + 78 * number, BASE - height) for number, height in enumerate(heights)]
    canvas.poly(
        [(40, BASE + 10), *((x, y + 16) for x, y in at), (470, BASE + 10)], darker(scene.season.ground, 12)
    )
    for (x0, y0), (x1, y1) in pairwise(at):
        canvas.poly([(x0, y0), (x1, y1), (x1, y1 + 26), (x0, y0 + 26)], stone)
        for merlon in range(7):
            x, y = x0 + (x1 - x0) * merlon / 7, y0 + (y1 - y0) * merlon / 7
            canvas.rect(x, y - 5, x + 6, y + 1, lighter(stone, 16))
        for _ in range(14):
            part = dice.whole(0, 92) / 100
            x, y = x0 + (x1 - x0) * part, y0 + (y1 - y0) * part + dice.whole(3, 20)
            canvas.rect(x, y, x + 6, y + 3, darker(stone, dice.whole(8, 30)), outline=False)
    for x, y in at[dice.whole(0, 1) :: 2]:
        wide, high = dice.whole(17, 25), dice.whole(34, 52)
        wall(scene, x - wide, y - high, x + wide, y + 26, lighter(stone, 8))
        windows(scene, x - wide + 3, y - high + 8, x + wide - 3, y - high + 26, 3, 1, arched=True)
        for merlon in range(4):
            canvas.rect(
                x - wide + merlon * wide / 2, y - high - 6, x - wide + merlon * wide / 2 + 6, y - high, stone
            )
    for _ in range(24):
        x, r = dice.whole(50, 460), dice.whole(4, 9)
        y = BASE + 4 - dice.whole(0, 14)
        canvas.oval(x - r, y - r, x + r, y + r, dice.pick(scene.season.leaves))


def house(scene: Composition) -> None:
    """A family's house with a porch, or a ticket desk where visitors pay."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x0, x1, tall = dice.whole(150, 190), dice.whole(320, 364), dice.whole(74, 108)
    wall(scene, x0, BASE - tall, x1, BASE, style.wall)
    ridge = dice.whole(x0 + 30, x1 - 30)
    canvas.rect(ridge - 36, BASE - tall - 58, ridge - 22, BASE - tall - 10, (150, 82, 66))
    canvas.poly(
        [
            (x0 - 12, BASE - tall),
            (ridge - 30, BASE - tall - 46),
            (ridge + 30, BASE - tall - 46),
            (x1 + 12, BASE - tall),
        ],
        style.roof,
    )
    windows(scene, x0 + 6, BASE - tall + 6, x1 - 6, BASE - 8, dice.whole(4, 6), 2)
    door(scene, dice.whole(x0 + 40, x1 - 40), BASE, 24, 40, style.accent)
    emblem(scene, ridge, BASE - tall - 20, 12)
    for picket in range(34):
        x = 92 + picket * 10
        canvas.poly([(x, BASE + 14), (x, BASE), (x + 3, BASE - 4), (x + 6, BASE), (x + 6, BASE + 14)], WHITE)
    if isinstance(scene.place, Attraction) and scene.place.ticket:
        canvas.rect(386, BASE - 34, 420, BASE + 12, style.accent)
        canvas.rect(391, BASE - 28, 415, BASE - 12, LAMP, glow=True)
        canvas.poly([(380, BASE - 34), (403, BASE - 50), (426, BASE - 34)], RED)
