"""Outdoor scenes: parks, formal gardens, mountains, zoos, fairs."""

from __future__ import annotations

import math

import cv2
import numpy as np

from planspec_pictures.rendering.noise import cloud_noise
from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    Array,
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
    roof,
    shift_points,
    terrain,
)
from planspec_pictures.scenes import eastern, halls
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, GLAZES, LACQUERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_ground,
    add_hills,
    add_people,
    add_skyline,
    add_street_lamps,
    conifer,
    draw_tree_positions,
    fence,
    floor,
    flowers,
    fountain,
    hedges,
    house,
    parasols,
    plant_groves,
    plant_trees,
    statue,
)
from planspec_pictures.scenes.waterside import boat


def _centrepiece(site: Site) -> Solid:
    """Build the centrepiece of a park."""
    form = site.integer(0, 5)
    if form == 0:
        return fountain(site, site.uniform(3, 6))
    if form == 1:
        return statue(site, site.uniform(4, 8))
    if form == 2:  # a bandstand
        n, r, h = site.pick((6, 8)), site.uniform(2.6, 4), site.uniform(3, 4)
        a = np.arange(n) * 2 * math.pi / n
        post = site.plain_paint(BRIGHTS)
        return join_solids(
            [
                lathe([(r * 1.2, 0), (r * 1.2, 0.9), (0, 0.9)], site.masonry(), sides=n, smooth=False),
                cylinder(0.1, h, post).copies_at(np.stack([r * np.cos(a), r * np.sin(a), a * 0 + 0.9], 1)),
                lathe(
                    [(r * 1.3, h + 0.9), (r * 0.5, h + 2), (0.1, h + 3)],
                    site.roof_tiles(),
                    sides=n,
                    smooth=False,
                ),
                lathe([(r, h + 0.4), (r, h + 0.9)], post, sides=n, smooth=False),
            ]
        )
    if form == 3:  # a greenhouse
        w, d, h = site.uniform(12, 20), site.uniform(7, 10), site.uniform(4, 6)
        glass = site.glass_wall(site.draw_colour(((0.2, 0.25, 0.24),)), cell=1.2)
        return join_solids(
            [
                boxes([(0, 0, 0)], (w, d, h), glass, cell=(1.2, 1.4)),
                roof(w, d, h * 0.5, glass, ridge=site.uniform(0.4, 1)).transform(z=h),
                dome(d * 0.5, d * 0.6, glass).transform(z=h),
            ]
        )
    if form == 4:
        return eastern.hall(
            site,
            site.uniform(6, 9),
            site.uniform(5, 7),
            3,
            site.roof_tiles(GLAZES),
            site.draw_colour(LACQUERS),
            site.pick((1, 2)),
            1.0,
        )
    stone = site.plain_paint(STONES)
    rocks = [
        lathe(
            [(1.2, 0), (1.5, 0.8), (0.9, 2), (0.2, 2.8)],
            site.paint(Paint(site.draw_colour(((0.35, 0.33, 0.3),)), (0.1, 0.15, 0.05), Pattern.ROCK)),
            sides=7,
            smooth=False,
        ).transform(site.uniform(-3, 3), site.uniform(-2, 2), 0, site.uniform(0, 6), site.uniform(0.6, 1.6))
        for _ in range(5)
    ]
    return join_solids([*rocks, boxes([(0, -2.4, 0)], (3, 0.5, 1.2), stone)])


