"""Drawings of houses in which people sleep, eat and shop: hotels, restaurants, malls."""

from __future__ import annotations

from planspec.families.veritrip.facts import Hotel, Restaurant
from planspec.families.veritrip.pictures.colours import (
    GLASS,
    GOLD,
    INK,
    LAMP,
    RED,
    STEEL,
    WHITE,
    WOOD,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.parts import banner, door, emblem, flag, wall, windows
from planspec.families.veritrip.pictures.scenery import BASE, Composition


def hotel(scene: Composition) -> None:
    """A block with a canopy: taller for more stars, which stand over the door."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    stars = scene.place.stars if isinstance(scene.place, Hotel) else 3
    floors, half = stars + dice.whole(2, 4), dice.whole(62, 96)
    tall = min(204, floors * dice.whole(21, 25))
    top = BASE - tall
    if dice.chance(50):
        side, wing = dice.pick((-1, 1)), dice.whole(40, 66)
        x0, x1 = sorted((256 + side * half, 256 + side * (half + wing)))
        wall(scene, x0, top + tall * 0.35, x1, BASE, darker(style.wall, 12))
        windows(scene, x0 + 3, top + tall * 0.38, x1 - 3, BASE - 4, dice.whole(2, 4), max(2, floors * 2 // 3))
    wall(scene, 256 - half, top, 256 + half, BASE, style.wall)
    windows(
        scene,
        256 - half + 3,
        top + 5,
        256 + half - 3,
        BASE - 34,
        dice.whole(4, 8),
        floors - 1,
        arched=dice.chance(20),
    )
    match dice.whole(0, 3):
        case 0:
            canvas.poly(
                [
                    (256 - half - 6, top),
                    (256 - half + 14, top - 26),
                    (256 + half - 14, top - 26),
                    (256 + half + 6, top),
                ],
                style.roof,
            )
            windows(scene, 256 - half + 18, top - 22, 256 + half - 18, top - 2, 5, 1, arched=True)
        case 1:
            canvas.rect(256 - half - 5, top - 8, 256 + half + 5, top, style.trim)
            emblem(scene, 256, top - 22, 13)
        case 2:
            for post in range(3):
                flag(scene, 256 - half + 10 + post * half * 0.8, top, 30)
        case _:
            canvas.slice(256 - half, top - 24, 256 + half, top + 24, 180, 360, style.roof)
            emblem(scene, 256, top - 11, 8)
    wall(scene, 256 - half, BASE - 34, 256 + half, BASE, darker(style.wall, 24))
    windows(scene, 256 - half + 4, BASE - 30, 256 - 30, BASE - 4, 2, 1)
    windows(scene, 256 + 30, BASE - 30, 256 + half - 4, BASE - 4, 2, 1)
    door(scene, 256, BASE, 34, 28, GLASS)
    canvas.poly([(216, BASE - 30), (296, BASE - 30), (306, BASE - 18), (206, BASE - 18)], style.accent)
    for star in range(stars):
        x = 256 + (star - (stars - 1) / 2) * 13
        canvas.poly([(x, BASE - 42), (x + 2, BASE - 37), (x + 6, BASE - 36), (x + 3, BASE - 33), (x, BASE - 30),
                     (x - 3, BASE - 33), (x - 6, BASE - 36), (x - 2, BASE - 37)], GOLD, glow=True)  # fmt: skip
    car = dice.pick((92, 338))
    paint = hsv(dice.whole(0, 359), dice.whole(20, 80), 80)
    canvas.rect(car, BASE + 2, car + 64, BASE + 16, paint)
    canvas.poly(
        [(car + 10, BASE + 2), (car + 20, BASE - 9), (car + 46, BASE - 9), (car + 55, BASE + 2)],
        lighter(paint),
    )
    for wheel in (14, 48):
        canvas.oval(car + wheel - 6, BASE + 10, car + wheel + 6, BASE + 22, INK)


_FOODS = {
    "fish": "sea fish sushi japan oyster lobster crab",
    "bowl": "hotpot hot pot sichuan noodle chinese shanghai zhejiang hangzhou beijing ramen thai vietnam korean "
    "dumpling cantonese imperial duck",
    "pizza": "ital pizza",
    "grill": "steak barbecue bbq burger american grill mexican halal",
    "cup": "cafe coffee tea bakery dessert brunch french diner deli",
}


def _dish(place: Restaurant) -> str:
    said = f"{place.cuisine} {place.name} {' '.join(place.dishes)}".lower()
    return next(
        (shape for shape, words in _FOODS.items() if any(word in said for word in words.split())), "cloche"
    )


def restaurant(scene: Composition) -> None:
    """A front with an awning, tables and the shape of its dish on a shield."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    x0, x1, tall = dice.whole(104, 140), dice.whole(372, 408), dice.whole(124, 172)
    top, shop = BASE - tall, BASE - 62
    wall(scene, x0, top, x1, BASE, style.wall)
    windows(
        scene,
        x0 + 8,
        top + 10,
        x1 - 8,
        shop - 20,
        dice.whole(3, 7),
        1 if tall < 150 else 2,
        arched=dice.chance(40),
    )
    match dice.whole(0, 2):
        case 0:
            canvas.poly([(x0 - 8, top), (x0 + 16, top - 34), (x1 - 16, top - 34), (x1 + 8, top)], style.roof)
            for gable in range(dice.whole(1, 3)):
                a = x0 + 60 + gable * 70
                canvas.poly([(a - 15, top - 4), (a, top - 26), (a + 15, top - 4)], style.wall)
        case 1:
            canvas.rect(x0 - 5, top - 9, x1 + 5, top, style.trim)
            for tooth in range((x1 - x0) // 14):
                canvas.rect(x0 + tooth * 14, top, x0 + tooth * 14 + 6, top + 5, darker(style.trim))
        case _:
            points = [
                (x0, top),
                (x0, top - 14),
                (x0 + 34, top - 14),
                (x0 + 50, top - 32),
                (x1 - 50, top - 32),
                (x1 - 34, top - 14),
                (x1, top - 14),
                (x1, top),
            ]
            canvas.poly(points, style.wall)
            emblem(scene, (x0 + x1) / 2, top - 14, 12, "square")
    canvas.rect(x0 + 4, shop - 4, x1 - 4, BASE, darker(style.wall, 42))
    entry = dice.whole(x0 + 60, x1 - 60)
    windows(scene, x0 + 6, shop, entry - 20, BASE - 6, dice.whole(1, 3), 1)
    windows(scene, entry + 20, shop, x1 - 6, BASE - 6, dice.whole(1, 3), 1)
    door(scene, entry, BASE, 28, 50, style.accent)
    stripes, second = dice.whole(8, 15), dice.pick((WHITE, lighter(style.accent, 60), GOLD))
    for stripe in range(stripes):
        left, right = x0 + (x1 - x0) * stripe / stripes, x0 + (x1 - x0) * (stripe + 1) / stripes
        low_left, low_right = left + (left - 256) * 0.07, right + (right - 256) * 0.07
        colour = style.accent if stripe % 2 else second
        canvas.poly(
            [(left, shop - 18), (right, shop - 18), (low_right, shop + 6), (low_left, shop + 6)], colour
        )
        canvas.slice(low_left, shop, low_right, shop + 13, 0, 180, colour)
    if isinstance(scene.place, Restaurant):
        _shield(scene, dice.pick((x0 + 26, x1 - 26)), shop - 44, 21, _dish(scene.place))
    for table in range(dice.whole(1, 3)):
        x = dice.whole(x0, x0 + 40) + table * 104
        canvas.line([(x, BASE + 22), (x, BASE - 6)], WOOD, 2)
        canvas.oval(x - 17, BASE, x + 17, BASE + 8, WHITE)
        if dice.chance(60):
            canvas.line([(x, BASE - 2), (x, BASE - 40)], WOOD, 1.4)
            canvas.poly(
                [(x - 26, BASE - 30), (x, BASE - 46), (x + 26, BASE - 30)], hsv(dice.whole(0, 359), 60, 84)
            )
        for seat in (-24, 24):
            canvas.rect(x + seat - 5, BASE + 6, x + seat + 5, BASE + 18, dice.pick((RED, WOOD, style.roof)))
    for lantern in range(dice.whole(0, 6)):
        x = x0 + 20 + lantern * 46
        canvas.oval(x - 7, shop + 6, x + 7, shop + 22, LAMP if scene.night else RED, glow=scene.night)


def _shield(scene: Composition, x: float, y: float, r: float, dish: str) -> None:
    canvas, style = scene.canvas, scene.style
    canvas.oval(x - r - 3, y - r - 3, x + r + 3, y + r + 3, style.accent)
    canvas.oval(x - r, y - r, x + r, y + r, WHITE)
    match dish:
        case "fish":
            canvas.oval(x - 13, y - 6, x + 8, y + 7, (92, 140, 176))
            canvas.poly([(x + 6, y), (x + 15, y - 7), (x + 15, y + 7)], (92, 140, 176))
            canvas.oval(x - 9, y - 2, x - 6, y + 1, INK)
        case "bowl":
            canvas.slice(x - 14, y - 10, x + 14, y + 14, 0, 180, RED)
            canvas.line([(x - 4, y + 1), (x + 11, y - 14)], WOOD, 1.6)
            canvas.line([(x, y + 1), (x + 15, y - 11)], WOOD, 1.6)
        case "pizza":
            canvas.poly([(x - 13, y - 10), (x + 13, y - 10), (x, y + 15)], GOLD)
            for a, b in ((-5, -6), (4, -4), (-1, 3)):
                canvas.oval(x + a - 2, y + b - 2, x + a + 3, y + b + 3, RED)
        case "grill":
            canvas.oval(x - 13, y - 8, x + 12, y + 10, (150, 74, 56))
            canvas.oval(x - 3, y - 3, x + 4, y + 4, WHITE)
        case "cup":
            canvas.ring(x + 5, y - 4, x + 15, y + 6, (110, 76, 60), 2)
            canvas.slice(x - 11, y - 18, x + 9, y + 12, 0, 180, (150, 110, 84))
        case _:
            canvas.slice(x - 13, y - 12, x + 13, y + 14, 180, 360, STEEL)
            canvas.rect(x - 15, y + 1, x + 15, y + 4, STEEL)


def mall(scene: Composition) -> None:
    """Two glazed boxes with an atrium and hanging posters."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    left, right, tall = dice.whole(92, 116), dice.whole(396, 420), dice.whole(96, 146)
    split, low = dice.whole(210, 300), tall - dice.whole(10, 44)
    wall(scene, left, BASE - tall, split, BASE, style.wall)
    windows(scene, left + 4, BASE - tall + 8, split - 22, BASE - 36, dice.whole(3, 6), dice.whole(2, 4))
    wall(scene, split, BASE - low, right, BASE, mix(style.wall, style.accent, 40))
    windows(scene, split + 24, BASE - low + 8, right - 4, BASE - 36, dice.whole(3, 6), dice.whole(2, 4))
    canvas.slice(split - 34, BASE - tall - 22, split + 34, BASE - tall + 60, 180, 360, GLASS)
    canvas.rect(split - 34, BASE - tall + 18, split + 34, BASE, mix(GLASS, WHITE, 30))
    windows(scene, split - 32, BASE - tall + 20, split + 32, BASE - 36, 4, dice.whole(4, 6))
    for poster in range(dice.whole(2, 5)):
        banner(scene, left + 10 + poster * 66, BASE - low + 14, 24, 42)
    x = float(left)
    while x < right - 26:
        wide = dice.whole(24, 40)
        canvas.rect(
            x + 2,
            BASE - 30,
            min(right, x + wide),
            BASE,
            LAMP if scene.night else lighter(GLASS, 20),
            glow=scene.night,
        )
        for _ in range(3):
            good = x + dice.whole(4, wide - 8)
            canvas.rect(good, BASE - dice.whole(8, 20), good + 6, BASE - 2, hsv(dice.whole(0, 359), 60, 80))
        x += wide
    door(scene, split, BASE, 34, 34, GLASS)
