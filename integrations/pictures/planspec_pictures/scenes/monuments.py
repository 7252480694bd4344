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
    join_solids,
    lathe,
    quads,
    roof,
    stairs,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_ground,
    add_people,
    add_skyline,
    add_street_lamps,
    add_town,
    fence,
    floor,
    hedges,
    plant_groves,
    statue,
)


def church(site: Site) -> Sight:
    """Build a church with a nave and towers, or one with a dome and slender towers."""
    stone = site.masonry(site.draw_colour(STONES) if site.maybe(70) else None)
    own = site.paints[stone].colour
    tiles, dark = (
        site.roof_tiles(),
        site.paint(Paint((0.05, 0.06, 0.09), (0.3, 0.1, 0.1), Pattern.LATTICE, 1.0, 0.1, glow=(0.9, 0.5, 0.2))),
    )
    width, height, length = site.uniform(11, 17), site.uniform(11, 18), site.uniform(26, 40)
    if site.maybe(28):  # the church with a dome
        r = width * 0.62
        site.add_subject(
            boxes(
                [(0, r, 0)],
                (width * 1.5, width * 1.5, height * 0.7),
                site.window_wall(own),
                site.plain_paint(STONES),
                (2.6, height * 0.35),
            )
        )
        site.add_subject(
            lathe([(r, 0), (r, 3.2)], site.window_wall(own), sides=20, cell=(1.6, 3.2)).transform(0, r, height * 0.7),
            dome(
                r * 1.02,
                r * site.uniform(0.85, 1.25),
                site.plain_paint((*ROOFS, (0.6, 0.42, 0.08))),
                onion=site.pick((0.0, 0.0, 0.4)),
            ).transform(0, r, height * 0.7 + 3.2),
        )
        slim = site.uniform(1.0, 1.8)
        for sx, sy in site.pick((((-1, 0), (1, 0)), ((-1, 0), (1, 0), (-1, 1), (1, 1)), ((1, 0),))):
            h = height * site.uniform(1.5, 2.2)
            minaret = join_solids(
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
            site.add_subject(minaret.transform(sx * width * 0.85, r + (sy * 2 - 1) * width * 0.72))
        site.add_subject(
            arcade(
                3,
                width * 0.4,
                width * 0.28,
                3,
                height * 0.55,
                2.4,
                stone,
                rise=1.4,
                inside=site.plain_paint((0.08, 0.07, 0.06)),
            ).transform(0, r - width * 0.75 - 1.2)
        )
        top = height * 1.6
    else:
        site.add_subject(
            boxes([(0, length / 2, 0)], (width, length, height), site.window_wall(own), None, (3.4, height)),
            roof(length + 1, width + 1, width * site.uniform(0.5, 0.85), tiles, ridge=1.0, steps=2).transform(
                0, length / 2, height, math.pi / 2
            ),
        )

        gable = width * 0.66
        site.add_subject(
            quads(
                [
                    [
                        (-width / 2, -0.05, height),
                        (width / 2, -0.05, height),
                        (0, -0.05, height + gable),
                        (0, -0.05, height + gable),
                    ]
                ],
                None,
                stone,
            ),
            boxes([(0, -0.2, 0)], (width, 0.5, height), stone),
        )
        rose = lathe([(width * 0.2, 0), (0, 0.05)], dark, sides=16, cell=(1, 1))
        site.add_subject(
            Solid(
                rose.points[..., [0, 2, 1]], rose.normals[..., [0, 2, 1]], rose.uvs, rose.paints, rose.tints
            ).transform(0, -0.55, height * 0.82)
        )
        portal = arcade(
            1,
            width * 0.42,
            width * 0.24,
            2.4,
            5.4,
            1.6,
            stone,
            rise=site.uniform(1.0, 1.7),
            inside=site.plain_paint((0.07, 0.06, 0.05)),
        )
        site.add_subject(
            portal.transform(0, -1),
            boxes([(0, -0.5, 0)], (2.4, 0.2, 3.6), site.plain_paint(((0.2, 0.09, 0.04), (0.3, 0.05, 0.04)))),
        )
        towers = site.pick((1, 2, 2))
        w, total_height = site.uniform(4, 6), height * site.uniform(1.35, 2.2)
        spots = [0.0] if towers == 1 else [-width / 2, width / 2]
        y = site.uniform(0, 3) if towers == 2 else site.pick((1.0, length + 2))
        for x in spots:
            h = total_height * (1.0 if x <= 0 or site.maybe(70) else 0.8)
            site.add_subject(
                boxes([(x, y, 0)], (w, w, h), stone),
                boxes([(x, y, h * t) for t in (0.5, 0.78, 1.0)], (w + 0.5, w + 0.5, 0.4), site.plain_paint(own)),
            )
            site.add_subject(
                boxes(
                    [(x, y - w / 2 - 0.03, h * t) for t in (0.3, 0.58, 0.84)],
                    (w * 0.3, 0.1, h * 0.12),
                    dark,
                    None,
                    (w, h),
                )
            )
            spire = site.integer(0, 3)
            if spire < 2:
                site.add_subject(
                    lathe(
                        [(w * 0.6, h), (0.05, h + w * site.uniform(1.2, 3.4))],
                        tiles,
                        sides=site.pick((4, 8)),
                        smooth=False,
                        turn=math.pi / 4,
                    )
                ) if x == 0 and y == 0 else site.add_subject(
                    lathe([(w * 0.6, 0), (0.05, w * site.uniform(1.2, 3.4))], tiles, sides=8, smooth=False).transform(
                        x, y, h
                    )
                )
            elif spire == 2:
                site.add_subject(
                    dome(w * 0.5, w * 0.7, site.plain_paint(ROOFS), onion=0.5).transform(x, y, h),
                    cylinder(0.1, 2, tiles).transform(x, y, h + w * 0.7),
                )
            else:
                site.add_subject(
                    boxes(
                        [(x + a * w * 0.45, y + b * w * 0.45, h) for a in (-1, 1) for b in (-1, 1)],
                        (0.7, 0.7, 2),
                        stone,
                    )
                )
        n = int(length // 5)
        site.add_subject(
            boxes(
                [(s * (width / 2 + 0.7), 3 + 5 * k, 0) for s in (-1, 1) for k in range(n)],
                (1.6, 0.8, height * 0.75),
                stone,
            )
        )
        top = total_height
    site.add_subject(stairs(width * 0.7, site.integer(3, 8), 0.4, 0.16, site.plain_paint(STONES)).transform(0, -1.8))
    add_ground(site, site.lawn() if site.maybe(30) else None)
    site.add_beside(floor(site.pavement(), -3, -60, 3, 0, 0.01))
    site.add_beside(plant_groves(site, (4, (-26, -width * 0.8), (-10, 12)), (4, (width * 0.8, 26), (-10, 12)), sorts=2))
    add_town(site, width / 2 + site.uniform(10, 18), 4)
    add_people(site, int(site.moment.integers(2, 12)), (-12, 12), (-18, -4))
    add_street_lamps(site, [(-7, -9), (7, -9)])
    for s in (-1, 1):
        site.add_lamp(s * width * 0.4, -5, 1.5, 30)
    return Sight((0, 2, top * 0.5), top * 0.95 + 16, max_height=site.uniform(1.8, 5), angle=60)


def memorial(site: Site) -> Sight:
    """Build a memorial: an obelisk, a statue, a column, a rotunda or an arch."""
    form = site.integer(0, 4)
    stone = site.masonry(site.draw_colour(STONES))
    pale = site.plain_paint(STONES)
    steps = site.integer(2, 7)
    if form == 4:
        width, height, depth = site.uniform(16, 26), site.uniform(15, 24), site.uniform(5, 9)
        site.add_subject(
            arcade(
                1,
                width,
                width * site.uniform(0.32, 0.48),
                height * 0.4,
                height * 0.8,
                depth,
                stone,
                inside=pale,
            ),
            boxes([(0, 0, height * 0.8)], (width + 1, depth + 1, 0.9), pale),
            boxes([(0, 0, height * 0.8 + 0.9)], (width * 0.96, depth * 0.9, height * 0.2), stone),
        )
        site.add_subject(
            boxes(
                [(s * width * 0.37, -depth / 2 - 0.2, 0) for s in (-1, 1)],
                (width * 0.14, 0.6, height * 0.5),
                pale,
            )
        )
        if site.maybe(50):
            site.add_subject(statue(site, 7).transform(0, 0, height + 0.6))
        total_height, base = height, 0.0
    else:
        r = site.uniform(5, 11)
        base = 0.0
        sides = site.pick((4, 8, 24))
        for n in range(steps):
            site.add_subject(
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
            total_height = site.uniform(16, 42)
            w = total_height * site.uniform(0.07, 0.1)
            site.add_subject(
                boxes([(0, 0, base)], (w * 2, w * 2, total_height * 0.1), stone),
                lathe(
                    [(w * 0.72, total_height * 0.1), (w * 0.5, total_height * 0.92), (0.02, total_height)],
                    stone if site.maybe(60) else pale,
                    sides=4,
                    smooth=False,
                    turn=math.pi / 4,
                ).transform(z=base),
            )
        elif form == 1:
            total_height = site.uniform(8, 18)
            site.add_subject(statue(site, total_height).transform(z=base))
            for _ in range(site.integer(0, 4)):
                a = site.uniform(0, 6.28)
                site.add_subject(
                    statue(site, total_height * 0.4).transform(math.cos(a) * r * 0.5, math.sin(a) * r * 0.5, base)
                )
        elif form == 2:
            total_height = site.uniform(16, 34)
            w = total_height * 0.06
            site.add_subject(
                boxes([(0, 0, base)], (w * 3, w * 3, total_height * 0.16), stone),
                lathe(
                    [
                        (w * 1.2, 0),
                        (w, 1),
                        (w * 0.85, total_height * 0.7),
                        (w * 1.4, total_height * 0.74),
                        (w * 1.4, total_height * 0.76),
                    ],
                    pale,
                    sides=16,
                ).transform(z=base + total_height * 0.16),
            )
            site.add_subject(
                statue(site, total_height * 0.22).transform(z=base + total_height * 0.92)
                if site.maybe(60)
                else ball(w * 1.3, site.plain_paint(((0.6, 0.42, 0.1),), shine=0.4)).transform(
                    z=base + total_height * 0.95
                )
            )
        else:
            total_height = site.uniform(9, 15)
            n = site.integer(8, 14)
            angles = np.arange(n) * 2 * math.pi / n
            ring = r * 0.72
            site.add_subject(
                cylinder(0.45, total_height * 0.6, pale, sides=12).copies_at(
                    np.stack([ring * np.cos(angles), ring * np.sin(angles), angles * 0 + base], 1)
                )
            )
            site.add_subject(
                lathe(
                    [
                        (ring * 0.9, total_height * 0.6),
                        (ring * 1.12, total_height * 0.6),
                        (ring * 1.12, total_height * 0.7),
                        (ring * 0.9, total_height * 0.75),
                    ],
                    stone,
                    sides=24,
                ).transform(z=base),
                dome(ring * 0.92, ring * site.uniform(0.45, 0.9), pale).transform(z=base + total_height * 0.74),
                statue(site, total_height * 0.5).transform(z=base),
            )
    add_ground(site, site.lawn() if site.maybe(55) else None)
    site.add_beside(floor(site.pavement(), -4, -80, 4, 30, 0.01))
    for s in (-1, 1):
        if site.maybe(50):
            site.add_beside(hedges(site, [(s * 7, -10 - 5 * n, 0) for n in range(3)], [(2, 4, 0.8)] * 3))
    site.add_beside(
        plant_groves(site, (8, (-40, -13), (-14, 30)), (8, (13, 40), (-14, 30)), (6, (-30, 30), (26, 45)), sorts=2)
    )
    if site.maybe(40):
        site.add_beside(fence(site, -12, 12, -9, 0.9))
    add_people(site, int(site.moment.integers(2, 14)), (-12, 12), (-20, -6))
    add_street_lamps(site, [(-6, -14), (6, -14)])
    for s in (-1, 1):
        site.add_lamp(s * 5, -6, 1.0, 34, (1, 0.9, 0.7))
    add_skyline(site, 45, 190, 60)
    return Sight(
        (0, 0, (base + total_height) * 0.5),
        (base + total_height) * 1.0 + 12,
        60,
        max_height=site.uniform(1.7, 5),
        angle=58,
    )


def stadium(site: Site) -> Sight:
    """Build a stadium: a bowl surrounded by ribs, a net or a curtain wall."""
    rx, ry, height = site.uniform(46, 62), site.uniform(34, 46), site.uniform(17, 30)
    steel = site.plain_paint(((0.6, 0.6, 0.62), (0.3, 0.3, 0.32), (0.55, 0.1, 0.08), (0.5, 0.42, 0.25)), shine=0.15)
    skin = site.pick((site.glass_wall(cell=3), site.window_wall(), site.plain_paint(BRIGHTS), site.plain_paint(STONES)))
    a = np.linspace(0, 2 * math.pi, 73, dtype=np.float32)
    lean, swing = site.uniform(0.92, 1.14), site.uniform(0, 0.22)
    rise = height * (1 + swing * np.cos(2 * a + site.uniform(0, 3)))
    low = np.stack([rx * np.cos(a), ry * np.sin(a), a * 0], -1)
    top = np.stack([rx * lean * np.cos(a), ry * lean * np.sin(a), rise], -1)
    inner = np.stack([rx * 0.66 * np.cos(a), ry * 0.62 * np.sin(a), rise * site.uniform(0.95, 1.15)], -1)
    uv = np.stack(np.broadcast_arrays(np.arange(73, dtype=np.float32) * 1.5, np.array([[0.0], [5.0]])), -1)
    site.add_subject(
        grid(np.stack([low, top]), uv, skin, smooth=True),
        grid(np.stack([top, inner]), uv, steel, smooth=True),
    )
    form = site.integer(0, 2)
    if form == 0:
        k = np.arange(0, 72, site.pick((2, 3)))
        site.add_subject(beams(low[k] * (1.05, 1.05, 1), top[k] * (1.03, 1.03, 1.02), site.uniform(0.7, 1.6), steel))
    elif form == 1:
        k = np.arange(72)
        for shift in (site.integer(3, 9), -site.integer(3, 9)):
            site.add_subject(
                beams(
                    low[k] * (1.03, 1.03, 1),
                    top[(k + shift) % 72] * (1.03, 1.03, 1),
                    site.uniform(0.4, 0.9),
                    steel,
                )
            )
    else:
        for t in np.linspace(0.2, 0.95, site.integer(2, 6)):
            ring = (low * (1 - t) + top * t) * (1.02, 1.02, 1)
            site.add_subject(beams(ring[:-1], ring[1:], 0.9, steel))
    if site.maybe(50):
        mast, bulb = site.plain_paint((0.4, 0.4, 0.42)), site.paint(Paint((0.7, 0.7, 0.7), glow=(4, 4, 3.6)))
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            site.add_subject(
                cylinder(0.8, height * 1.7, mast, sides=6).transform(x * rx * 0.8, y * ry * 0.8),
                boxes([(x * rx * 0.8, y * ry * 0.8, height * 1.7)], (6, 1, 4), bulb),
            )
    add_ground(site)
    site.add_beside(plant_groves(site, (12, (-50, 50), (-ry - 26, -ry - 8)), sorts=2))
    add_people(site, int(site.moment.integers(8, 30)), (-30, 30), (-ry - 34, -ry - 4))
    add_street_lamps(site, [(x, -ry - 12) for x in (-27, -9, 9, 27)], 6)
    add_skyline(site, 60, 180, 80)
    return Sight((0, -6, height * 0.5), ry + 52, 60, max_height=site.uniform(3, 22), angle=66)