def park(site: Site) -> Sight:
    """Build a park with lawns, paths, trees, a pond and a centrepiece."""
    add_ground(site, site.lawn())
    path = site.pavement()
    bend = site.uniform(-14, 14)
    y = np.linspace(-60, 70, 40, dtype=np.float32)
    x = bend * np.sin(y / site.uniform(18, 34) + site.uniform(0, 6))
    x -= np.interp(-24, y, x)
    width = site.uniform(1.2, 2.6)
    strip = np.stack([np.stack([x + s * width, y, np.full_like(y, 0.02)], -1) for s in (-1, 1)])
    site.add_beside(grid(strip, strip[..., :2], path))
    site.add_subject(_centrepiece(site).transform(site.uniform(-4, 4), site.uniform(2, 9)))
    if site.maybe(60):
        rx, ry, px, py = site.uniform(7, 16), site.uniform(4, 8), site.uniform(-12, 12), site.uniform(-8, 0)
        a = np.linspace(0, 2 * math.pi, 33, dtype=np.float32)
        wob = 1 + 0.15 * np.sin(2 * a + site.uniform(0, 6)) + 0.1 * np.sin(3 * a + site.uniform(0, 6))
        rim = np.stack([px + rx * wob * np.cos(a), py + ry * wob * np.sin(a), np.full_like(a, 0.04)], -1)
        middle = np.broadcast_to(np.array([px, py, 0.04], np.float32), rim.shape)
        site.add_subject(
            grid(np.stack([middle, rim]), np.zeros((2, 33, 2)), site.water()),
            boxes(shift_points(rim, z=-0.1), (0.7, 0.7, 0.3), site.plain_paint(STONES)),
        )
    near = np.concatenate(
        [
            draw_tree_positions(site, site.integer(2, 4), (-22, -6), (-12, 6)),
            draw_tree_positions(site, site.integer(2, 4), (6, 22), (-12, 6)),
        ]
    )
    site.add_subject(plant_trees(site, near, sorts=3))
    site.add_beside(plant_groves(site, (site.integer(24, 44), (-70, 70), (14, 60)), sorts=4))
    for _ in range(site.integer(1, 4)):
        bx, by = site.uniform(-14, 12), site.uniform(-9, 6)
        site.add_subject(flowers(site, bx, by, bx + site.uniform(2, 6), by + site.uniform(1, 2.5), 420))
    bench = join_solids(
        [
            boxes([(0, 0, 0.4)], (1.8, 0.5, 0.08), site.plain_paint(((0.3, 0.18, 0.09), (0.1, 0.2, 0.12)))),
            boxes([(0, 0.25, 0.5)], (1.8, 0.06, 0.5), site.plain_paint((0.3, 0.18, 0.09))),
            boxes([(-0.8, 0, 0), (0.8, 0, 0)], (0.08, 0.5, 0.42), site.plain_paint((0.05, 0.05, 0.05))),
        ]
    )
    site.add_beside(bench.copies_at([(float(np.interp(q, y, x)) + 2.6, q, 0) for q in (-8, 0, 8)], 1.57))
    add_people(site, int(site.moment.integers(3, 16)), (-14, 14), (-14, 12))
    add_street_lamps(site, [(float(np.interp(q, y, x)) - 2.6, q) for q in (-14, -4, 6, 18)])
    if site.maybe(60):
        add_skyline(site, 66, 120, 90)
    else:
        add_hills(site, 70, 260)
    return Sight((0, 3, 2.4), 24, 50, max_height=site.uniform(2, 7), angle=62)


