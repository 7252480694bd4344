"""Churches, memorials, stadiums."""

from __future__ import annotations

import math

import numpy as np

from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    Solid,
    arcade,
    ball,
    beams,
    boxes,
    cylinder,
    dome,
    grid,
    joined,
    lathe,
    quads,
    roof,
    stairs,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    fence,
    floor,
    ground,
    groves,
    hedges,
    people,
    skyline,
    statue,
    street_lamps,
    town,
)


def church(site: Site) -> Sight:
    """Build a nave with towers, or a domed hall with slender ones."""
    stone = site.masonry(site.hue(STONES) if site.maybe(70) else None)
    own = site.paints[stone].colour
    tiles, dark = (
        site.tiled(),
        site.paint(
            Paint((0.05, 0.06, 0.09), (0.3, 0.1, 0.1), Pattern.LATTICE, 1.0, 0.1, glow=(0.9, 0.5, 0.2))
        ),
    )
    wide, high, long = site.share(11, 17), site.share(11, 18), site.share(26, 40)
    if site.maybe(28):  # domed
        r = wide * 0.62
        site.subject(
            boxes(
                [(0, r, 0)],
                (wide * 1.5, wide * 1.5, high * 0.7),
                site.windowed(own),
                site.plain(STONES),
                (2.6, high * 0.35),
            )
        )
        site.subject(
            lathe([(r, 0), (r, 3.2)], site.windowed(own), sides=20, cell=(1.6, 3.2)).moved(0, r, high * 0.7),
            dome(
                r * 1.02,
                r * site.share(0.85, 1.25),
                site.plain((*ROOFS, (0.6, 0.42, 0.08))),
                onion=site.pick((0.0, 0.0, 0.4)),
            ).moved(0, r, high * 0.7 + 3.2),
        )
        slim = site.share(1.0, 1.8)
        for sx, sy in site.pick((((-1, 0), (1, 0)), ((-1, 0), (1, 0), (-1, 1), (1, 1)), ((1, 0),))):
            h = high * site.share(1.5, 2.2)
            minaret = joined(
                [
                    lathe([(slim, 0), (slim * 0.85, h)], stone, sides=10),
                    lathe(
                        [(slim * 1.5, h * 0.7), (slim * 1.5, h * 0.7 + 0.8), (slim, h * 0.7 + 0.8)],
                        stone,
                        sides=12,
                    ),
                    lathe([(slim * 0.9, h), (0.02, h + slim * 5)], tiles, sides=10),
                ]
            )
            site.subject(minaret.moved(sx * wide * 0.85, r + (sy * 2 - 1) * wide * 0.72))
        site.subject(
            arcade(
                3,
                wide * 0.4,
                wide * 0.28,
                3,
                high * 0.55,
                2.4,
                stone,
                rise=1.4,
                inside=site.plain((0.08, 0.07, 0.06)),
            ).moved(0, r - wide * 0.75 - 1.2)
        )
        top = high * 1.6
    else:
        site.subject(
            boxes([(0, long / 2, 0)], (wide, long, high), site.windowed(own), None, (3.4, high)),
            roof(long + 1, wide + 1, wide * site.share(0.5, 0.85), tiles, ridge=1.0, steps=2).moved(
                0, long / 2, high, math.pi / 2
            ),
        )

        gable = wide * 0.66
        site.subject(
            quads(
                [
                    [
                        (-wide / 2, -0.05, high),
                        (wide / 2, -0.05, high),
                        (0, -0.05, high + gable),
                        (0, -0.05, high + gable),
                    ]
                ],
                None,
                stone,
            ),
            boxes([(0, -0.2, 0)], (wide, 0.5, high), stone),
        )
        rose = lathe([(wide * 0.2, 0), (0, 0.05)], dark, sides=16, cell=(1, 1))
        site.subject(
            Solid(
                rose.points[..., [0, 2, 1]], rose.normals[..., [0, 2, 1]], rose.uvs, rose.paints, rose.tints
            ).moved(0, -0.55, high * 0.82)
        )
        portal = arcade(
            1,
            wide * 0.42,
            wide * 0.24,
            2.4,
            5.4,
            1.6,
            stone,
            rise=site.share(1.0, 1.7),
            inside=site.plain((0.07, 0.06, 0.05)),
        )
        site.subject(
            portal.moved(0, -1),
            boxes([(0, -0.5, 0)], (2.4, 0.2, 3.6), site.plain(((0.2, 0.09, 0.04), (0.3, 0.05, 0.04)))),
        )
        towers = site.pick((1, 2, 2))
        w, tall = site.share(4, 6), high * site.share(1.35, 2.2)
        spots = [0.0] if towers == 1 else [-wide / 2, wide / 2]
        y = site.share(0, 3) if towers == 2 else site.pick((1.0, long + 2))
        for x in spots:
            h = tall * (1.0 if x <= 0 or site.maybe(70) else 0.8)
            site.subject(
                boxes([(x, y, 0)], (w, w, h), stone),
                boxes([(x, y, h * t) for t in (0.5, 0.78, 1.0)], (w + 0.5, w + 0.5, 0.4), site.plain(own)),
            )
            site.subject(
                boxes(
                    [(x, y - w / 2 - 0.03, h * t) for t in (0.3, 0.58, 0.84)],
                    (w * 0.3, 0.1, h * 0.12),
                    dark,
                    None,
                    (w, h),
                )
            )
            spire = site.whole(0, 3)
            if spire < 2:
                site.subject(
                    lathe(
                        [(w * 0.6, h), (0.05, h + w * site.share(1.2, 3.4))],
                        tiles,
                        sides=site.pick((4, 8)),
                        smooth=False,
                        turn=math.pi / 4,
                    )
                ) if x == 0 and y == 0 else site.subject(
                    lathe(
                        [(w * 0.6, 0), (0.05, w * site.share(1.2, 3.4))], tiles, sides=8, smooth=False
                    ).moved(x, y, h)
                )
            elif spire == 2:
                site.subject(
                    dome(w * 0.5, w * 0.7, site.plain(ROOFS), onion=0.5).moved(x, y, h),
                    cylinder(0.1, 2, tiles).moved(x, y, h + w * 0.7),
                )
            else:
                site.subject(
                    boxes(
                        [(x + a * w * 0.45, y + b * w * 0.45, h) for a in (-1, 1) for b in (-1, 1)],
                        (0.7, 0.7, 2),
                        stone,
                    )
                )
        n = int(long // 5)
        site.subject(
            boxes(
                [(s * (wide / 2 + 0.7), 3 + 5 * k, 0) for s in (-1, 1) for k in range(n)],
                (1.6, 0.8, high * 0.75),
                stone,
            )
        )
        top = tall
    site.subject(stairs(wide * 0.7, site.whole(3, 8), 0.4, 0.16, site.plain(STONES)).moved(0, -1.8))
    ground(site, site.lawn() if site.maybe(30) else None)
    site.beside(floor(site.pavement(), -3, -60, 3, 0, 0.01))
    site.beside(groves(site, (4, (-26, -wide * 0.8), (-10, 12)), (4, (wide * 0.8, 26), (-10, 12)), sorts=2))
    town(site, wide / 2 + site.share(10, 18), 4)
    people(site, int(site.passing.integers(2, 12)), (-12, 12), (-18, -4))
    street_lamps(site, [(-7, -9), (7, -9)])
    for s in (-1, 1):
        site.lamp(s * wide * 0.4, -5, 1.5, 30)
    return Sight((0, 2, top * 0.5), top * 0.95 + 16, high=site.share(1.8, 5), angle=60)


def memorial(site: Site) -> Sight:
    """Build an obelisk, a figure, a column, a rotunda or an arch."""
    form = site.whole(0, 4)
    stone = site.masonry(site.hue(STONES))
    pale = site.plain(STONES)
    steps = site.whole(2, 7)
    if form == 4:
        wide, high, deep = site.share(16, 26), site.share(15, 24), site.share(5, 9)
        site.subject(
            arcade(1, wide, wide * site.share(0.32, 0.48), high * 0.4, high * 0.8, deep, stone, inside=pale),
            boxes([(0, 0, high * 0.8)], (wide + 1, deep + 1, 0.9), pale),
            boxes([(0, 0, high * 0.8 + 0.9)], (wide * 0.96, deep * 0.9, high * 0.2), stone),
        )
        site.subject(
            boxes(
                [(s * wide * 0.37, -deep / 2 - 0.2, 0) for s in (-1, 1)], (wide * 0.14, 0.6, high * 0.5), pale
            )
        )
        if site.maybe(50):
            site.subject(statue(site, 7).moved(0, 0, high + 0.6))
        tall, base = high, 0.0
    else:
        r = site.share(5, 11)
        base = 0.0
        sides = site.pick((4, 8, 24))
        for n in range(steps):
            site.subject(
                lathe(
                    [(r * (1 - 0.06 * n), base), (r * (1 - 0.06 * n), base + 0.3), (0, base + 0.3)],
                    pale,
                    sides=sides,
                    smooth=False,
                    turn=math.pi / 4,
                )
            )
            base += 0.3
        if form == 0:
            tall = site.share(16, 42)
            w = tall * site.share(0.07, 0.1)
            site.subject(
                boxes([(0, 0, base)], (w * 2, w * 2, tall * 0.1), stone),
                lathe(
                    [(w * 0.72, tall * 0.1), (w * 0.5, tall * 0.92), (0.02, tall)],
                    stone if site.maybe(60) else pale,
                    sides=4,
                    smooth=False,
                    turn=math.pi / 4,
                ).moved(z=base),
            )
        elif form == 1:
            tall = site.share(8, 18)
            site.subject(statue(site, tall).moved(z=base))
            for _ in range(site.whole(0, 4)):
                a = site.share(0, 6.28)
                site.subject(
                    statue(site, tall * 0.4).moved(math.cos(a) * r * 0.5, math.sin(a) * r * 0.5, base)
                )
        elif form == 2:
            tall = site.share(16, 34)
            w = tall * 0.06
            site.subject(
                boxes([(0, 0, base)], (w * 3, w * 3, tall * 0.16), stone),
                lathe(
                    [
                        (w * 1.2, 0),
                        (w, 1),
                        (w * 0.85, tall * 0.7),
                        (w * 1.4, tall * 0.74),
                        (w * 1.4, tall * 0.76),
                    ],
                    pale,
                    sides=16,
                ).moved(z=base + tall * 0.16),
            )
            site.subject(
                statue(site, tall * 0.22).moved(z=base + tall * 0.92)
                if site.maybe(60)
                else ball(w * 1.3, site.plain(((0.6, 0.42, 0.1),), shine=0.4)).moved(z=base + tall * 0.95)
            )
        else:
            tall = site.share(9, 15)
            n = site.whole(8, 14)
            angles = np.arange(n) * 2 * math.pi / n
            ring = r * 0.72
            site.subject(
                cylinder(0.45, tall * 0.6, pale, sides=12).copied(
                    np.stack([ring * np.cos(angles), ring * np.sin(angles), angles * 0 + base], 1)
                )
            )
            site.subject(
                lathe(
                    [
                        (ring * 0.9, tall * 0.6),
                        (ring * 1.12, tall * 0.6),
                        (ring * 1.12, tall * 0.7),
                        (ring * 0.9, tall * 0.75),
                    ],
                    stone,
                    sides=24,
                ).moved(z=base),
                dome(ring * 0.92, ring * site.share(0.45, 0.9), pale).moved(z=base + tall * 0.74),
                statue(site, tall * 0.5).moved(z=base),
            )
    ground(site, site.lawn() if site.maybe(55) else None)
    site.beside(floor(site.pavement(), -4, -80, 4, 30, 0.01))
    for s in (-1, 1):
        if site.maybe(50):
            site.beside(hedges(site, [(s * 7, -10 - 5 * n, 0) for n in range(3)], [(2, 4, 0.8)] * 3))
    site.beside(
        groves(site, (8, (-40, -13), (-14, 30)), (8, (13, 40), (-14, 30)), (6, (-30, 30), (26, 45)), sorts=2)
    )
    if site.maybe(40):
        site.beside(fence(site, -12, 12, -9, 0.9))
    people(site, int(site.passing.integers(2, 14)), (-12, 12), (-20, -6))
    street_lamps(site, [(-6, -14), (6, -14)])
    for s in (-1, 1):
        site.lamp(s * 5, -6, 1.0, 34, (1, 0.9, 0.7))
    skyline(site, 45, 190, 60)
    return Sight((0, 0, (base + tall) * 0.5), (base + tall) * 1.0 + 12, 60, high=site.share(1.7, 5), angle=58)


def stadium(site: Site) -> Sight:
    """Build a bowl with ribs, a net or a curtain around it."""
    rx, ry, high = site.share(46, 62), site.share(34, 46), site.share(17, 30)
    steel = site.plain(((0.6, 0.6, 0.62), (0.3, 0.3, 0.32), (0.55, 0.1, 0.08), (0.5, 0.42, 0.25)), shine=0.15)
    skin = site.pick((site.glazed(cell=3), site.windowed(), site.plain(BRIGHTS), site.plain(STONES)))
    a = np.linspace(0, 2 * math.pi, 73, dtype=np.float32)
    lean, swing = site.share(0.92, 1.14), site.share(0, 0.22)
    rise = high * (1 + swing * np.cos(2 * a + site.share(0, 3)))
    low = np.stack([rx * np.cos(a), ry * np.sin(a), a * 0], -1)
    top = np.stack([rx * lean * np.cos(a), ry * lean * np.sin(a), rise], -1)
    inner = np.stack([rx * 0.66 * np.cos(a), ry * 0.62 * np.sin(a), rise * site.share(0.95, 1.15)], -1)
    uv = np.stack(np.broadcast_arrays(np.arange(73, dtype=np.float32) * 1.5, np.array([[0.0], [5.0]])), -1)
    site.subject(
        grid(np.stack([low, top]), uv, skin, smooth=True),
        grid(np.stack([top, inner]), uv, steel, smooth=True),
    )
    form = site.whole(0, 2)
    if form == 0:
        k = np.arange(0, 72, site.pick((2, 3)))
        site.subject(
            beams(low[k] * (1.05, 1.05, 1), top[k] * (1.03, 1.03, 1.02), site.share(0.7, 1.6), steel)
        )
    elif form == 1:
        k = np.arange(72)
        for shift in (site.whole(3, 9), -site.whole(3, 9)):
            site.subject(
                beams(
                    low[k] * (1.03, 1.03, 1),
                    top[(k + shift) % 72] * (1.03, 1.03, 1),
                    site.share(0.4, 0.9),
                    steel,
                )
            )
    else:
        for t in np.linspace(0.2, 0.95, site.whole(2, 6)):
            ring = (low * (1 - t) + top * t) * (1.02, 1.02, 1)
            site.subject(beams(ring[:-1], ring[1:], 0.9, steel))
    if site.maybe(50):
        mast, bulb = site.plain((0.4, 0.4, 0.42)), site.paint(Paint((0.7, 0.7, 0.7), glow=(4, 4, 3.6)))
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            site.subject(
                cylinder(0.8, high * 1.7, mast, sides=6).moved(x * rx * 0.8, y * ry * 0.8),
                boxes([(x * rx * 0.8, y * ry * 0.8, high * 1.7)], (6, 1, 4), bulb),
            )
    ground(site)
    site.beside(groves(site, (12, (-50, 50), (-ry - 26, -ry - 8)), sorts=2))
    people(site, int(site.passing.integers(8, 30)), (-30, 30), (-ry - 34, -ry - 4))
    street_lamps(site, [(x, -ry - 12) for x in (-27, -9, 9, 27)], 6)
    skyline(site, 60, 180, 80)
    return Sight((0, -6, high * 0.5), ry + 52, 60, high=site.share(3, 22), angle=66)
