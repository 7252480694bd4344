"""East Asian buildings: halls, pagodas, gates, walls, courts and gardens."""

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
    beams,
    boxes,
    cylinder,
    grid,
    join_solids,
    lathe,
    leaves,
    roof,
    stairs,
    terrain,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRICK, GLAZES, LACQUERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_ground,
    add_hills,
    add_people,
    add_skyline,
    add_street_lamps,
    conifer,
    floor,
    house,
    lanterns,
    plant_groves,
    plant_trees,
    willow,
)


def _lattice_paint(site: Site, colour: tuple[float, float, float]) -> int:
    return site.paint(Paint(colour, (0.62, 0.55, 0.4), Pattern.LATTICE, 1.0, 0.2, glow=(0.7, 0.42, 0.16)))


def hall(
    site: Site,
    width: float,
    depth: float,
    height: float,
    tiles: int,
    lacquer: tuple[float, float, float],
    tiers: int = 1,
    lift: float = 1.0,
) -> Solid:
    """Build a hall around the origin, with wooden columns and `tiers` curved roofs.

    Its front is towards -y.
    """
    red, panels, beam = (
        site.plain_paint(lacquer, shine=0.06),
        _lattice_paint(site, lacquer),
        site.plain_paint(((0.06, 0.16, 0.2), (0.08, 0.2, 0.12), lacquer, (0.1, 0.1, 0.22))),
    )
    bays = max(3, int(width // 3.2) | 1)
    x = np.linspace(-width / 2, width / 2, bays + 1)
    column = cylinder(0.24, height, red, sides=10)
    parts = [column.copies_at(np.stack([x, np.full_like(x, y), x * 0], 1)) for y in (-depth / 2, depth / 2)]
    parts.append(boxes([(0, 0, 0)], (width - 0.4, depth - 2.6, height), panels, cell=(1.6, height)))
    parts.append(boxes([(0, 0, height - 0.75)], (width + 0.5, depth + 0.3, 0.75), beam))
    z, w, d = height, width, depth
    for tier in range(tiers):
        out = site.uniform(1.6, 2.6) if tier == 0 else 1.6
        rise = d * site.uniform(0.26, 0.4) * (0.6 if tier < tiers - 1 else 1.0)
        parts.append(
            roof(
                w + 2 * out,
                d + 2 * out,
                rise + 0.8,
                tiles,
                ridge=site.uniform(0.45, 0.8),
                curve=site.uniform(1.25, 1.7),
                lift=lift,
                steps=7,
            ).transform(z=z - 0.2)
        )
        if tier < tiers - 1:
            z += rise * 0.75
            w, d = w * 0.78, d * 0.72
            parts.append(boxes([(0, 0, z - 0.8)], (w, d, 2.6), panels, cell=(1.6, 2.6)))
            z += 1.7
        else:
            parts.append(boxes([(0, 0, z + rise + 0.3)], (w * 0.6, 0.4, 0.7), tiles))
    return join_solids(parts)


def _add_yard(site: Site) -> None:
    add_ground(site)
    if site.maybe(60):
        bronze, ash = (
            site.plain_paint(((0.1, 0.13, 0.1), (0.12, 0.09, 0.05))),
            site.plain_paint((0.25, 0.23, 0.2)),
        )
        pot = join_solids(
            [
                lathe([(0.3, 0.5), (0.8, 0.75), (0.9, 1.3), (0.75, 1.5), (0.85, 1.6)], bronze, sides=14),
                lathe([(0.8, 1.45), (0, 1.45)], ash),
                beams(
                    [(0.5, 0.5, 0), (-0.5, 0.5, 0), (0, -0.6, 0)],
                    [(0.4, 0.4, 0.7), (-0.4, 0.4, 0.7), (0, -0.5, 0.7)],
                    0.2,
                    bronze,
                ),
            ]
        )
        site.add_beside(pot.transform(site.uniform(-2, 2), -site.uniform(7, 10), 0, 0, site.uniform(0.8, 1.5)))
    if site.maybe(60):
        iron = site.plain_paint(((0.1, 0.12, 0.1), (0.5, 0.48, 0.44)))
        beast = join_solids(
            [
                boxes([(0, 0, 0)], (1, 1.3, 1), site.masonry()),
                lathe([(0.4, 0), (0.45, 0.5), (0.28, 0.9)], iron, sides=9).transform(z=1),
                lathe([(0.02, 0), (0.38, 0.3), (0.3, 0.65), (0, 0.75)], iron, sides=9).transform(0, -0.15, 1.75),
            ]
        )
        out = site.uniform(4, 8)
        site.add_beside(beast.copies_at([(-out, -6, 0), (out, -6, 0)], 0, site.uniform(1, 1.5)))
    sort = site.pick((conifer, conifer, None, willow))
    site.add_beside(
        plant_groves(
            site,
            (site.integer(2, 6), (-26, -11), (-16, 6)),
            (site.integer(2, 6), (11, 26), (-16, 6)),
            (12, (-50, 50), (26, 55)),
            only=sort,
            sorts=2,
        )
    )
    add_people(site, int(site.moment.integers(3, 18)), (-14, 14), (-20, -4))
    add_street_lamps(site, [(-9, -9), (9, -9)], 3.2)


def palace(site: Site) -> Sight:
    """Build a great hall on terraces, with smaller halls at its sides."""
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    marble = site.plain_paint(((0.68, 0.66, 0.62), (0.42, 0.4, 0.37)))
    width, depth, height = site.uniform(17, 30), site.uniform(9, 14), site.uniform(4.5, 7)
    steps, z = site.integer(1, 3), 0.0
    for n in range(steps):
        grow = (steps - n) * 3.5
        h = site.uniform(0.9, 1.8)
        site.add_subject(boxes([(0, 0, z)], (width + 2 * grow, depth + 2 * grow, h), marble))
        k = np.arange(-width / 2 - grow, width / 2 + grow, 1.5)
        posts = np.stack([k, np.full_like(k, -depth / 2 - grow + 0.2), np.full_like(k, z + h)], 1)
        site.add_subject(
            boxes(posts, (0.25, 0.25, 1.1), marble),
            boxes([(0, -depth / 2 - grow + 0.2, z + h)], (width + 2 * grow, 0.12, 0.7), marble),
        )
        site.add_subject(
            stairs(site.uniform(4, 7), int(h / 0.16), 0.35, 0.165, marble).transform(0, -depth / 2 - grow, z)
        )
        z += h
    site.add_subject(
        hall(site, width, depth, height, tiles, lacquer, site.pick((1, 2, 2)), site.uniform(0.5, 1.6)).transform(z=z)
    )
    for sign in (-1, 1):
        if site.maybe(75):
            site.add_beside(
                hall(site, site.uniform(10, 16), 6, 3.6, tiles, lacquer, 1, 0.6).transform(
                    sign * (width / 2 + site.uniform(12, 18)), -site.uniform(2, 12), 0, -sign * math.pi / 2
                )
            )
    _add_yard(site)
    return Sight((0, -2, z + height * 0.75), 30 + width * 0.4, max_height=site.uniform(2, 8), angle=58)


def pagoda(site: Site) -> Sight:
    """Build a pagoda with many roofs, or a temple with a gate and a hall."""
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    if site.maybe(45):
        width, height = site.uniform(11, 18), site.uniform(4, 5.5)
        site.add_subject(
            boxes([(0, 0, 0)], (width + 3, 11, 1.1), site.masonry()),
            stairs(5, 7, 0.35, 0.16, site.plain_paint(STONES)).transform(0, -5.5),
        )
        site.add_subject(
            hall(site, width, 8, height, tiles, lacquer, site.pick((1, 1, 2, 3)), site.uniform(0.8, 2.2)).transform(
                z=1.1
            )
        )
        wall = site.plain_paint(((0.6, 0.36, 0.08), (0.4, 0.1, 0.07), (0.68, 0.66, 0.62)))
        for sign in (-1, 1):
            site.add_beside(
                boxes([(sign * (width / 2 + 13), 1, 0)], (22, 0.6, 3.2), wall),
                roof(22, 1.6, 0.7, tiles, ridge=1.0, steps=2).transform(sign * (width / 2 + 13), 1, 3.2),
            )
        site.add_beside(
            lanterns(site, [(x, -4.4, 4.2) for x in np.linspace(-width / 2, width / 2, site.integer(2, 8))])
        )
        _add_yard(site)
        if site.maybe(50):
            add_hills(site, site.uniform(40, 130), 160)
        return Sight((0, -1, height), 24, max_height=site.uniform(1.8, 6), angle=58)
    sides, tiers = site.pick((4, 6, 8, 8)), site.integer(3, 11)
    width, total_height = site.uniform(3.6, 6.5), site.uniform(2.6, 4.2)
    shrink, curve = site.uniform(0.88, 0.97), site.uniform(0.4, 1.2)
    stone = site.masonry()
    body = site.paints[stone].colour if site.maybe(50) else lacquer
    panels = _lattice_paint(site, body) if site.maybe(50) else site.window_wall(body)
    turn, z, r = site.pick((0.0, math.pi / sides)), site.uniform(0.8, 2.5), width
    site.add_subject(
        lathe([(width * 1.9, 0), (width * 1.9, z), (0, z)], site.masonry(), sides=sides, smooth=False, turn=turn)
    )
    for n in range(tiers):
        h = total_height * (0.97**n)
        out = r + site.uniform(1.2, 1.3) * curve + 0.5
        site.add_subject(lathe([(r, z), (r, z + h)], panels, sides=sides, smooth=False, turn=turn, cell=(1.5, h)))
        eave = [
            (out, z + h - 0.15),
            (out * 0.86 + r * 0.1, z + h + 0.2),
            (r * 0.98, z + h + 0.55 + 0.3 * curve),
            (r * shrink, z + h + 0.9 * curve),
        ]
        site.add_subject(
            lathe([(r, z + h - 0.05), eave[0]], site.plain_paint(lacquer), sides=sides, smooth=False, turn=turn),
            lathe(eave, tiles, sides=sides, smooth=False, turn=turn),
        )
        z, r = z + h + 0.5 * curve, r * shrink
    site.add_subject(
        lathe(
            [
                (r * 1.2, z),
                (r * 0.4, z + 1.6),
                (0.25, z + 2.6),
                (0.5, z + 3),
                (0.2, z + 3.6),
                (0.35, z + 4),
                (0.03, z + site.uniform(5, 8)),
            ],
            tiles,
            sides=max(sides, 8),
        )
    )
    add_ground(site, site.lawn() if site.maybe(40) else None)
    site.add_beside(
        plant_groves(site, (9, (-40, -9), (-14, 22)), (9, (9, 40), (-14, 22)), (8, (-30, 30), (16, 45)), sorts=3)
    )
    add_people(site, int(site.moment.integers(2, 12)), (-12, 12), (-22, -8))
    if site.maybe(60):
        add_hills(site, site.uniform(50, 160), 260)
    else:
        add_skyline(site, 45, 220, 70)
    add_street_lamps(site, [(-6, -10), (6, -10)], 3.0)
    return Sight((0, 0, z * 0.48), z * 1.1 + 12, max_height=site.uniform(2, 9), angle=60)


def gate(site: Site) -> Sight:
    """Build a gate with a tower, or an archway of wooden or stone posts."""
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    if site.maybe(40):
        bays = site.pick((1, 3, 3, 5))
        paint = site.plain_paint(lacquer) if site.maybe(60) else site.plain_paint(STONES)
        beam = site.plain_paint(((0.06, 0.16, 0.24), (0.08, 0.2, 0.12), (0.5, 0.36, 0.1)))
        x = np.linspace(-bays * 2.2, bays * 2.2, bays + 1)
        total_height = [site.uniform(6, 7.5) - 0.9 * abs(n - (bays - 1) / 2) for n in range(bays)]
        site.add_subject(
            boxes(np.stack([x, x * 0, x * 0], 1), (0.55, 0.55, max(total_height)), paint),
            boxes(np.stack([x, x * 0, x * 0], 1), (1.1, 2.2, 1.0), site.plain_paint(STONES)),
        )
        for n in range(bays):
            middle = (x[n] + x[n + 1]) / 2
            site.add_subject(
                boxes([(middle, 0, total_height[n] - t) for t in (0.2, 1.5)], (4.4, 0.4, 0.7), beam),
                boxes(
                    [(middle, 0, total_height[n] - 1)],
                    (3.6, 0.2, 0.9),
                    site.plain_paint(((0.5, 0.36, 0.1), (0.05, 0.1, 0.3))),
                ),
            )
            site.add_subject(
                roof(4.9, 2.6, 1.5, tiles, ridge=0.85, curve=1.5, lift=0.5).transform(middle, 0, total_height[n] + 0.4)
            )
        add_ground(site)

        for sign in (-1, 1):
            y = 4.0
            while y < 60:
                w = site.uniform(6, 11)
                site.add_beside(
                    house(site, w, 8, site.uniform(6, 11)).transform(
                        sign * (bays * 2.2 + 3), y if sign < 0 else y + w, 0, math.pi / 2 * -sign
                    )
                )
                y += w
        add_people(site, int(site.moment.integers(6, 20)), (-7, 7), (-14, 25))
        site.add_beside(lanterns(site, [(s * 3, y, 4.6) for s in (-1, 1) for y in np.linspace(6, 40, 6)]))
        return Sight((0, 0, 4), 17, max_height=2.6, angle=60)
    width, depth, height = site.uniform(24, 38), site.uniform(11, 16), site.uniform(7, 12)
    bricks = site.masonry(site.draw_colour(BRICK) if site.maybe(70) else lacquer)
    arches = site.pick((1, 1, 3, 5))
    site.add_subject(
        arcade(
            arches,
            width / max(arches, 2) if arches > 1 else width,
            site.uniform(3.2, 4.6),
            site.uniform(2, 3),
            height,
            depth,
            bricks,
            inside=site.plain_paint((0.07, 0.06, 0.055)),
        )
    )
    teeth = np.arange(-width / 2, width / 2, 1.3)
    site.add_subject(
        boxes(
            np.stack([teeth, np.full_like(teeth, -depth / 2 + 0.3), np.full_like(teeth, height)], 1),
            (0.75, 0.5, 0.9),
            bricks,
        )
    )
    site.add_subject(
        hall(
            site,
            width * site.uniform(0.55, 0.75),
            depth * 0.62,
            site.uniform(3.8, 6),
            tiles,
            lacquer,
            site.pick((1, 2, 2, 3)),
            site.uniform(0.6, 1.6),
        ).transform(z=height)
    )
    if site.maybe(70):
        for sign in (-1, 1):
            site.add_beside(boxes([(sign * (width / 2 + 22), 2, 0)], (44, 5, height * 0.7), bricks))
    add_ground(site)
    add_people(site, int(site.moment.integers(4, 24)), (-20, 20), (-24, -8))
    add_street_lamps(site, [(-10, -12), (10, -12)])
    site.add_beside(plant_groves(site, (8, (-40, 40), (-16, -11)), sorts=1))
    add_skyline(site, 40, 200, 60)
    return Sight((0, 0, height * 0.9), 40, max_height=site.uniform(2, 7), angle=58)


def wall(site: Site) -> Sight:
    """Build a wall with towers over mountain ridges."""
    bricks = site.masonry(site.draw_colour(((0.36, 0.32, 0.27), (0.3, 0.29, 0.27), (0.42, 0.35, 0.27))))
    noise, row = cloud_noise(), int(site.chance.integers(0, 512))
    x, y = np.linspace(-260, 260, 105, dtype=np.float32), np.linspace(-60, 420, 97, dtype=np.float32)
    a, b = np.meshgrid(x, y)
    height = site.uniform(35, 75)
    i, j = (np.abs(a * 0.55).astype(int) + row) % 512, (np.abs(b * 0.55 + 90).astype(int) + row * 3) % 512
    bumps = cv2.GaussianBlur(noise[i, j].astype(np.float32), (0, 0), 2.2)
    path_y = np.linspace(-50, 400, 70, dtype=np.float32)
    bend, swing = site.uniform(0.010, 0.022), site.uniform(18, 42)
    path_x = swing * np.sin(path_y * bend + site.uniform(0, 6)) * np.clip((path_y + 60) / 120, 0.1, 1)
    path_x -= np.interp(0.0, path_y, path_x)
    ridge = np.exp(-(((a - np.interp(b, path_y, path_x)) / 42) ** 2))
    rolling = 0.5 + 0.5 * np.sin(b * site.uniform(0.018, 0.03) + site.uniform(0, 6))
    z = (
        height * (0.25 + 0.75 * np.clip((b + 30) / 380, 0, 1)) * (0.35 + 0.75 * ridge * (0.55 + 0.45 * rolling))
        + bumps * 22
        - 14
    )
    z = cv2.GaussianBlur(z.astype(np.float32), (0, 0), 1.2)
    green = site.draw_colour(((0.08, 0.12, 0.04), (0.17, 0.15, 0.05), (0.22, 0.12, 0.04)))
    site.add_beside(terrain(x, y, z, site.paint(Paint(site.draw_colour(((0.3, 0.27, 0.22),)), green, Pattern.ROCK))))

    def ground_height(px: Array, py: Array) -> Array:
        ix, iy = np.clip((px + 260) / 5, 0, 103.99), np.clip((py + 60) / 5, 0, 95.99)
        k, m = ix.astype(int), iy.astype(int)
        fx, fy = ix - k, iy - m
        near, far = z[m, k] * (1 - fx) + z[m, k + 1] * fx, z[m + 1, k] * (1 - fx) + z[m + 1, k + 1] * fx
        return np.asarray(near * (1 - fy) + far * fy)

    fine = np.linspace(-50, 395, 240, dtype=np.float32)
    px = np.interp(fine, path_y, path_x)
    pz = np.convolve(np.pad(ground_height(px, fine), 3, mode="edge"), np.ones(7) / 7, "valid")
    half, total_height = 2.6, site.uniform(5, 7)
    across = [
        (-half, -6.0),
        (-half, total_height),
        (-half + 0.4, total_height),
        (-half + 0.4, total_height - 1.3),
        (half - 0.4, total_height - 1.3),
        (half - 0.4, total_height),
        (half, total_height),
        (half, -6.0),
    ]
    strip = np.stack([np.stack([px + dx, fine, pz + dz], -1) for dx, dz in across])
    uv = np.stack(
        np.broadcast_arrays(
            np.linspace(0, 480, len(fine)), np.array([[0.0], [8], [8.4], [9.7], [15], [16.3], [16.7], [25]])
        ),
        -1,
    )
    site.add_subject(grid(strip, uv, bricks))
    teeth = np.arange(0, 238, 2)
    for side in (-half + 0.2, half - 0.2):
        site.add_subject(
            boxes(
                np.stack([px[teeth] + side, fine[teeth], pz[teeth] + total_height], 1),
                (0.45, 1.1, 0.8),
                bricks,
            )
        )
    for at in range(site.integer(12, 30), 235, site.integer(36, 62)):
        w, h = site.uniform(7, 9), site.uniform(9, 12)
        site.add_subject(
            boxes(
                [(px[at], fine[at], pz[at] - 5)],
                (w, w, h + 5),
                site.window_wall(site.paints[bricks].colour),
                bricks,
                (w / 3, h + 5),
            )
        )
        k = np.linspace(-w / 2, w / 2, 6)
        site.add_subject(
            boxes(
                [(px[at] + u, fine[at] + s * w / 2, pz[at] + h) for u in k for s in (-1, 1)],
                (0.7, 0.5, 0.9),
                bricks,
            )
        )
        if site.maybe(40):
            site.add_subject(
                roof(w * 0.8, w * 0.6, 2, site.roof_tiles(GLAZES), ridge=0.9, steps=3).transform(
                    px[at], fine[at], pz[at] + h + 2
                ),
                boxes([(px[at], fine[at], pz[at] + h)], (w * 0.6, w * 0.4, 2.2), bricks),
            )
    leaf = site.foliage(green)
    bush = leaves(site.chance, 60, (2.0, 2.0, 1.4), 0.3, leaf)
    bx, by = site.chance.random(260) * 300 - 150, site.chance.random(260) ** 1.5 * 330 - 40
    keep = np.abs(bx - np.interp(by, path_y, path_x)) > 6
    bx, by = bx[keep], by[keep]
    site.add_beside(
        bush.copies_at(
            np.stack([bx, by, ground_height(bx, by) + 0.8], 1),
            site.chance.random(len(bx)) * 6,
            0.6 + site.chance.random(len(bx)) * 1.6,
            0.7 + 0.6 * site.chance.random(len(bx)),
        )
    )
    add_hills(site, 190, 560)
    top = float(ground_height(np.array([0.0]), np.array([40.0]))[0])
    return Sight((0, 60, top + 2), 85, 30, min_height=top + site.uniform(14, 22), max_height=top + 40, angle=54)


def garden(site: Site) -> Sight:
    """Build a pond with rocks, a pavilion, a corridor and a bridge."""
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    add_ground(site, site.lawn())
    pond = site.water()
    rx, ry = site.uniform(11, 17), site.uniform(7, 11)
    a = np.linspace(0, 2 * math.pi, 41, dtype=np.float32)
    wobble = 1 + 0.13 * np.sin(3 * a + site.uniform(0, 6)) + 0.08 * np.sin(5 * a + site.uniform(0, 6))
    rim = np.stack([rx * wobble * np.cos(a), -3 + ry * wobble * np.sin(a), np.full_like(a, 0.06)], -1)
    middle = np.broadcast_to(np.array([0, -3, 0.06], np.float32), rim.shape)
    site.add_subject(grid(np.stack([middle, rim]), np.zeros((2, 41, 2)), pond))
    stone = site.paint(
        Paint(
            site.draw_colour(((0.3, 0.29, 0.27), (0.42, 0.4, 0.36), (0.22, 0.22, 0.2))),
            (0.12, 0.16, 0.06),
            Pattern.ROCK,
        )
    )
    rock = lathe([(0.9, -0.2), (1.1, 0.3), (0.7, 0.9), (0.75, 1.3), (0.2, 1.7)], stone, sides=7, smooth=False)
    k = np.arange(0, 40, 1)
    size = 0.3 + 0.55 * site.chance.random(40)
    site.add_subject(
        rock.copies_at(
            rim[k],
            site.chance.random(40) * 6,
            np.stack([size, size, size * (0.5 + site.chance.random(40))], 1),
            0.7 + 0.5 * site.chance.random(40),
        )
    )
    heap = site.chance.random((site.integer(5, 14), 2)) * (6, 4)
    at = np.concatenate([heap + np.array([site.uniform(-12, 8), ry - 3]), np.zeros((len(heap), 1))], 1)
    size = 0.8 + 1.6 * site.chance.random(len(heap))
    site.add_subject(rock.copies_at(at, site.chance.random(len(heap)) * 6, np.stack([size, size, size * 1.6], 1)))
    sides = site.pick((4, 6, 8))
    px, py = site.uniform(-8, 8), site.uniform(1, 6)
    r, h = site.uniform(2.4, 3.4), site.uniform(3, 3.8)
    z = site.uniform(0.4, 1.4)
    red = site.plain_paint(lacquer)
    pavilion = [lathe([(r * 1.3, 0), (r * 1.3, z), (0, z)], site.plain_paint(STONES), sides=sides, smooth=False)]
    angles = np.arange(sides) * 2 * math.pi / sides
    pavilion.append(
        cylinder(0.14, h, red, sides=8).copies_at(
            np.stack([r * np.cos(angles), r * np.sin(angles), np.full(sides, z)], 1)
        )
    )
    for tier in range(site.pick((1, 1, 2))):
        s = 1 - 0.42 * tier
        base = z + h + tier * 1.5
        pavilion.append(
            lathe(
                [
                    (r * 1.45 * s, base - 0.1),
                    (r * 0.95 * s, base + 0.45),
                    (r * 0.4 * s, base + 1.4),
                    (0.1, base + 2.5),
                ],
                tiles,
                sides=sides,
                smooth=False,
            )
        )
        pavilion.append(lathe([(r * s, base - 0.55), (r * s, base)], red, sides=sides, smooth=False))
    site.add_subject(join_solids(pavilion).transform(px, py))
    x = px + site.pick((-1, 1)) * site.uniform(5, 9)
    length = site.uniform(7, 12)
    t = np.linspace(-1, 1, 15, dtype=np.float32)
    arch = site.uniform(0.3, 2.2)
    deck = np.stack(
        [np.stack([np.full_like(t, x + s), -3 + t * length / 2, 0.5 + arch * (1 - t * t)], -1) for s in (-0.9, 0.9)]
    )
    site.add_subject(grid(deck, deck[..., :2], site.plain_paint(STONES)))
    for s in (-0.9, 0.9):
        top = deck[0] + np.array([s + 0.9, 0, 0.85], np.float32)
        site.add_subject(
            beams(top[:-1], top[1:], 0.12, red),
            beams(top[::2], top[::2] - np.array([0, 0, 0.85], np.float32), 0.12, red),
        )
        side = np.stack([top - np.array([0, 0, 0.85], np.float32), top - np.array([0, 0, 1.2], np.float32)])
        site.add_subject(grid(side, side[..., :2], site.plain_paint(STONES)))
    white = site.plain_paint(((0.7, 0.69, 0.66), (0.5, 0.3, 0.2)))
    site.add_beside(
        arcade(5, 9, site.uniform(2.4, 3.2), 0.8, 3.6, 0.4, white).transform(0, 15),
        roof(45, 1.3, 0.6, tiles, ridge=1.0, steps=2).transform(0, 15, 3.6),
    )
    site.add_beside(
        hall(site, site.uniform(10, 15), 7, 3.6, tiles, lacquer, site.pick((1, 2)), 1.2).transform(
            site.uniform(-14, 14), 21
        )
    )
    lily = lathe([(0.35, 0.09), (0, 0.1)], site.plain_paint((0.07, 0.15, 0.05)), sides=8)
    spots = site.chance.random((site.integer(0, 60) + 1, 2)) * (rx, ry * 0.8) - (
        rx * site.uniform(0.1, 0.9),
        3 + ry * 0.4,
    )
    site.add_subject(
        lily.copies_at(np.concatenate([spots, np.zeros((len(spots), 1))], 1), 0, 0.5 + site.chance.random(len(spots)))
    )
    site.add_beside(
        plant_groves(
            site,
            (4, (-24, -rx - 1), (-8, 12)),
            (4, (rx + 1, 24), (-8, 12)),
            (9, (-30, 30), (11, 34)),
            sorts=3,
        )
    )
    add_people(site, int(site.moment.integers(1, 6)), (-12, 12), (9, 13))
    site.add_beside(
        lanterns(site, [(px + r * math.cos(q), py + r * math.sin(q), z + h - 0.5) for q in angles[::2]], 0.22)
    )
    site.add_lamp(px, py, z + 2.4, 14)
    return Sight((0, 0, 1.8), 22, 50, max_height=site.uniform(2.4, 5), angle=60)


def court(site: Site) -> Sight:
    """Build the courtyard of an old house: low wings around trees and flowerpots."""
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES[1:6])
    width = site.uniform(11, 15)
    site.add_subject(hall(site, width, 6, 3.4, tiles, lacquer, 1, site.uniform(0, 0.6)).transform(y=4))
    for sign in (-1, 1):
        site.add_subject(
            hall(site, site.uniform(8, 12), 4.6, 3.0, tiles, lacquer, 1, 0.2).transform(
                sign * (width / 2 + 3.4), -5, 0, -sign * math.pi / 2
            )
        )
    bricks = site.masonry(site.draw_colour(((0.26, 0.26, 0.27), (0.32, 0.3, 0.28))))
    add_ground(site, bricks if site.maybe(50) else None)
    pots, plants = site.plain_paint(((0.2, 0.1, 0.06), (0.12, 0.2, 0.24), (0.5, 0.48, 0.44))), site.foliage()
    pot = join_solids(
        [
            lathe([(0.25, 0), (0.42, 0.5), (0.38, 0.6)], pots, sides=10),
            leaves(site.chance, 60, (0.5, 0.5, 0.6), 0.08, plants).transform(z=1.0),
        ]
    )
    site.add_beside(pot.copies_at([(site.uniform(-6, 6), site.uniform(-8, 0), 0) for _ in range(site.integer(3, 12))]))
    site.add_beside(
        plant_trees(
            site,
            np.array(
                [(site.uniform(-5, -2), site.uniform(-7, -2)), (site.uniform(2, 5), site.uniform(-7, -2))][
                    : site.integer(1, 2)
                ],
                np.float32,
            ),
            sorts=2,
        )
    )
    site.add_beside(plant_groves(site, (8, (-20, 20), (10, 24)), sorts=2))
    site.add_beside(
        lanterns(site, [(x, 0.4, 2.9) for x in np.linspace(-width / 2 + 1, width / 2 - 1, site.integer(2, 5))])
    )
    site.add_beside(floor(site.pavement(), -1.2, -30, 1.2, 0, 0.012))
    site.add_lamp(0, -0.5, 2.6, 16)
    add_people(site, int(site.moment.integers(0, 6)), (-5, 5), (-9, -1))
    add_skyline(site, 30, 160, 50)
    return Sight((0, 0, 2.6), 17, 32, max_height=3.4, angle=64)