def garden(site: Site) -> Sight:
    """Build a formal garden of beds and hedges; in East Asia, a pond with rocks."""
    if (site.eastern and site.maybe(75)) or site.maybe(15):
        return eastern.garden(site)
    add_ground(site, site.lawn())
    gravel = site.plain_paint(((0.5, 0.44, 0.33), (0.45, 0.43, 0.4)))
    n, m = site.integer(1, 3), site.integer(2, 4)
    bw, bd, gap = site.uniform(5, 9), site.uniform(4, 7), site.uniform(2, 3.4)
    full = n * 2 * (bw + gap)
    site.add_beside(floor(gravel, -full / 2 - 3, -8, full / 2 + 3, m * (bd + gap) + 6, 0.01))
    form = site.integer(0, 2)
    for i in range(-n, n):
        for j in range(m):
            x, y = (i + 0.5) * (bw + gap), -5 + j * (bd + gap) + bd / 2
            if form == 0:
                earth = site.lawn() if j == 0 and i == -n else len(site.paints) - 1
                site.add_subject(floor(earth, x - bw / 2, y - bd / 2, x + bw / 2, y + bd / 2, 0.03))
            site.add_subject(flowers(site, x - bw / 2 + 0.4, y - bd / 2 + 0.4, x + bw / 2 - 0.4, y + bd / 2 - 0.4, 330))
    leaf_at, leaf_size = [], []
    for i in range(-n, n):
        for j in range(m):
            x, y = (i + 0.5) * (bw + gap), -5 + j * (bd + gap) + bd / 2
            leaf_at += [(x, y - bd / 2, 0), (x, y + bd / 2, 0), (x - bw / 2, y, 0), (x + bw / 2, y, 0)]
            leaf_size += [(bw, 0.5, 0.5), (bw, 0.5, 0.5), (0.5, bd, 0.5), (0.5, bd, 0.5)]
    site.add_subject(hedges(site, np.array(leaf_at), np.array(leaf_size)))
    cone = lathe(
        [(0.9, 0), (0.6, 1.2), (0.05, 2.6)]
        if site.maybe(50)
        else [(0.1, 0), (0.1, 1), (0.8, 1.3), (0.8, 1.9), (0.1, 2.4)],
        site.foliage(),
        sides=12,
    )
    site.add_subject(
        cone.copies_at(
            [(i * (bw + gap), -5 + j * (bd + gap) - gap / 2, 0) for i in range(-n, n + 1) for j in range(m + 1) if i]
        )
    )
    site.add_subject(
        (fountain(site, site.uniform(2.4, 4)) if site.maybe(60) else statue(site, 5)).transform(0, site.uniform(2, 8))
    )
    end = m * (bd + gap) + 4
    if site.maybe(55):
        behind = Site(site.dice, site.moment, site.eastern)
        halls.palace(behind)
        site.add_behind(behind, end + 14)
    else:
        site.add_beside(
            hedges(site, [(0, end + 2, 0)], [(full + 20, 1.5, 3)]), _centrepiece(site).transform(0, end - 1)
        )
    site.add_beside(
        plant_groves(
            site,
            (9, (-full / 2 - 26, -full / 2 - 5), (-6, 30)),
            (9, (full / 2 + 5, full / 2 + 26), (-6, 30)),
            (14, (-50, 50), (end + 30, end + 60)),
            sorts=3,
        )
    )
    add_people(site, int(site.moment.integers(2, 10)), (-3, 3), (-8, 14))
    add_street_lamps(site, [(-gap, -7), (gap, -7)], 3.2)
    return Sight((0, 4, 1.4), 25, 45, min_height=2.4, max_height=8, angle=62)


