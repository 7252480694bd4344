"""Tall buildings: towers, skyscrapers, hotels."""

from __future__ import annotations

import math

import numpy as np

from planspec_pictures.rendering.solids import (
    ball,
    beams,
    boxes,
    cylinder,
    dome,
    grid,
    lathe,
    roof,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, PLASTERS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    awning,
    cars,
    ground,
    groves,
    hedges,
    people,
    planted,
    shop_row,
    skyline,
    street_lamps,
    town,
)


def tower(site: Site) -> Sight:
    """Build a skyscraper, a tower with pods, a lattice of steel, or a tower of stone."""
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
    """Build a tall house in one of several forms; return its height."""
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
    """Build a hotel: a slab, a tower or an old corner house, with a canopy and a sign."""
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
