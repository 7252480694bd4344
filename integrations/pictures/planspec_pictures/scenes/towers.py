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
    add_cars,
    add_ground,
    add_people,
    add_skyline,
    add_street_lamps,
    add_town,
    awning,
    hedges,
    plant_groves,
    plant_trees,
    shop_row,
)


def tower(site: Site) -> Sight:
    """Build a skyscraper, a television tower with pods, a steel lattice tower or a stone tower."""
    form = site.pick(("high", "high", "pods", "lattice", "stone"))
    if form == "high":
        total_height = _add_skyscraper(site, site.uniform(90, 210))
    elif form == "pods":
        total_height = site.uniform(90, 180)
        steel = site.plain_paint(((0.55, 0.55, 0.56), (0.4, 0.38, 0.36), (0.6, 0.56, 0.5)), shine=0.15)
        r = total_height * site.uniform(0.03, 0.05)
        legs = site.pick((0, 3, 4))
        if legs:
            angles = np.arange(legs) * 2 * math.pi / legs + site.uniform(0, 2)
            site.add_subject(
                beams(
                    np.stack([np.cos(angles) * r * 4.2, np.sin(angles) * r * 4.2, angles * 0], 1),
                    np.stack(
                        [np.cos(angles) * r * 0.5, np.sin(angles) * r * 0.5, angles * 0 + total_height * 0.4],
                        1,
                    ),
                    r * 0.9,
                    steel,
                )
            )
        site.add_subject(
            lathe(
                [
                    (r * 1.5, 0),
                    (r * 0.8, total_height * 0.3),
                    (r * 0.5, total_height * 0.8),
                    (0.7, total_height * 0.9),
                    (0.15, total_height * 1.18),
                ],
                steel,
                sides=14,
            )
        )
        tint = site.plain_paint(((0.5, 0.1, 0.12), (0.5, 0.5, 0.52), (0.1, 0.2, 0.35), (0.6, 0.4, 0.1)), shine=0.3)
        for at in sorted(site.uniform(0.25, 0.85) for _ in range(site.integer(1, 3))):
            s = r * site.uniform(1.6, 3.4)
            z = total_height * at
            if site.maybe(45):
                site.add_subject(
                    ball(s, tint, sides=18).transform(z=z),
                    lathe(
                        [(s * 1.01, -s * 0.1), (s * 1.01, s * 0.15)],
                        site.glass_wall(),
                        sides=20,
                        cell=(1.5, 3),
                    ).transform(z=z),
                )
            else:
                site.add_subject(
                    lathe([(r * 0.5, -s * 0.8), (s, -s * 0.2)], tint, sides=20).transform(z=z),
                    lathe([(s, -s * 0.2), (s * 1.08, s * 0.3)], site.glass_wall(), sides=20, cell=(1.5, 2)).transform(
                        z=z
                    ),
                    lathe([(s * 1.08, s * 0.3), (r * 0.5, s * 0.7)], tint, sides=20).transform(z=z),
                )
        site.add_subject(
            lathe([(r * 4, 0), (r * 4, 5), (0, 6.5)], site.window_wall(), sides=16, smooth=False, cell=(3, 5))
        )
    elif form == "lattice":
        total_height, foot = site.uniform(70, 150), site.uniform(0.16, 0.24)
        steel = site.plain_paint(((0.25, 0.16, 0.1), (0.45, 0.12, 0.06), (0.5, 0.5, 0.52), (0.16, 0.17, 0.18)))
        n = site.integer(8, 12)
        rise = total_height * (1 - (1 - np.linspace(0, 1, n + 1)) ** site.uniform(1.0, 1.3))
        half = total_height * foot * (1 - rise / total_height) ** site.uniform(1.2, 2.2) + 0.8
        corners = [np.stack([a * half, b * half, rise], 1) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        site.add_subject(*(beams(c[:-1], c[1:], np.linspace(total_height * 0.014, 0.4, n), steel) for c in corners))
        for one, other in zip(corners, (*corners[1:], corners[0]), strict=True):
            site.add_subject(
                beams(one[:-1], other[1:], 0.5, steel),
                beams(other[:-1], one[1:], 0.5, steel),
                beams(one[1:], other[1:], 0.6, steel),
            )
        for at in site.pick(((2, n - 3), (3,), (n - 2,))):
            site.add_subject(
                boxes(
                    [(0, 0, rise[at])],
                    (2.5 * half[at] + 2, 2.5 * half[at] + 2, total_height * 0.022),
                    site.plain_paint(STONES),
                )
            )
        site.add_subject(cylinder(0.4, total_height * 0.12, steel).transform(z=total_height))
    else:
        total_height, w = site.uniform(28, 55), site.uniform(6, 10)
        stone = site.masonry()
        round_ = site.maybe(45)
        sides = 16 if round_ else site.pick((4, 4, 8))
        trim = site.plain_paint(STONES)
        levels = site.integer(2, 5)
        for n in range(levels):
            r = w * 0.7 * (1 - 0.09 * n)
            site.add_subject(
                lathe(
                    [(r, total_height * n / levels), (r * 0.97, total_height * (n + 1) / levels)],
                    site.window_wall(site.paints[stone].colour) if site.maybe(55) else stone,
                    sides=sides,
                    smooth=round_,
                    turn=math.pi / 4,
                    cell=(2.6, total_height / levels),
                )
            )
            site.add_subject(
                lathe(
                    [
                        (r * 1.1, total_height * (n + 1) / levels - 0.4),
                        (r * 1.12, total_height * (n + 1) / levels),
                        (0, total_height * (n + 1) / levels),
                    ],
                    trim,
                    sides=sides,
                    smooth=False,
                    turn=math.pi / 4,
                )
            )
        r = w * 0.6
        top = site.integer(0, 2)
        if top == 0:
            site.add_subject(
                lathe(
                    [(r, 0), (r * 0.6, total_height * 0.1), (0.05, total_height * site.uniform(0.2, 0.4))],
                    site.roof_tiles(),
                    sides=sides,
                    smooth=False,
                    turn=math.pi / 4,
                ).transform(z=total_height)
            )
        elif top == 1:
            site.add_subject(
                dome(r, r * 1.1, site.plain_paint(ROOFS), onion=site.uniform(0, 0.5)).transform(z=total_height + 3),
                lathe([(r * 0.9, 0), (r * 0.9, 3)], site.glass_wall(), sides=8, cell=(1.4, 3)).transform(
                    z=total_height
                ),
            )
        else:
            k = np.arange(0, 2 * math.pi, math.pi / 8)
            site.add_subject(
                boxes(np.stack([r * np.cos(k), r * np.sin(k), k * 0 + total_height], 1), (1.1, 1.1, 1.8), stone)
            )
    add_ground(site)
    add_town(site, site.uniform(16, 24), site.uniform(0, 10), height=(8, 26))
    add_skyline(site, 75, 90, total_height * 0.6)
    site.add_beside(plant_groves(site, (site.integer(3, 8), (-22, 22), (-26, -14)), sorts=2))
    add_people(site, 10, (-16, 16), (-34, -14))
    add_cars(site, 4, (-24, 24), -30)
    add_street_lamps(site, [(-12, -24), (12, -24)])
    return Sight((0, 0, total_height * 0.5), total_height * 1.05 + 14, 40, max_height=12, angle=62)


def _add_skyscraper(site: Site, total_height: float) -> float:
    """Add a skyscraper in one of several forms; return its height."""
    w = total_height * site.uniform(0.13, 0.2)
    skin = site.glass_wall(cell=3.2) if site.maybe(65) else site.window_wall(cell=3.2)
    trim = site.plain_paint(((0.5, 0.5, 0.5), (0.2, 0.2, 0.22), (0.6, 0.56, 0.48)), shine=0.2)
    cell = (site.uniform(2.4, 4.5), site.uniform(3.2, 4.6))
    form = site.integer(0, 3)
    if form == 0:  # a stepped skyscraper
        z, size = 0.0, w
        for _ in range(site.integer(2, 6)):
            h = total_height * site.uniform(0.18, 0.4)
            site.add_subject(boxes([(0, 0, z)], (size, size * site.uniform(0.8, 1), h), skin, trim, cell))
            z, size = z + h, size * site.uniform(0.65, 0.88)
        site.add_subject(
            lathe(
                [(size * 0.4, z), (0.3, z + total_height * site.uniform(0.08, 0.3))],
                trim,
                sides=4,
                smooth=False,
                turn=0.785,
            )
        )
        return z
    sides = site.pick((4, 4, 5, 6, 8, 24))
    twist, taper, bulge = (
        site.uniform(-1.6, 1.6) if form == 1 else 0.0,
        site.uniform(0.45, 1.0),
        site.uniform(-0.2, 0.25),
    )
    rows = 25
    t = np.linspace(0, 1, rows, dtype=np.float32)[:, None]
    a = np.linspace(0, 2 * math.pi, sides + 1, dtype=np.float32)[None] + math.pi / 4 + twist * t
    r = w * 0.68 * (1 + (taper - 1) * t + bulge * np.sin(math.pi * t))
    points = np.stack([r * np.cos(a), r * np.sin(a), total_height * t + 0 * a], -1)
    columns = max(1, round(2 * math.pi * w * 0.68 / sides / cell[0]))
    uv = np.stack(
        np.broadcast_arrays(np.arange(sides + 1, dtype=np.float32)[None] * columns, t * round(total_height / cell[1])),
        -1,
    )
    strips = np.stack([points[:, :-1], points[:, 1:]], 2).transpose(1, 0, 2, 3)
    laid = np.stack([uv[:, :-1], uv[:, 1:]], 2).transpose(1, 0, 2, 3)
    site.add_subject(grid(points, uv, skin, smooth=True) if sides == 24 else grid(strips, laid, skin))
    end = float(r[-1, 0])
    top = site.integer(0, 3)
    if top == 0:
        site.add_subject(
            lathe(
                [(end, 0), (end * 0.4, total_height * 0.06), (0.3, total_height * 0.2)],
                trim,
                sides=sides,
                smooth=sides == 24,
                turn=math.pi / 4 + twist,
            ).transform(z=total_height)
        )
    elif top == 1:
        site.add_subject(
            lathe(
                [(end, 0), (end, total_height * 0.03), (0, total_height * 0.03)],
                trim,
                sides=sides,
                smooth=False,
                turn=math.pi / 4 + twist,
            ).transform(z=total_height),
            cylinder(0.6, total_height * 0.14, trim).transform(end * 0.3, 0, total_height),
        )
    elif top == 2:
        site.add_subject(dome(end, end * site.uniform(0.6, 1.6), site.glass_wall()).transform(z=total_height))
    else:
        site.add_subject(
            boxes(
                [(-end * 0.4, 0, total_height), (end * 0.4, 0, total_height)],
                (end * 0.3, end * 0.9, total_height * 0.09),
                trim,
            ),
            boxes([(0, 0, total_height * 1.08)], (end, end * 0.5, total_height * 0.02), trim),
        )
    site.add_subject(boxes([(0, 0, 0)], (w * 1.7, w * 1.5, site.uniform(6, 12)), site.glass_wall(), trim, (2, 4)))
    return total_height


def hotel(site: Site) -> Sight:
    """Build a hotel: a slab block, a tower or an old corner house, with a canopy and a sign."""
    if site.maybe(25):
        total_height = _add_skyscraper(site, site.uniform(50, 100))
        z, width, depth = total_height, total_height * 0.28, total_height * 0.26
    else:
        floors, width, depth = site.integer(4, 16), site.uniform(18, 34), site.uniform(12, 18)
        wall, trim = site.window_wall(site.draw_colour((*PLASTERS, *STONES))), site.plain_paint(STONES)
        cell = (site.uniform(2.4, 4.4), 3.2)
        z = 5 + floors * 3.2
        form = site.integer(0, 2)
        site.add_subject(
            boxes([(0, depth / 2, 5)], (width, depth, z - 5), wall, trim, cell),
            boxes([(0, depth / 2, 0)], (width + 0.4, depth + 0.4, 5), site.masonry()),
        )
        if form == 1:
            w = width * site.uniform(0.25, 0.4)
            site.add_subject(
                boxes([(s * (width / 2 - w / 2), -1, 5) for s in (-1, 1)], (w, 3, z - 5 + 1.5), wall, trim, cell)
            )
        if form == 2:
            k = [5 + 3.2 * n for n in range(floors)]
            site.add_subject(
                boxes([(0, -0.7, q) for q in k], (width, 1.5, 0.18), trim),
                boxes([(0, -1.4, q + 0.18) for q in k], (width, 0.08, 0.9), site.glass_wall()),
            )
        if floors < 8 and site.maybe(60):
            site.add_subject(
                roof(
                    width + 1,
                    depth + 1,
                    site.uniform(3, 6),
                    site.roof_tiles(),
                    ridge=0.7,
                    curve=site.pick((1.0, 0.7)),
                    steps=3,
                ).transform(0, depth / 2, z)
            )
        else:
            site.add_subject(
                boxes(
                    [(0, depth / 2, z)],
                    (width * site.uniform(0.3, 0.8), depth * 0.5, site.uniform(2.5, 5)),
                    trim,
                ),
                boxes([(0, 0.1, z)], (width + 0.4, 0.5, 1.1), trim),
            )
        site.add_subject(shop_row(site.shopfront(), width, int(width // 3), 5).transform(-width / 2, -0.22))
    sign = site.sign_board()
    if site.maybe(50):
        site.add_subject(
            boxes(
                [
                    (
                        site.pick((-1, 1)) * width * 0.4,
                        -0.6 - (depth * 0.5 if depth > 18 else 0),
                        z * site.uniform(0.3, 0.5),
                    )
                ],
                (1.1, 1.6, z * site.uniform(0.2, 0.4)),
                sign,
            )
        )
    else:
        site.add_subject(boxes([(site.uniform(-0.2, 0.2) * width, 1, z + 0.3)], (site.uniform(6, 14), 0.5, 2.2), sign))
    canopy = site.plain_paint(BRIGHTS)
    x = site.uniform(-0.25, 0.25) * width
    y0 = 0.0 if depth <= 18 else -depth * 0.65
    site.add_subject(
        boxes([(x, y0 - 2.5, 3.8)], (site.uniform(6, 12), 5.5, site.uniform(0.3, 0.8)), canopy),
        boxes([(x - 2.8, y0 - 4.9, 0), (x + 2.8, y0 - 4.9, 0)], (0.4, 0.4, 3.8), site.plain_paint(STONES)),
    )
    site.add_lamp(x, y0 - 3, 3.4, 40)
    if site.maybe(40):
        site.add_subject(awning(site, -width * 0.45, -width * 0.15, 4.2), awning(site, width * 0.15, width * 0.45, 4.2))
    add_ground(site)
    site.add_beside(hedges(site, [(x + s * 6, y0 - 5, 0) for s in (-1, 1)], [(3, 1, 0.9)] * 2))
    site.add_beside(
        plant_trees(
            site,
            np.array([(s * site.uniform(9, width * 0.6), y0 - site.uniform(5, 9)) for s in (-1, 1, 1)], np.float32),
            sorts=2,
        )
    )
    add_cars(site, int(site.moment.integers(1, 6)), (-18, 18), y0 - 9)
    add_people(site, int(site.moment.integers(2, 10)), (-14, 14), (y0 - 12, y0 - 2))
    add_street_lamps(site, [(-11, y0 - 7), (11, y0 - 7)])
    add_town(site, width / 2 + site.uniform(1, 7), 1, height=(8, 26))
    add_skyline(site, 45, 110, 80)
    return Sight((0, 0, z * 0.46), z * 0.85 + 20, max_height=site.uniform(2, 9), angle=62)