def mountain(site: Site) -> Sight:
    """Build mountains with woods, rocks, a path to a hut or a temple, and perhaps water in front."""
    noise, row = cloud_noise(), int(site.chance.integers(0, 512))
    x, y = np.linspace(-420, 420, 121, dtype=np.float32), np.linspace(-30, 560, 91, dtype=np.float32)
    a, b = np.meshgrid(x, y)
    z = np.zeros_like(a)
    sharp = site.uniform(0.8, 2.2)
    for _ in range(site.integer(3, 9)):
        px, py, r, h = (
            site.uniform(-260, 260),
            site.uniform(140, 430),
            site.uniform(50, 150),
            site.uniform(60, 230),
        )
        d = np.hypot(a - px, (b - py) * site.uniform(0.7, 1.2)) / r
        z = np.maximum(z, h * np.exp(-(d**sharp)))
    i, j = (np.abs(a * 0.45 + row).astype(int)) % 512, (np.abs(b * 0.45 + row * 2).astype(int)) % 512
    bumps = cv2.GaussianBlur(noise[i, j].astype(np.float32), (0, 0), 0.9)
    z = z * (0.62 + 0.75 * bumps) + 6 * bumps
    z *= np.clip((b - 4) / 90, 0, 1) ** 1.3
    green = site.draw_colour(((0.08, 0.12, 0.04), (0.06, 0.1, 0.05), (0.2, 0.16, 0.05), (0.24, 0.13, 0.04)))
    rock = site.paint(
        Paint(
            site.draw_colour(((0.3, 0.27, 0.23), (0.36, 0.35, 0.34), (0.4, 0.28, 0.2), (0.2, 0.2, 0.2))),
            green,
            Pattern.ROCK,
        )
    )
    site.add_subject(terrain(x, y, z.astype(np.float32), rock))
    wet = site.maybe(55)
    site.add_beside(floor(site.water() if wet else site.lawn(), -900, -900, 900, 900, 0.35 if wet else -0.05))

    def ground_height(px: Array, py: Array) -> Array:
        k, m = np.clip((px + 420) / 7, 0, 119).astype(int), np.clip((py + 30) / 6.56, 0, 89).astype(int)
        return np.asarray(z[m, k])

    tree = conifer(site)
    small = Solid(tree.points[::3], tree.normals[::3], tree.uvs[::3], tree.paints[::3], tree.tints[::3])
    tx, ty = site.chance.random(150) * 320 - 160, site.chance.random(150) ** 1.3 * 260 + 26
    tz = ground_height(tx, ty)
    site.add_beside(
        small.copies_at(
            np.stack([tx, ty, tz - 0.5], 1),
            tx,
            0.9 + site.chance.random(150) * 0.8,
            0.7 + 0.5 * site.chance.random(150),
        )
    )
    hx, hy = site.uniform(-40, 40), site.uniform(60, 130)
    hz = float(ground_height(np.array([hx]), np.array([hy]))[0])
    if site.eastern or site.maybe(30):
        site.add_subject(
            eastern.hall(
                site, 12, 8, 4, site.roof_tiles(GLAZES), site.draw_colour(LACQUERS), site.pick((1, 2, 3)), 1.4
            ).transform(hx, hy, hz + 1, 0, site.uniform(1, 1.7)),
            boxes([(hx, hy, hz - 12)], (20, 16, 13), site.masonry()),
        )
    else:
        site.add_subject(
            house(site, 12, 9, 6.6, shops=False).transform(hx - 6, hy, hz + 0.5),
            boxes([(hx, hy + 4, hz - 12)], (16, 14, 12.6), site.masonry()),
        )
    if site.maybe(45):
        steel = site.plain_paint((0.3, 0.3, 0.32))
        k = np.linspace(0, 1, 6)
        cx, cy = -60 + k * 150, 40 + k * 240
        cz = ground_height(cx, cy)
        site.add_beside(
            beams(np.stack([cx, cy, cz], 1), np.stack([cx, cy, cz + 16], 1), 0.8, steel),
            beams(np.stack([cx, cy, cz + 16], 1)[:-1], np.stack([cx, cy, cz + 16], 1)[1:], 0.35, steel),
            boxes(
                np.stack([cx[:-1] + 12, cy[:-1] + 18, (cz[:-1] + cz[1:]) / 2 + 12], 1),
                (2.4, 2.4, 3),
                site.plain_paint(BRIGHTS),
            ),
        )
    site.add_beside(
        plant_trees(
            site,
            np.array(
                [(site.uniform(-30, -12), -6), (site.uniform(12, 30), -4), (site.uniform(-40, 40), 6)],
                np.float32,
            ),
            sorts=2,
        )
    )
    if wet and site.maybe(50):
        site.add_beside(
            boat(site, 7).transform(
                float(site.moment.uniform(-16, 16)),
                float(site.moment.uniform(-16, 0)),
                0.4,
                float(site.moment.uniform(0, 6)),
            )
        )
    add_hills(site, 240, 620)
    return Sight((0, 90, 34), 130, 20, min_height=4, max_height=20, angle=58)


