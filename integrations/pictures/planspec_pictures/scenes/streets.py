"""Town scenes: streets, markets, squares, metro entrances, fronts of restaurants."""

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
    joined,
    lathe,
    leaves,
    quads,
    roof,
    shifted,
)
from planspec_pictures.scenes import eastern
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, GLAZES, LACQUERS, PLASTERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    awning,
    cars,
    floor,
    fountain,
    ground,
    groves,
    hedges,
    house,
    lanterns,
    parasols,
    people,
    planted,
    shop_row,
    skyline,
    statue,
    street_lamps,
    town,
)


def street(site: Site) -> Sight:
    """Build two rows of houses with shops and signs, running away from the eye."""
    half = site.share(3.2, 8)
    old = site.eastern and site.maybe(65)
    lacquer, tiles = site.hue(LACQUERS), site.tiled(GLAZES)
    low, high = (3.5, 7) if old else site.pick(((6, 11), (9, 18), (14, 30)))
    ground(site)
    for sign in (-1, 1):
        y = -26.0
        while y < 90:
            w = site.share(6, 13)
            if old and site.maybe(70):
                storeys = site.pick((1, 1, 2))
                body = joined(
                    [
                        boxes([(w / 2, 3.5, 3.2)], (w, 7, 3.1 * (storeys - 1) + 0.2), site.masonry()),
                        shop_row(site.shopfront(), w, max(2, int(w // 2)), 4.0),
                        boxes(
                            [(w / 2, 3.6, 0)],
                            (w, 7, 3.2),
                            site.masonry(site.hue(((0.25, 0.25, 0.26), (0.3, 0.1, 0.07)))),
                        ),
                        roof(w + 0.8, 9, site.share(1.8, 2.8), tiles, ridge=0.97, curve=1.4, lift=0.4).moved(
                            w / 2, 3.5, 3.3 + 3.1 * (storeys - 1)
                        ),
                        boxes([(w / 2, -0.25, 2.7)], (w * 0.5, 0.16, 0.7), site.board()),
                    ]
                )
                body = joined(
                    [body, lanterns(site, [(w * 0.2, -0.7, 2.5), (w * 0.8, -0.7, 2.5)], 0.26)]
                    if site.maybe(60)
                    else [body]
                )
            else:
                body = house(site, w, 10, site.share(low, high))
            if site.maybe(60):
                z = site.share(3.2, 6)
                body = joined(
                    [
                        body,
                        boxes(
                            [(w * site.share(0.2, 0.8), -0.75, z)],
                            (0.25, 1.1, site.share(1, 2.6)),
                            site.board(),
                        ),
                    ]
                )
            site.subject(
                body.moved(0, 0, 0, -sign * math.pi / 2).moved(sign * half, y + (w if sign > 0 else 0))
            )
            y += w + (0 if site.maybe(85) else 2)
    if site.maybe(50):
        site.subject(
            *(
                joined(
                    [
                        lanterns(site, [(x, y, 5.2) for x in np.linspace(-half, half, 7)], 0.2),
                        beams([(-half, y, 5.5)], [(half, y, 5.5)], 0.03, site.plain((0.05, 0.05, 0.05))),
                    ]
                )
                for y in (-4, 6, 18)
            )
        )
    rows = [(s * (half - 0.8), y) for s in (-1, 1) for y in np.arange(-14, 50, site.share(9, 16))]
    if half > 4 and site.maybe(60):
        site.subject(planted(site, np.array(rows, np.float32), sorts=1))
    street_lamps(site, [(s * (half - 0.5), y) for y in (-8, 8, 24) for s in (-1, 1)], site.share(3.4, 5))
    for _ in range(site.whole(0, 4)):
        site.subject(parasols(site, [(site.pick((-1, 1)) * (half - 1.5), site.share(-12, 14))]))
    pots = joined(
        [
            lathe([(0.3, 0), (0.42, 0.5)], site.plain(STONES), sides=8),
            leaves(site.chance, 70, (0.5, 0.5, 0.5), 0.08, site.leafy()).moved(z=0.85),
        ]
    )
    site.subject(
        pots.copied(
            [(s * (half - 0.6), site.share(-14, 20), 0) for s in (-1, 1) for _ in range(site.whole(1, 4))]
        )
    )
    if half > 5.5 and site.maybe(50):
        cars(site, 4, (-10, 40), float(site.passing.choice([-1.4, 1.4])), math.pi / 2)
    people(site, int(site.passing.integers(6, 30)), (-half + 1, half - 1), (-13, 30))
    end = site.whole(0, 2)
    if end == 0:
        site.subject(
            eastern.hall(site, half * 1.6, 6, 5, tiles, lacquer, 2, 1).moved(0, 92, 4),
            boxes([(0, 92, 0)], (half * 2, 7, 4), site.masonry()),
        ) if site.eastern else site.subject(
            lathe([(4, 0), (3.6, 24), (0.1, 36)], site.masonry(), sides=4, smooth=False, turn=0.785).moved(
                0, 94
            )
        )
    elif end == 1:
        site.subject(house(site, 30, 12, high * 1.3).moved(-15, 92))
    skyline(site, 45, 160, 110)
    return Sight(
        (0, 4, site.share(2.6, 4.2)), 23, 6.5 if half < 5 else 11, low=1.6, high=site.share(1.8, 5), angle=64
    )


def market(site: Site) -> Sight:
    """Build stalls in rows, or a market hall."""
    ground(site)
    if site.maybe(50):
        wide, high, n = site.share(26, 38), site.share(8, 11), site.whole(4, 7)
        site.subject(
            arcade(
                n,
                wide / n,
                wide / n * 0.7,
                high * 0.35,
                high,
                1.0,
                site.masonry(),
                inside=site.plain((0.08, 0.07, 0.06)),
            ).moved(0, 4),
            roof(wide + 1.5, 22, site.share(4, 7), site.tiled(), ridge=site.pick((1.0, 0.8)), steps=2).moved(
                0, 14, high
            ),
            boxes([(0, 18, 0)], (wide, 0.5, high), site.masonry()),
        )
        site.subject(boxes([(0, 3.2, high * 0.75)], (wide * 0.3, 0.4, 1.4), site.board()))
    for row in range(site.whole(1, 3)):
        for n in range(site.whole(4, 8)):
            cloth = site.paint(
                Paint(
                    site.hue(BRIGHTS),
                    site.hue(((0.72, 0.7, 0.66), *BRIGHTS)),
                    Pattern.STRIPES,
                    site.share(0.4, 0.9),
                    0.15,
                    detail=(0.5, 0, 0, 0),
                )
            )
            w = site.share(2.6, 3.8)
            goods = joined(
                [
                    leaves(
                        site.chance,
                        90,
                        (0.4, 0.3, 0.16),
                        0.06,
                        site.leafy(site.hue((*BRIGHTS[:6], (0.2, 0.3, 0.06)))),
                    ).moved(x)
                    for x in np.linspace(-w / 2 + 0.4, w / 2 - 0.4, 4)
                ]
            )
            top = roof(
                w + 0.6, 3.0, site.share(0.5, 1.1), cloth, ridge=site.pick((1.0, 0.0, 0.6)), steps=2
            ).moved(z=2.5)
            stall = joined(
                [
                    boxes(
                        [(0, 0, 0)],
                        (w, 1.4, 0.9),
                        site.plain(((0.35, 0.22, 0.12), (0.6, 0.58, 0.55), *BRIGHTS[:3])),
                    ),
                    goods.moved(z=1.0),
                    top,
                    beams(
                        [(u * w / 2, v, 0) for u in (-1, 1) for v in (-1, 1)],
                        [(u * w / 2, v, 2.5) for u in (-1, 1) for v in (-1, 1)],
                        0.08,
                        site.plain((0.3, 0.3, 0.3)),
                    ),
                ]
            )
            site.subject(
                stall.moved(-15 + n * 4.4 + site.share(-0.4, 0.4), -4 - 6.5 * row + site.share(-0.6, 0.6))
            )
    site.beside(lanterns(site, [(x, -2, 4.2) for x in np.linspace(-14, 14, site.whole(4, 10))], 0.22))
    town(site, 18, 6, high=(8, 18))
    site.beside(house(site, 20, 10, 12).moved(-20, 28), house(site, 20, 10, 14).moved(0, 28))
    people(site, int(site.passing.integers(14, 44)), (-15, 15), (-18, -2))
    street_lamps(site, [(-10, -9), (10, -9)])
    for q in (-9, 0, 9):
        site.lamp(q, -6, 3, 10)
    skyline(site, 36, 150, 60)
    return Sight((0, -2, 2.8), 21, 34, low=1.8, high=site.share(3, 6), angle=64)


def square(site: Site) -> Sight:
    """Build an open square with a centre and fronts around."""
    ground(site)
    form = site.whole(0, 3)
    middle = [
        fountain(site, site.share(4, 7)),
        statue(site, site.share(7, 12)),
        joined(
            [
                boxes([(0, 0, 0)], (4, 4, 2), site.masonry()),
                lathe([(1.1, 2), (0.8, 15), (0.02, 17)], site.masonry(), sides=4, smooth=False, turn=0.785),
            ]
        ),
        joined(
            [
                cylinder(0.18, 18, site.plain((0.6, 0.6, 0.6))),
                quads([[(0, 0, 14), (4, 0.2, 13.8), (4, 0.2, 17), (0, 0, 17.2)]], None, site.plain(BRIGHTS)),
                boxes([(0, 0, 0)], (5, 5, 1), site.masonry()),
            ]
        ),
    ][form]
    site.subject(middle.moved(site.share(-3, 3), 0))
    back = site.share(24, 40)
    front = site.whole(0, 2)
    if front == 0:
        n = site.whole(7, 13)
        wall = site.windowed(site.hue((*STONES, *PLASTERS)))
        site.subject(
            arcade(
                n,
                5,
                3.4,
                2.2,
                5,
                1,
                site.masonry(site.paints[wall].colour),
                inside=site.plain((0.1, 0.09, 0.08)),
            ).moved(0, back),
            boxes([(0, back + 5, 5)], (n * 5, 10, site.share(6, 12)), wall, site.tiled(), (2.5, 3)),
            boxes([(0, back + 5, 0)], (n * 5, 8, 5), site.masonry()),
        )
    elif front == 1 and site.eastern:
        site.subject(
            eastern.hall(
                site, site.share(26, 40), 12, 6, site.tiled(GLAZES), site.hue(LACQUERS), 2, 1.2
            ).moved(0, back, 8),
            boxes([(0, back, 0)], (50, 18, 8), site.masonry(site.hue(LACQUERS))),
        )
    else:
        x = -45.0
        while x < 45:
            w = site.share(9, 18)
            site.subject(house(site, w, 12, site.share(10, 20)).moved(x, back))
            x += w
        if site.maybe(60):
            tx, tall = site.share(-20, 20), site.share(24, 40)
            site.subject(
                boxes([(tx, back + 3, 0)], (6, 6, tall), site.masonry()),
                roof(7, 7, site.share(5, 10), site.tiled(), ridge=0).moved(tx, back + 3, tall),
            )
    for sign in (-1, 1):
        y = -6.0
        while y < back:
            w = site.share(8, 15)
            site.beside(
                house(site, w, 11, site.share(9, 18))
                .moved(0, 0, 0, -sign * math.pi / 2)
                .moved(sign * site.share(26, 28), y + (w if sign > 0 else 0))
            )
            y += w
    site.beside(
        groves(site, (site.whole(1, 4), (-20, -9), (-8, 18)), (site.whole(1, 4), (9, 20), (-8, 18)), sorts=1)
    )
    site.beside(
        parasols(
            site,
            [
                (site.share(8, 18) * site.pick((-1, 1)), site.share(6, back - 4))
                for _ in range(site.whole(1, 6))
            ],
        )
    )
    people(site, int(site.passing.integers(10, 44)), (-18, 18), (-16, 20))
    street_lamps(site, [(-7, -6), (7, -6), (-7, 8), (7, 8)])
    if site.maybe(40):
        site.beside(hedges(site, [(s * 5, -8, 0) for s in (-1, 1)], [(4, 1.5, 0.6)] * 2))
    skyline(site, 45, 140, 80)
    return Sight((0, 6, 5), 32, 40, low=1.7, high=site.share(3, 10), angle=64)


def metro(site: Site) -> Sight:
    """Build stairs down under a canopy, at a street."""
    ground(site)
    steel = site.plain(((0.5, 0.5, 0.52), (0.1, 0.25, 0.15), (0.2, 0.2, 0.22), *BRIGHTS[:3]))
    w, d = site.share(4, 7), site.share(7, 10)
    wall = site.plain(STONES)
    site.subject(
        boxes([(s * w / 2, d / 2, 0) for s in (-1, 1)], (0.35, d, 1.1), wall),
        boxes([(0, d, 0)], (w, 0.35, 1.1), wall),
        floor(site.plain((0.03, 0.03, 0.035)), -w / 2, 1.2, w / 2, d, 0.01),
        boxes([(0, 0.5 + 0.5 * n, 0) for n in range(3)], (w - 0.4, 0.5, 0.05), wall),
    )
    form, h = site.whole(0, 2), site.share(3, 4.4)
    if form == 0:
        a = np.linspace(-1, 1, 13, dtype=np.float32)
        bow = np.stack([a * w * 0.62, a * 0, h + site.share(0.6, 1.6) * (1 - a * a)], -1)
        site.subject(
            grid(
                np.stack([shifted(bow, y=-1), shifted(bow, y=d + 0.5)]),
                np.stack([np.stack([a * 4, a * 0], -1), np.stack([a * 4, a * 0 + 6], -1)]),
                site.glazed(),
                smooth=True,
            )
        )
    elif form == 1:
        site.subject(boxes([(0, d / 2 - 0.5, h)], (w + 2, d + 2, 0.4), steel))
    else:
        site.subject(
            boxes([(0, d / 2, 0)], (w + 1, d, h), site.glazed(), steel, (1.4, h)),
            boxes([(0, -0.2, 0)], (w * 0.7, 0.4, 2.8), site.plain((0.02, 0.02, 0.02))),
        )
    site.subject(
        beams(
            [(u * w * 0.55, v, 0) for u in (-1, 1) for v in (-0.5, d)],
            [(u * w * 0.55, v, h + 0.2) for u in (-1, 1) for v in (-0.5, d)],
            0.16,
            steel,
        )
    )
    site.subject(
        boxes([(w * 0.8 * site.pick((-1, 1)), -0.8, 2.4)], (1.2, 0.25, 1.2), site.board()),
        cylinder(0.07, 2.6, steel).moved(w * 0.8, -0.8),
        boxes([(0, -0.9, h + 0.1)], (w * 0.7, 0.2, 0.7), site.board()),
    )
    x = -40.0
    while x < 40:
        wide = site.share(9, 18)
        site.subject(house(site, wide, 12, site.share(9, 26)).moved(x, d + 5))
        x += wide
    site.subject(
        planted(
            site, np.array([(s * site.share(6, 10), site.share(0, 3)) for s in (-1, 1)], np.float32), sorts=1
        )
    )
    people(site, int(site.passing.integers(6, 20)), (-9, 9), (-10, -1))
    cars(site, 4, (-20, 20), -12)
    street_lamps(site, [(-6, -4), (6, -4)])
    skyline(site, 45, 110, 110)
    return Sight((0, 2, 2.8), 16, 42, low=1.6, high=3.2, angle=64)


def front(site: Site) -> Sight:
    """Build the front of a restaurant in its street: windows, a sign, tables or lanterns before it."""
    wide, high = site.share(7, 12), site.share(3.4, 4.4)
    ground(site)
    old = site.eastern and site.maybe(55)
    wall = site.masonry(site.hue(LACQUERS) if old and site.maybe(50) else None)
    floors = site.whole(0, 4)
    if floors:
        upper = site.windowed()
        site.subject(
            boxes(
                [(0, 5, high)],
                (wide, 10, floors * 3.2),
                upper,
                site.plain(STONES),
                (wide / site.whole(2, 5), 3.2),
            )
        )
    site.subject(boxes([(0, 5.2, 0)], (wide, 10, high), wall))
    if old:
        site.subject(
            roof(wide + 1.2, 4, 1.5, site.tiled(GLAZES), ridge=0.92, curve=1.5, lift=0.6).moved(
                0, 0.6, high - 0.3
            )
        )
        lattice = site.paint(
            Paint(site.hue(LACQUERS), (0.62, 0.55, 0.4), Pattern.LATTICE, 1.0, 0.2, glow=(0.8, 0.5, 0.2))
        )
        site.subject(boxes([(0, 0.2, 0)], (wide * 0.94, 0.3, high - 0.7), lattice, cell=(1.2, high)))
    else:
        glass = site.shopfront()
        n = site.whole(3, 6)
        site.subject(shop_row(glass, wide * 0.94, n, high).moved(-wide * 0.47, 0.16))
        if site.maybe(65):
            site.subject(
                awning(site, -wide * 0.46, wide * 0.46, high - 0.5, site.share(1.2, 2.0)).moved(0, 0.2)
            )
    door = site.plain((*BRIGHTS, (0.2, 0.1, 0.05)), shine=0.1)
    x = site.share(-0.35, 0.35) * wide
    site.subject(
        boxes([(x, 0.0, 0)], (1.5, 0.35, 2.5), door),
        boxes([(x, -0.2, 0.5)], (0.9, 0.1, 1.6), site.glazed(cell=0.5)),
    )
    bw = site.share(0.3, 0.8) * wide
    site.subject(
        boxes(
            [(site.share(-0.5, 0.5) * (wide - bw), -0.22, high - 0.15)],
            (bw, 0.3, site.share(0.5, 1.1)),
            site.board(),
        )
    )
    if site.maybe(50):
        site.subject(
            boxes(
                [(site.pick((-1, 1)) * wide * 0.46, -0.8, site.share(2.8, 4.5))],
                (0.2, 1.2, site.share(0.8, 2.4)),
                site.board(),
            )
        )
    if (site.eastern and site.maybe(70)) or site.maybe(20):
        site.subject(
            lanterns(
                site,
                [(q, -0.6, high - 0.9) for q in np.linspace(-wide * 0.42, wide * 0.42, site.whole(2, 7))],
                site.share(0.2, 0.36),
            )
        )
    if site.maybe(60):
        site.subject(
            parasols(
                site,
                [
                    (q, -site.share(2.2, 3.6))
                    for q in np.linspace(-wide * 0.4, wide * 0.4, site.whole(2, 4))
                    if abs(q - x) > 1.2
                ]
                or [(wide * 0.4, -3.0)],
            )
        )
    pot = joined(
        [
            lathe(
                [(0.28, 0), (0.4, 0.55)],
                site.plain(((0.3, 0.14, 0.08), (0.5, 0.5, 0.5), (0.06, 0.06, 0.06))),
                sides=site.pick((4, 12)),
                smooth=False,
            ),
            leaves(site.chance, 130, (0.45, 0.45, site.share(0.4, 1.0)), 0.07, site.leafy()).moved(z=1.0),
        ]
    )
    site.subject(
        pot.copied(
            [(x + s * 1.25, -0.7, 0) for s in (-1, 1)]
            + [(site.share(-0.45, 0.45) * wide, -0.9, 0) for _ in range(site.whole(0, 3))]
        )
    )
    if site.maybe(30):
        site.subject(hedges(site, [(s * wide * 0.3, -4.2, 0) for s in (-1, 1)], [(wide * 0.3, 0.5, 0.8)] * 2))
    town(site, wide / 2 + 0.2, 0.2, high=(6, 16), far=40)
    if site.maybe(40):
        site.beside(
            planted(site, np.array([(site.pick((-1, 1)) * site.share(4, 7), -3.6)], np.float32), sorts=1)
        )
    people(site, int(site.passing.integers(1, 9)), (-8, 8), (-7, -1.2))
    if site.passing.random() < 0.4:
        cars(site, 1, (-8, 8), -7.5)
    street_lamps(site, [(site.share(3, 6) * site.pick((-1, 1)), -4.6)])
    for q in (-wide * 0.25, wide * 0.25):
        site.lamp(q, -1.2, high - 0.6, 7)
    return Sight((0, 0, site.share(2.0, 2.8)), site.share(10, 13), 36, low=1.5, high=2.2, angle=62)
