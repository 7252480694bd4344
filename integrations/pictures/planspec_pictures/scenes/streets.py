"""Town scenes: streets, markets, squares, metro entrances and fronts of restaurants."""

from __future__ import annotations

import math

import numpy as np

from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    arcade,
    beams,
    boxes,
    cylinder,
    grid,
    join_solids,
    lathe,
    leaves,
    quads,
    roof,
    shift_points,
)
from planspec_pictures.scenes import eastern
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, GLAZES, LACQUERS, PLASTERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_cars,
    add_ground,
    add_people,
    add_skyline,
    add_street_lamps,
    add_town,
    awning,
    floor,
    fountain,
    hedges,
    house,
    lanterns,
    parasols,
    plant_groves,
    plant_trees,
    shop_row,
    statue,
)


def street(site: Site) -> Sight:
    """Build a street: two rows of houses with shops and signs that lead away from the camera."""
    half = site.uniform(3.2, 8)
    old = site.eastern and site.maybe(65)
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    low, high = (3.5, 7) if old else site.pick(((6, 11), (9, 18), (14, 30)))
    add_ground(site)
    for sign in (-1, 1):
        y = -26.0
        while y < 90:
            w = site.uniform(6, 13)
            if old and site.maybe(70):
                storeys = site.pick((1, 1, 2))
                body = join_solids(
                    [
                        boxes([(w / 2, 3.5, 3.2)], (w, 7, 3.1 * (storeys - 1) + 0.2), site.masonry()),
                        shop_row(site.shopfront(), w, max(2, int(w // 2)), 4.0),
                        boxes(
                            [(w / 2, 3.6, 0)],
                            (w, 7, 3.2),
                            site.masonry(site.draw_colour(((0.25, 0.25, 0.26), (0.3, 0.1, 0.07)))),
                        ),
                        roof(w + 0.8, 9, site.uniform(1.8, 2.8), tiles, ridge=0.97, curve=1.4, lift=0.4).transform(
                            w / 2, 3.5, 3.3 + 3.1 * (storeys - 1)
                        ),
                        boxes([(w / 2, -0.25, 2.7)], (w * 0.5, 0.16, 0.7), site.sign_board()),
                    ]
                )
                body = join_solids(
                    [body, lanterns(site, [(w * 0.2, -0.7, 2.5), (w * 0.8, -0.7, 2.5)], 0.26)]
                    if site.maybe(60)
                    else [body]
                )
            else:
                body = house(site, w, 10, site.uniform(low, high))
            if site.maybe(60):
                z = site.uniform(3.2, 6)
                body = join_solids(
                    [
                        body,
                        boxes(
                            [(w * site.uniform(0.2, 0.8), -0.75, z)],
                            (0.25, 1.1, site.uniform(1, 2.6)),
                            site.sign_board(),
                        ),
                    ]
                )
            site.add_subject(
                body.transform(0, 0, 0, -sign * math.pi / 2).transform(sign * half, y + (w if sign > 0 else 0))
            )
            y += w + (0 if site.maybe(85) else 2)
    if site.maybe(50):
        site.add_subject(
            *(
                join_solids(
                    [
                        lanterns(site, [(x, y, 5.2) for x in np.linspace(-half, half, 7)], 0.2),
                        beams([(-half, y, 5.5)], [(half, y, 5.5)], 0.03, site.plain_paint((0.05, 0.05, 0.05))),
                    ]
                )
                for y in (-4, 6, 18)
            )
        )
    rows = [(s * (half - 0.8), y) for s in (-1, 1) for y in np.arange(-14, 50, site.uniform(9, 16))]
    if half > 4 and site.maybe(60):
        site.add_subject(plant_trees(site, np.array(rows, np.float32), sorts=1))
    add_street_lamps(site, [(s * (half - 0.5), y) for y in (-8, 8, 24) for s in (-1, 1)], site.uniform(3.4, 5))
    for _ in range(site.integer(0, 4)):
        site.add_subject(parasols(site, [(site.pick((-1, 1)) * (half - 1.5), site.uniform(-12, 14))]))
    pots = join_solids(
        [
            lathe([(0.3, 0), (0.42, 0.5)], site.plain_paint(STONES), sides=8),
            leaves(site.chance, 70, (0.5, 0.5, 0.5), 0.08, site.foliage()).transform(z=0.85),
        ]
    )
    site.add_subject(
        pots.copies_at(
            [(s * (half - 0.6), site.uniform(-14, 20), 0) for s in (-1, 1) for _ in range(site.integer(1, 4))]
        )
    )
    if half > 5.5 and site.maybe(50):
        add_cars(site, 4, (-10, 40), float(site.moment.choice([-1.4, 1.4])), math.pi / 2)
    add_people(site, int(site.moment.integers(6, 30)), (-half + 1, half - 1), (-13, 30))
    end = site.integer(0, 2)
    if end == 0:
        site.add_subject(
            eastern.hall(site, half * 1.6, 6, 5, tiles, lacquer, 2, 1).transform(0, 92, 4),
            boxes([(0, 92, 0)], (half * 2, 7, 4), site.masonry()),
        ) if site.eastern else site.add_subject(
            lathe([(4, 0), (3.6, 24), (0.1, 36)], site.masonry(), sides=4, smooth=False, turn=0.785).transform(0, 94)
        )
    elif end == 1:
        site.add_subject(house(site, 30, 12, high * 1.3).transform(-15, 92))
    add_skyline(site, 45, 160, 110)
    return Sight(
        (0, 4, site.uniform(2.6, 4.2)),
        23,
        6.5 if half < 5 else 11,
        min_height=1.6,
        max_height=site.uniform(1.8, 5),
        angle=64,
    )


def market(site: Site) -> Sight:
    """Build rows of market stalls, or a market hall."""
    add_ground(site)
    if site.maybe(50):
        width, height, n = site.uniform(26, 38), site.uniform(8, 11), site.integer(4, 7)
        site.add_subject(
            arcade(
                n,
                width / n,
                width / n * 0.7,
                height * 0.35,
                height,
                1.0,
                site.masonry(),
                inside=site.plain_paint((0.08, 0.07, 0.06)),
            ).transform(0, 4),
            roof(
                width + 1.5, 22, site.uniform(4, 7), site.roof_tiles(), ridge=site.pick((1.0, 0.8)), steps=2
            ).transform(0, 14, height),
            boxes([(0, 18, 0)], (width, 0.5, height), site.masonry()),
        )
        site.add_subject(boxes([(0, 3.2, height * 0.75)], (width * 0.3, 0.4, 1.4), site.sign_board()))
    for row in range(site.integer(1, 3)):
        for n in range(site.integer(4, 8)):
            cloth = site.paint(
                Paint(
                    site.draw_colour(BRIGHTS),
                    site.draw_colour(((0.72, 0.7, 0.66), *BRIGHTS)),
                    Pattern.STRIPES,
                    site.uniform(0.4, 0.9),
                    0.15,
                    detail=(0.5, 0, 0, 0),
                )
            )
            w = site.uniform(2.6, 3.8)
            goods = join_solids(
                [
                    leaves(
                        site.chance,
                        90,
                        (0.4, 0.3, 0.16),
                        0.06,
                        site.foliage(site.draw_colour((*BRIGHTS[:6], (0.2, 0.3, 0.06)))),
                    ).transform(x)
                    for x in np.linspace(-w / 2 + 0.4, w / 2 - 0.4, 4)
                ]
            )
            top = roof(
                w + 0.6, 3.0, site.uniform(0.5, 1.1), cloth, ridge=site.pick((1.0, 0.0, 0.6)), steps=2
            ).transform(z=2.5)
            stall = join_solids(
                [
                    boxes(
                        [(0, 0, 0)],
                        (w, 1.4, 0.9),
                        site.plain_paint(((0.35, 0.22, 0.12), (0.6, 0.58, 0.55), *BRIGHTS[:3])),
                    ),
                    goods.transform(z=1.0),
                    top,
                    beams(
                        [(u * w / 2, v, 0) for u in (-1, 1) for v in (-1, 1)],
                        [(u * w / 2, v, 2.5) for u in (-1, 1) for v in (-1, 1)],
                        0.08,
                        site.plain_paint((0.3, 0.3, 0.3)),
                    ),
                ]
            )
            site.add_subject(
                stall.transform(-15 + n * 4.4 + site.uniform(-0.4, 0.4), -4 - 6.5 * row + site.uniform(-0.6, 0.6))
            )
    site.add_beside(lanterns(site, [(x, -2, 4.2) for x in np.linspace(-14, 14, site.integer(4, 10))], 0.22))
    add_town(site, 18, 6, height=(8, 18))
    site.add_beside(house(site, 20, 10, 12).transform(-20, 28), house(site, 20, 10, 14).transform(0, 28))
    add_people(site, int(site.moment.integers(14, 44)), (-15, 15), (-18, -2))
    add_street_lamps(site, [(-10, -9), (10, -9)])
    for q in (-9, 0, 9):
        site.add_lamp(q, -6, 3, 10)
    add_skyline(site, 36, 150, 60)
    return Sight((0, -2, 2.8), 21, 34, min_height=1.8, max_height=site.uniform(3, 6), angle=64)


def square(site: Site) -> Sight:
    """Build a square with a centrepiece, surrounded by houses."""
    add_ground(site)
    form = site.integer(0, 3)
    middle = [
        fountain(site, site.uniform(4, 7)),
        statue(site, site.uniform(7, 12)),
        join_solids(
            [
                boxes([(0, 0, 0)], (4, 4, 2), site.masonry()),
                lathe([(1.1, 2), (0.8, 15), (0.02, 17)], site.masonry(), sides=4, smooth=False, turn=0.785),
            ]
        ),
        join_solids(
            [
                cylinder(0.18, 18, site.plain_paint((0.6, 0.6, 0.6))),
                quads(
                    [[(0, 0, 14), (4, 0.2, 13.8), (4, 0.2, 17), (0, 0, 17.2)]],
                    None,
                    site.plain_paint(BRIGHTS),
                ),
                boxes([(0, 0, 0)], (5, 5, 1), site.masonry()),
            ]
        ),
    ][form]
    site.add_subject(middle.transform(site.uniform(-3, 3), 0))
    back = site.uniform(24, 40)
    front = site.integer(0, 2)
    if front == 0:
        n = site.integer(7, 13)
        wall = site.window_wall(site.draw_colour((*STONES, *PLASTERS)))
        site.add_subject(
            arcade(
                n,
                5,
                3.4,
                2.2,
                5,
                1,
                site.masonry(site.paints[wall].colour),
                inside=site.plain_paint((0.1, 0.09, 0.08)),
            ).transform(0, back),
            boxes([(0, back + 5, 5)], (n * 5, 10, site.uniform(6, 12)), wall, site.roof_tiles(), (2.5, 3)),
            boxes([(0, back + 5, 0)], (n * 5, 8, 5), site.masonry()),
        )
    elif front == 1 and site.eastern:
        site.add_subject(
            eastern.hall(
                site, site.uniform(26, 40), 12, 6, site.roof_tiles(GLAZES), site.draw_colour(LACQUERS), 2, 1.2
            ).transform(0, back, 8),
            boxes([(0, back, 0)], (50, 18, 8), site.masonry(site.draw_colour(LACQUERS))),
        )
    else:
        x = -45.0
        while x < 45:
            w = site.uniform(9, 18)
            site.add_subject(house(site, w, 12, site.uniform(10, 20)).transform(x, back))
            x += w
        if site.maybe(60):
            tx, total_height = site.uniform(-20, 20), site.uniform(24, 40)
            site.add_subject(
                boxes([(tx, back + 3, 0)], (6, 6, total_height), site.masonry()),
                roof(7, 7, site.uniform(5, 10), site.roof_tiles(), ridge=0).transform(tx, back + 3, total_height),
            )
    for sign in (-1, 1):
        y = -6.0
        while y < back:
            w = site.uniform(8, 15)
            site.add_beside(
                house(site, w, 11, site.uniform(9, 18))
                .transform(0, 0, 0, -sign * math.pi / 2)
                .transform(sign * site.uniform(26, 28), y + (w if sign > 0 else 0))
            )
            y += w
    site.add_beside(
        plant_groves(site, (site.integer(1, 4), (-20, -9), (-8, 18)), (site.integer(1, 4), (9, 20), (-8, 18)), sorts=1)
    )
    site.add_beside(
        parasols(
            site,
            [(site.uniform(8, 18) * site.pick((-1, 1)), site.uniform(6, back - 4)) for _ in range(site.integer(1, 6))],
        )
    )
    add_people(site, int(site.moment.integers(10, 44)), (-18, 18), (-16, 20))
    add_street_lamps(site, [(-7, -6), (7, -6), (-7, 8), (7, 8)])
    if site.maybe(40):
        site.add_beside(hedges(site, [(s * 5, -8, 0) for s in (-1, 1)], [(4, 1.5, 0.6)] * 2))
    add_skyline(site, 45, 140, 80)
    return Sight((0, 6, 5), 32, 40, min_height=1.7, max_height=site.uniform(3, 10), angle=64)


def metro(site: Site) -> Sight:
    """Build a metro entrance beside a street: stairs that lead down, under a canopy or in a glass box."""
    add_ground(site)
    steel = site.plain_paint(((0.5, 0.5, 0.52), (0.1, 0.25, 0.15), (0.2, 0.2, 0.22), *BRIGHTS[:3]))
    w, d = site.uniform(4, 7), site.uniform(7, 10)
    wall = site.plain_paint(STONES)
    site.add_subject(
        boxes([(s * w / 2, d / 2, 0) for s in (-1, 1)], (0.35, d, 1.1), wall),
        boxes([(0, d, 0)], (w, 0.35, 1.1), wall),
        floor(site.plain_paint((0.03, 0.03, 0.035)), -w / 2, 1.2, w / 2, d, 0.01),
        boxes([(0, 0.5 + 0.5 * n, 0) for n in range(3)], (w - 0.4, 0.5, 0.05), wall),
    )
    form, h = site.integer(0, 2), site.uniform(3, 4.4)
    if form == 0:
        a = np.linspace(-1, 1, 13, dtype=np.float32)
        bow = np.stack([a * w * 0.62, a * 0, h + site.uniform(0.6, 1.6) * (1 - a * a)], -1)
        site.add_subject(
            grid(
                np.stack([shift_points(bow, y=-1), shift_points(bow, y=d + 0.5)]),
                np.stack([np.stack([a * 4, a * 0], -1), np.stack([a * 4, a * 0 + 6], -1)]),
                site.glass_wall(),
                smooth=True,
            )
        )
    elif form == 1:
        site.add_subject(boxes([(0, d / 2 - 0.5, h)], (w + 2, d + 2, 0.4), steel))
    else:
        site.add_subject(
            boxes([(0, d / 2, 0)], (w + 1, d, h), site.glass_wall(), steel, (1.4, h)),
            boxes([(0, -0.2, 0)], (w * 0.7, 0.4, 2.8), site.plain_paint((0.02, 0.02, 0.02))),
        )
    site.add_subject(
        beams(
            [(u * w * 0.55, v, 0) for u in (-1, 1) for v in (-0.5, d)],
            [(u * w * 0.55, v, h + 0.2) for u in (-1, 1) for v in (-0.5, d)],
            0.16,
            steel,
        )
    )
    site.add_subject(
        boxes([(w * 0.8 * site.pick((-1, 1)), -0.8, 2.4)], (1.2, 0.25, 1.2), site.sign_board()),
        cylinder(0.07, 2.6, steel).transform(w * 0.8, -0.8),
        boxes([(0, -0.9, h + 0.1)], (w * 0.7, 0.2, 0.7), site.sign_board()),
    )
    x = -40.0
    while x < 40:
        width = site.uniform(9, 18)
        site.add_subject(house(site, width, 12, site.uniform(9, 26)).transform(x, d + 5))
        x += width
    site.add_subject(
        plant_trees(
            site,
            np.array([(s * site.uniform(6, 10), site.uniform(0, 3)) for s in (-1, 1)], np.float32),
            sorts=1,
        )
    )
    add_people(site, int(site.moment.integers(6, 20)), (-9, 9), (-10, -1))
    add_cars(site, 4, (-20, 20), -12)
    add_street_lamps(site, [(-6, -4), (6, -4)])
    add_skyline(site, 45, 110, 110)
    return Sight((0, 2, 2.8), 16, 42, min_height=1.6, max_height=3.2, angle=64)


def restaurant_front(site: Site) -> Sight:
    """Build the front of a restaurant in a street, with windows, a sign, and tables or lanterns outside."""
    width, height = site.uniform(7, 12), site.uniform(3.4, 4.4)
    add_ground(site)
    old = site.eastern and site.maybe(55)
    wall = site.masonry(site.draw_colour(LACQUERS) if old and site.maybe(50) else None)
    floors = site.integer(0, 4)
    if floors:
        upper = site.window_wall()
        site.add_subject(
            boxes(
                [(0, 5, height)],
                (width, 10, floors * 3.2),
                upper,
                site.plain_paint(STONES),
                (width / site.integer(2, 5), 3.2),
            )
        )
    site.add_subject(boxes([(0, 5.2, 0)], (width, 10, height), wall))
    if old:
        site.add_subject(
            roof(width + 1.2, 4, 1.5, site.roof_tiles(GLAZES), ridge=0.92, curve=1.5, lift=0.6).transform(
                0, 0.6, height - 0.3
            )
        )
        lattice = site.paint(
            Paint(site.draw_colour(LACQUERS), (0.62, 0.55, 0.4), Pattern.LATTICE, 1.0, 0.2, glow=(0.8, 0.5, 0.2))
        )
        site.add_subject(boxes([(0, 0.2, 0)], (width * 0.94, 0.3, height - 0.7), lattice, cell=(1.2, height)))
    else:
        glass = site.shopfront()
        n = site.integer(3, 6)
        site.add_subject(shop_row(glass, width * 0.94, n, height).transform(-width * 0.47, 0.16))
        if site.maybe(65):
            site.add_subject(
                awning(site, -width * 0.46, width * 0.46, height - 0.5, site.uniform(1.2, 2.0)).transform(0, 0.2)
            )
    door = site.plain_paint((*BRIGHTS, (0.2, 0.1, 0.05)), shine=0.1)
    x = site.uniform(-0.35, 0.35) * width
    site.add_subject(
        boxes([(x, 0.0, 0)], (1.5, 0.35, 2.5), door),
        boxes([(x, -0.2, 0.5)], (0.9, 0.1, 1.6), site.glass_wall(cell=0.5)),
    )
    bw = site.uniform(0.3, 0.8) * width
    site.add_subject(
        boxes(
            [(site.uniform(-0.5, 0.5) * (width - bw), -0.22, height - 0.15)],
            (bw, 0.3, site.uniform(0.5, 1.1)),
            site.sign_board(),
        )
    )
    if site.maybe(50):
        site.add_subject(
            boxes(
                [(site.pick((-1, 1)) * width * 0.46, -0.8, site.uniform(2.8, 4.5))],
                (0.2, 1.2, site.uniform(0.8, 2.4)),
                site.sign_board(),
            )
        )
    if (site.eastern and site.maybe(70)) or site.maybe(20):
        site.add_subject(
            lanterns(
                site,
                [(q, -0.6, height - 0.9) for q in np.linspace(-width * 0.42, width * 0.42, site.integer(2, 7))],
                site.uniform(0.2, 0.36),
            )
        )
    if site.maybe(60):
        site.add_subject(
            parasols(
                site,
                [
                    (q, -site.uniform(2.2, 3.6))
                    for q in np.linspace(-width * 0.4, width * 0.4, site.integer(2, 4))
                    if abs(q - x) > 1.2
                ]
                or [(width * 0.4, -3.0)],
            )
        )
    pot = join_solids(
        [
            lathe(
                [(0.28, 0), (0.4, 0.55)],
                site.plain_paint(((0.3, 0.14, 0.08), (0.5, 0.5, 0.5), (0.06, 0.06, 0.06))),
                sides=site.pick((4, 12)),
                smooth=False,
            ),
            leaves(site.chance, 130, (0.45, 0.45, site.uniform(0.4, 1.0)), 0.07, site.foliage()).transform(z=1.0),
        ]
    )
    site.add_subject(
        pot.copies_at(
            [(x + s * 1.25, -0.7, 0) for s in (-1, 1)]
            + [(site.uniform(-0.45, 0.45) * width, -0.9, 0) for _ in range(site.integer(0, 3))]
        )
    )
    if site.maybe(30):
        site.add_subject(hedges(site, [(s * width * 0.3, -4.2, 0) for s in (-1, 1)], [(width * 0.3, 0.5, 0.8)] * 2))
    add_town(site, width / 2 + 0.2, 0.2, height=(6, 16), far=40)
    if site.maybe(40):
        site.add_beside(
            plant_trees(site, np.array([(site.pick((-1, 1)) * site.uniform(4, 7), -3.6)], np.float32), sorts=1)
        )
    add_people(site, int(site.moment.integers(1, 9)), (-8, 8), (-7, -1.2))
    if site.moment.random() < 0.4:
        add_cars(site, 1, (-8, 8), -7.5)
    add_street_lamps(site, [(site.uniform(3, 6) * site.pick((-1, 1)), -4.6)])
    for q in (-width * 0.25, width * 0.25):
        site.add_lamp(q, -1.2, height - 0.6, 7)
    return Sight((0, 0, site.uniform(2.0, 2.8)), site.uniform(10, 13), 36, min_height=1.5, max_height=2.2, angle=62)