def zoo(site: Site) -> Sight:
    """Build the gate of a zoo with stone animals, or an enclosure with rocks and animals."""
    add_ground(site, site.lawn() if site.maybe(60) else None)
    if site.maybe(50):
        width, height = site.uniform(14, 22), site.uniform(6, 9)
        paint = site.plain_paint(BRIGHTS)
        site.add_subject(
            arcade(
                site.pick((1, 2, 3)),
                width / 2.4,
                width / 3.4,
                2.4,
                height,
                1.6,
                site.masonry(),
                rise=site.uniform(0.7, 1.2),
            ),
            boxes([(0, -1, height)], (width * 0.7, 0.5, site.uniform(1.4, 2.4)), site.sign_board()),
        )
        for sign in (-1, 1):
            site.add_subject(
                lathe(
                    [(1.6, 0), (1.5, height), (2.2, height), (0.1, height + site.uniform(2, 4))],
                    paint,
                    sides=site.pick((6, 16)),
                    smooth=False,
                ).transform(sign * width * 0.62, 0)
            )
            site.add_subject(
                _animal(site).transform(sign * width * 0.45, -4, 0.8, site.uniform(-0.8, 0.8)),
                boxes([(sign * width * 0.45, -4, 0)], (3.4, 2.2, 0.8), site.masonry()),
            )
        back = 14.0
    else:
        rock = site.paint(
            Paint(
                site.draw_colour(((0.42, 0.35, 0.27), (0.36, 0.35, 0.33), (0.45, 0.3, 0.2))),
                (0.16, 0.17, 0.07),
                Pattern.ROCK,
            )
        )
        for _ in range(site.integer(5, 12)):
            r = site.uniform(1.6, 5)
            site.add_subject(
                lathe(
                    [
                        (r, -0.3),
                        (r * site.uniform(0.8, 1.2), r * 0.5),
                        (r * 0.6, r * site.uniform(0.8, 1.4)),
                        (0.1, r * site.uniform(1.2, 1.9)),
                    ],
                    rock,
                    sides=site.integer(5, 8),
                    smooth=False,
                    turn=site.uniform(0, 3),
                ).transform(site.uniform(-14, 14), site.uniform(4, 13))
            )
        if site.maybe(60):
            site.add_subject(
                lathe([(6, 0.05), (0, 0.06)], site.water(), sides=18).transform(
                    site.uniform(-6, 6), site.uniform(-1, 2)
                )
            )
        for _ in range(site.integer(2, 6)):
            site.add_subject(
                _animal(site).transform(site.uniform(-10, 10), site.uniform(-2, 4), 0, site.uniform(0, 6.2))
            )
        site.add_subject(
            fence(site, -16, 16, -5, 1.1),
            floor(site.plain_paint(((0.45, 0.36, 0.24), (0.3, 0.25, 0.17))), -16, -5, 16, 14, 0.01),
        )
        back = 18.0
    site.add_beside(
        plant_groves(site, (10, (-34, -13), (-8, 20)), (10, (13, 34), (-8, 20)), (18, (-45, 45), (back, 45)), sorts=4)
    )
    site.add_beside(
        parasols(
            site,
            [(site.uniform(9, 15) * site.pick((-1, 1)), -site.uniform(6, 10)) for _ in range(site.integer(0, 3) + 1)],
        )
    )
    add_people(site, int(site.moment.integers(4, 20)), (-12, 12), (-16, -5.5))
    add_street_lamps(site, [(-7, -8), (7, -8)])
    return Sight((0, 2, 2.6), 22, 45, min_height=1.8, max_height=4.5, angle=60)


def _animal(site: Site) -> Solid:
    """Build a four-legged animal of random proportions."""
    skin = site.plain_paint(
        ((0.35, 0.33, 0.31), (0.5, 0.34, 0.16), (0.2, 0.13, 0.08), (0.7, 0.68, 0.64), (0.08, 0.08, 0.08))
    )
    s, neck, leg = site.uniform(0.6, 1.3), site.uniform(0.2, 2.2), site.uniform(0.6, 1.5)
    body = ball(0.8 * s, skin, sides=12)
    stretched = Solid(
        body.points * np.array([1.5, 0.8, 0.9], np.float32), body.normals, body.uvs, body.paints, body.tints
    ).transform(z=(leg + 0.5) * s)
    head_at = (1.2 * s + 0.3 * neck * s, 0.0, (leg + 0.9 + neck) * s)
    legs = cylinder(0.17 * s, (leg + 0.2) * s, skin, sides=7).copies_at(
        [(u * 0.75 * s, v * 0.38 * s, 0) for u in (-1, 1) for v in (-1, 1)]
    )
    parts = [
        stretched,
        legs,
        beams([(0.8 * s, 0, (leg + 0.7) * s)], [head_at], 0.34 * s, skin),
        ball(0.32 * s, skin, sides=9).transform(*head_at),
    ]
    if site.maybe(40):
        parts.append(beams([head_at], [(head_at[0] + 0.5 * s, 0, head_at[2] - 1.2 * s)], 0.16 * s, skin))
    return join_solids(parts)


