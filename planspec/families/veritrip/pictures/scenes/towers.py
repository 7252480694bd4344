"""What stands tall: towers, hotels, churches, memorials, stadiums."""

from __future__ import annotations

import math

import numpy as np

from planspec.families.veritrip.pictures.rendering.paints import Paint, Pattern
from planspec.families.veritrip.pictures.rendering.solids import (
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
from planspec.families.veritrip.pictures.scenes.scene import Sight
from planspec.families.veritrip.pictures.scenes.site import BRIGHTS, PLASTERS, ROOFS, STONES, Site
from planspec.families.veritrip.pictures.scenes.surroundings import (
    awning,
    cars,
    fence,
    floor,
    ground,
    groves,
    hedges,
    people,
    planted,
    shop_row,
    skyline,
    statue,
    street_lamps,
    town,
)


def tower(site: Site) -> Sight:
    """A skyscraper, a tower with pods, a lattice of steel, or a tower of stone."""
    form = site.pick(("high", "high", "pods", "lattice", "stone"))
    if form == "high":
        tall = _skyscraper(site, site.share(90, 210))
    elif form == "pods":
        tall = site.share(90, 180)
        steel = site.plain(((0.55, 0.55, 0.56), (0.4, 0.38, 0.36), (0.6, 0.56, 0.5)), shine=0.15)
        r = tall * site.share(0.03, 0.05)
        legs = site.pick((0, 3, 4))
        if legs:
            angles = np.arange(legs) * 2 * math.pi / legs + site.share(0, 2)
            site.subject(
                beams(
                    np.stack([np.cos(angles) * r * 4.2, np.sin(angles) * r * 4.2, angles * 0], 1),
                    np.stack(
                        [np.cos(angles) * r * 0.5, np.sin(angles) * r * 0.5, angles * 0 + tall * 0.4], 1
                    ),
                    r * 0.9,
                    steel,
                )
            )
        site.subject(
            lathe(
                [
                    (r * 1.5, 0),
                    (r * 0.8, tall * 0.3),
                    (r * 0.5, tall * 0.8),
                    (0.7, tall * 0.9),
                    (0.15, tall * 1.18),
                ],
                steel,
                sides=14,
            )
        )
        tint = site.plain(((0.5, 0.1, 0.12), (0.5, 0.5, 0.52), (0.1, 0.2, 0.35), (0.6, 0.4, 0.1)), shine=0.3)
        for at in sorted(site.share(0.25, 0.85) for _ in range(site.whole(1, 3))):
            s = r * site.share(1.6, 3.4)
            z = tall * at
            if site.maybe(45):
                site.subject(
                    ball(s, tint, sides=18).moved(z=z),
                    lathe(
                        [(s * 1.01, -s * 0.1), (s * 1.01, s * 0.15)], site.glazed(), sides=20, cell=(1.5, 3)
                    ).moved(z=z),
                )
            else:
                site.subject(
                    lathe([(r * 0.5, -s * 0.8), (s, -s * 0.2)], tint, sides=20).moved(z=z),
                    lathe([(s, -s * 0.2), (s * 1.08, s * 0.3)], site.glazed(), sides=20, cell=(1.5, 2)).moved(
                        z=z
                    ),
                    lathe([(s * 1.08, s * 0.3), (r * 0.5, s * 0.7)], tint, sides=20).moved(z=z),
                )
        site.subject(
            lathe([(r * 4, 0), (r * 4, 5), (0, 6.5)], site.windowed(), sides=16, smooth=False, cell=(3, 5))
        )
    elif form == "lattice":
        tall, foot = site.share(70, 150), site.share(0.16, 0.24)
        steel = site.plain(((0.25, 0.16, 0.1), (0.45, 0.12, 0.06), (0.5, 0.5, 0.52), (0.16, 0.17, 0.18)))
        n = site.whole(8, 12)
        rise = tall * (1 - (1 - np.linspace(0, 1, n + 1)) ** site.share(1.0, 1.3))
        half = tall * foot * (1 - rise / tall) ** site.share(1.2, 2.2) + 0.8
        corners = [np.stack([a * half, b * half, rise], 1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        site.subject(*(beams(c[:-1], c[1:], np.linspace(tall * 0.014, 0.4, n), steel) for c in corners))
        for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
            site.subject(
                beams(one[:-1], other[1:], 0.5, steel),
                beams(other[:-1], one[1:], 0.5, steel),
                beams(one[1:], other[1:], 0.6, steel),
            )
        for at in site.pick(((2, n - 3), (3,), (n - 2,))):
            site.subject(
                boxes(
                    [(0, 0, rise[at])],
                    (2.5 * half[at] + 2, 2.5 * half[at] + 2, tall * 0.022),
                    site.plain(STONES),
                )
            )
        site.subject(cylinder(0.4, tall * 0.12, steel).moved(z=tall))
    else:
        tall, w = site.share(28, 55), site.share(6, 10)
        stone = site.masonry()
        round_ = site.maybe(45)
        sides = 16 if round_ else site.pick((4, 4, 8))
        trim = site.plain(STONES)
        levels = site.whole(2, 5)
        for n in range(levels):
            r = w * 0.7 * (1 - 0.09 * n)
            site.subject(
                lathe(
                    [(r, tall * n / levels), (r * 0.97, tall * (n + 1) / levels)],
                    site.windowed(site.paints[stone].colour) if site.maybe(55) else stone,
                    sides=sides,
                    smooth=round_,
                    turn=math.pi / 4,
                    cell=(2.6, tall / levels),
                )
            )
            site.subject(
                lathe(
                    [
                        (r * 1.1, tall * (n + 1) / levels - 0.4),
                        (r * 1.12, tall * (n + 1) / levels),
                        (0, tall * (n + 1) / levels),
                    ],
                    trim,
                    sides=sides,
                    smooth=False,
                    turn=math.pi / 4,
                )
            )
        r = w * 0.6
        top = site.whole(0, 2)
        if top == 0:
            site.subject(
                lathe(
                    [(r, 0), (r * 0.6, tall * 0.1), (0.05, tall * site.share(0.2, 0.4))],
                    site.tiled(),
                    sides=sides,
                    smooth=False,
                    turn=math.pi / 4,
                ).moved(z=tall)
            )
        elif top == 1:
            site.subject(
                dome(r, r * 1.1, site.plain(ROOFS), onion=site.share(0, 0.5)).moved(z=tall + 3),
                lathe([(r * 0.9, 0), (r * 0.9, 3)], site.glazed(), sides=8, cell=(1.4, 3)).moved(z=tall),
            )
        else:
            k = np.arange(0, 2 * math.pi, math.pi / 8)
            site.subject(
                boxes(np.stack([r * np.cos(k), r * np.sin(k), k * 0 + tall], 1), (1.1, 1.1, 1.8), stone)
            )
    ground(site)
    town(site, site.share(16, 24), site.share(0, 10), high=(8, 26))
    skyline(site, 75, 90, tall * 0.6)
    site.beside(groves(site, (site.whole(3, 8), (-22, 22), (-26, -14)), sorts=2))
    people(site, 10, (-16, 16), (-34, -14))
    cars(site, 4, (-24, 24), -30)
    street_lamps(site, [(-12, -24), (12, -24)])
    return Sight((0, 0, tall * 0.5), tall * 1.05 + 14, 40, high=12, angle=62)


def _skyscraper(site: Site, tall: float) -> float:
    """A tall house in one of several forms; its height."""
    w = tall * site.share(0.13, 0.2)
    skin = site.glazed(cell=3.2) if site.maybe(65) else site.windowed(cell=3.2)
    trim = site.plain(((0.5, 0.5, 0.5), (0.2, 0.2, 0.22), (0.6, 0.56, 0.48)), shine=0.2)
    cell = (site.share(2.4, 4.5), site.share(3.2, 4.6))
    form = site.whole(0, 3)
    if form == 0:  # steps
        z, size = 0.0, w
        for _ in range(site.whole(2, 6)):
            h = tall * site.share(0.18, 0.4)
            site.subject(boxes([(0, 0, z)], (size, size * site.share(0.8, 1), h), skin, trim, cell))
            z, size = z + h, size * site.share(0.65, 0.88)
        site.subject(
            lathe(
                [(size * 0.4, z), (0.3, z + tall * site.share(0.08, 0.3))],
                trim,
                sides=4,
                smooth=False,
                turn=0.785,
            )
        )
        return z
    sides = site.pick((4, 4, 5, 6, 8, 24))
    twist, taper, bulge = (
        site.share(-1.6, 1.6) if form == 1 else 0.0,
        site.share(0.45, 1.0),
        site.share(-0.2, 0.25),
    )
    rows = 25
    t = np.linspace(0, 1, rows, dtype=np.float32)[:, None]
    a = np.linspace(0, 2 * math.pi, sides + 1, dtype=np.float32)[None] + math.pi / 4 + twist * t
    r = w * 0.68 * (1 + (taper - 1) * t + bulge * np.sin(math.pi * t))
    points = np.stack([r * np.cos(a), r * np.sin(a), tall * t + 0 * a], -1)
    columns = max(1, round(2 * math.pi * w * 0.68 / sides / cell[0]))
    uv = np.stack(
        np.broadcast_arrays(
            np.arange(sides + 1, dtype=np.float32)[None] * columns, t * round(tall / cell[1])
        ),
        -1,
    )
    strips = np.stack([points[:, :-1], points[:, 1:]], 2).transpose(1, 0, 2, 3)
    laid = np.stack([uv[:, :-1], uv[:, 1:]], 2).transpose(1, 0, 2, 3)
    site.subject(grid(points, uv, skin, smooth=True) if sides == 24 else grid(strips, laid, skin))
    end = float(r[-1, 0])
    top = site.whole(0, 3)
    if top == 0:
        site.subject(
            lathe(
                [(end, 0), (end * 0.4, tall * 0.06), (0.3, tall * 0.2)],
                trim,
                sides=sides,
                smooth=sides == 24,
                turn=math.pi / 4 + twist,
            ).moved(z=tall)
        )
    elif top == 1:
        site.subject(
            lathe(
                [(end, 0), (end, tall * 0.03), (0, tall * 0.03)],
                trim,
                sides=sides,
                smooth=False,
                turn=math.pi / 4 + twist,
            ).moved(z=tall),
            cylinder(0.6, tall * 0.14, trim).moved(end * 0.3, 0, tall),
        )
    elif top == 2:
        site.subject(dome(end, end * site.share(0.6, 1.6), site.glazed()).moved(z=tall))
    else:
        site.subject(
            boxes([(-end * 0.4, 0, tall), (end * 0.4, 0, tall)], (end * 0.3, end * 0.9, tall * 0.09), trim),
            boxes([(0, 0, tall * 1.08)], (end, end * 0.5, tall * 0.02), trim),
        )
    site.subject(boxes([(0, 0, 0)], (w * 1.7, w * 1.5, site.share(6, 12)), site.glazed(), trim, (2, 4)))
    return tall


def hotel(site: Site) -> Sight:
    """A hotel: a slab, a tower or an old corner house, with a canopy and a sign."""
    if site.maybe(25):
        tall = _skyscraper(site, site.share(50, 100))
        z, wide, deep = tall, tall * 0.28, tall * 0.26
    else:
        floors, wide, deep = site.whole(4, 16), site.share(18, 34), site.share(12, 18)
        wall, trim = site.windowed(site.hue((*PLASTERS, *STONES))), site.plain(STONES)
        cell = (site.share(2.4, 4.4), 3.2)
        z = 5 + floors * 3.2
        form = site.whole(0, 2)
        site.subject(
            boxes([(0, deep / 2, 5)], (wide, deep, z - 5), wall, trim, cell),
            boxes([(0, deep / 2, 0)], (wide + 0.4, deep + 0.4, 5), site.masonry()),
        )
        if form == 1:
            w = wide * site.share(0.25, 0.4)
            site.subject(
                boxes(
                    [(s * (wide / 2 - w / 2), -1, 5) for s in (-1, 1)], (w, 3, z - 5 + 1.5), wall, trim, cell
                )
            )
        if form == 2:
            k = [5 + 3.2 * n for n in range(floors)]
            site.subject(
                boxes([(0, -0.7, q) for q in k], (wide, 1.5, 0.18), trim),
                boxes([(0, -1.4, q + 0.18) for q in k], (wide, 0.08, 0.9), site.glazed()),
            )
        if floors < 8 and site.maybe(60):
            site.subject(
                roof(
                    wide + 1,
                    deep + 1,
                    site.share(3, 6),
                    site.tiled(),
                    ridge=0.7,
                    curve=site.pick((1.0, 0.7)),
                    steps=3,
                ).moved(0, deep / 2, z)
            )
        else:
            site.subject(
                boxes(
                    [(0, deep / 2, z)], (wide * site.share(0.3, 0.8), deep * 0.5, site.share(2.5, 5)), trim
                ),
                boxes([(0, 0.1, z)], (wide + 0.4, 0.5, 1.1), trim),
            )
        site.subject(shop_row(site.shopfront(), wide, int(wide // 3), 5).moved(-wide / 2, -0.22))
    sign = site.board()
    if site.maybe(50):
        site.subject(
            boxes(
                [
                    (
                        site.pick((-1, 1)) * wide * 0.4,
                        -0.6 - (deep * 0.5 if deep > 18 else 0),
                        z * site.share(0.3, 0.5),
                    )
                ],
                (1.1, 1.6, z * site.share(0.2, 0.4)),
                sign,
            )
        )
    else:
        site.subject(boxes([(site.share(-0.2, 0.2) * wide, 1, z + 0.3)], (site.share(6, 14), 0.5, 2.2), sign))
    canopy = site.plain(BRIGHTS)
    x = site.share(-0.25, 0.25) * wide
    y0 = 0.0 if deep <= 18 else -deep * 0.65
    site.subject(
        boxes([(x, y0 - 2.5, 3.8)], (site.share(6, 12), 5.5, site.share(0.3, 0.8)), canopy),
        boxes([(x - 2.8, y0 - 4.9, 0), (x + 2.8, y0 - 4.9, 0)], (0.4, 0.4, 3.8), site.plain(STONES)),
    )
    site.lamp(x, y0 - 3, 3.4, 40)
    if site.maybe(40):
        site.subject(
            awning(site, -wide * 0.45, -wide * 0.15, 4.2), awning(site, wide * 0.15, wide * 0.45, 4.2)
        )
    ground(site)
    site.beside(hedges(site, [(x + s * 6, y0 - 5, 0) for s in (-1, 1)], [(3, 1, 0.9)] * 2))
    site.beside(
        planted(
            site,
            np.array(
                [(s * site.share(9, wide * 0.6), y0 - site.share(5, 9)) for s in (-1, 1, 1)], np.float32
            ),
            sorts=2,
        )
    )
    cars(site, int(site.passing.integers(1, 6)), (-18, 18), y0 - 9)
    people(site, int(site.passing.integers(2, 10)), (-14, 14), (y0 - 12, y0 - 2))
    street_lamps(site, [(-11, y0 - 7), (11, y0 - 7)])
    town(site, wide / 2 + site.share(1, 7), 1, high=(8, 26))
    skyline(site, 45, 110, 80)
    return Sight((0, 0, z * 0.46), z * 0.85 + 20, high=site.share(2, 9), angle=62)


def church(site: Site) -> Sight:
    """A nave with towers, or a domed hall with slender ones."""
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
    """An obelisk, a figure, a column, a rotunda or an arch."""
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
    """A bowl with ribs, a net or a curtain around it."""
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