def fair(site: Site) -> Sight:
    """Build a fair with a Ferris wheel, a roller coaster, a castle and tents."""
    add_ground(site)
    steel = site.plain_paint(BRIGHTS)
    forms = [form for form in ("wheel", "track", "castle", "carousel", "drop") if site.maybe(55)] or [
        "wheel",
        "carousel",
    ]
    x = -14.0
    for form in forms:
        if form == "wheel":
            r, n = site.uniform(11, 20), site.integer(12, 24)
            a = np.arange(n) * 2 * math.pi / n
            hub = r + 3
            rim = np.stack([r * np.cos(a), a * 0, hub + r * np.sin(a)], 1)
            parts = [beams(np.tile([[0, s, hub]], (n, 1)), shift_points(rim, y=s), 0.16, steel) for s in (-0.9, 0.9)]
            parts += [
                beams(shift_points(rim, y=s), shift_points(np.roll(rim, -1, 0), y=s), 0.35, steel) for s in (-0.9, 0.9)
            ]
            parts += [
                boxes(shift_points(rim[k::3], z=-1.9), (1.7, 1.5, 1.7), site.plain_paint(BRIGHTS)) for k in range(3)
            ]
            parts.append(
                beams(
                    [(-r * 0.55, s, 0) for s in (-2, 2)] + [(r * 0.55, s, 0) for s in (-2, 2)],
                    [(0, s * 0.6, hub) for s in (-2, 2)] * 2,
                    0.7,
                    steel,
                )
            )
            bulb = site.paint(Paint((0.7, 0.7, 0.7), glow=site.draw_light(2.5)))
            parts.append(ball(0.22, bulb, sides=6).copies_at(shift_points(rim, y=-1.1)))
            site.add_subject(join_solids(parts).transform(x, site.uniform(6, 14), 0, site.uniform(-0.5, 0.5)))
        elif form == "track":
            t = np.linspace(0, 2 * math.pi, 90)
            rx, ry, h = site.uniform(13, 20), site.uniform(5, 10), site.uniform(7, 16)
            z = 2.5 + h * (0.5 + 0.5 * np.sin(t * site.integer(2, 4) + site.uniform(0, 6)))
            line = np.stack([rx * np.cos(t), ry * np.sin(t), z], 1)
            parts = [beams(line[:-1] * (k, k, 1), line[1:] * (k, k, 1), 0.28, steel) for k in (0.97, 1.03)]
            parts += [
                beams(line[:-1] * (0.97, 0.97, 1), line[:-1] * (1.03, 1.03, 1), 0.14, steel),
                beams(line[::3] * (1, 1, 0), line[::3], 0.3, site.plain_paint((0.5, 0.5, 0.5))),
            ]
            site.add_subject(join_solids(parts).transform(x + 6, 18))
        elif form == "castle":
            wall, tip = (
                site.plain_paint(((0.6, 0.55, 0.55), (0.5, 0.52, 0.6), (0.62, 0.5, 0.42))),
                site.plain_paint(BRIGHTS),
            )
            for _ in range(site.integer(4, 9)):
                r, h = site.uniform(1.2, 3), site.uniform(8, 24)
                site.add_subject(
                    join_solids(
                        [
                            lathe(
                                [(r, 0), (r * 0.9, h)],
                                site.window_wall(site.paints[wall].colour) if site.maybe(40) else wall,
                                sides=12,
                                cell=(1.8, 3),
                            ),
                            lathe([(r * 1.3, h), (0.03, h + r * site.uniform(2.2, 4))], tip, sides=12),
                        ]
                    ).transform(x + site.uniform(-7, 7), 10 + site.uniform(-4, 4))
                )
            site.add_subject(
                arcade(1, 12, 4.4, 3, 8, 3, wall, rise=1.3, inside=site.plain_paint((0.08, 0.07, 0.07))).transform(x, 5)
            )
        elif form == "carousel":
            r, stripe = (
                site.uniform(4, 7),
                site.paint(
                    Paint(
                        site.draw_colour(BRIGHTS),
                        (0.72, 0.7, 0.66),
                        Pattern.STRIPES,
                        1.4,
                        0.1,
                        detail=(0.5, 0, 0, 0),
                    )
                ),
            )
            turns = np.arange(10) * 0.628
            site.add_subject(
                join_solids(
                    [
                        lathe([(r, 3.4), (r, 4.3), (0.3, 6.8)], stripe, sides=20),
                        lathe([(r, 0), (r, 0.6), (0, 0.6)], steel, sides=20),
                        cylinder(0.06, 3.4, site.plain_paint((0.6, 0.45, 0.1))).copies_at(
                            np.stack([r * 0.8 * np.cos(turns), r * 0.8 * np.sin(turns), turns * 0], 1)
                        ),
                        cylinder(1.1, 3.6, site.plain_paint(BRIGHTS)),
                    ]
                ).transform(x, site.uniform(-1, 4))
            )
            site.add_subject(
                _animal(site).copies_at(
                    np.stack([x + r * 0.8 * np.cos(turns), 1.5 + r * 0.8 * np.sin(turns), turns * 0 + 0.7], 1),
                    turns + 1.57,
                    0.6,
                )
            )
        else:
            h = site.uniform(22, 34)
            site.add_subject(
                beams(
                    [(x + u, 14 + v, 0) for u in (-1, 1) for v in (-1, 1)],
                    [(x + u, 14 + v, h) for u in (-1, 1) for v in (-1, 1)],
                    0.35,
                    steel,
                ),
                boxes([(x, 14, z) for z in np.arange(0, h, 2)], (2.3, 2.3, 0.2), steel),
                lathe([(3.2, 0), (3.2, 1.2), (1.2, 1.4)], site.plain_paint(BRIGHTS), sides=12).transform(
                    x, 14, h * site.uniform(0.3, 0.8)
                ),
            )
        x += 28 / len(forms) + 4
    for _ in range(site.integer(2, 5)):
        stripe = site.paint(
            Paint(site.draw_colour(BRIGHTS), (0.7, 0.68, 0.64), Pattern.STRIPES, 0.8, 0.1, detail=(0.5, 0, 0, 0))
        )
        w = site.uniform(1.6, 2.6)
        site.add_subject(
            join_solids(
                [
                    boxes([(0, 0, 0)], (w * 1.6, w * 1.6, 2.2), stripe),
                    lathe([(w * 1.4, 2.2), (0.05, 3.9)], stripe, sides=4, smooth=False, turn=0.785),
                ]
            ).transform(site.uniform(-16, 16), -site.uniform(1, 6))
        )
    site.add_beside(
        plant_groves(site, (7, (-34, -19), (-6, 20)), (7, (19, 34), (-6, 20)), (16, (-45, 45), (30, 55)), sorts=3)
    )
    add_people(site, int(site.moment.integers(10, 40)), (-17, 17), (-18, -2))
    add_street_lamps(site, [(-9, -8), (9, -8)], 4)
    for q in (-10, 0, 10):
        site.add_lamp(q, -3, 5, 24, site.pick(((1, 0.5, 0.6), (0.6, 0.7, 1), (1, 0.8, 0.4))))
    return Sight((0, 6, 8), 38, 45, min_height=1.8, max_height=8, angle=64)
