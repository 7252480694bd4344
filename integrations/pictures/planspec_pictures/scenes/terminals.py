"""Malls, stations and airports."""

from __future__ import annotations

import math

import numpy as np

from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    Solid,
    arcade,
    beams,
    boxes,
    cylinder,
    grid,
    joined,
    lathe,
    quads,
    roof,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    cars,
    ground,
    groves,
    people,
    planted,
    shop_row,
    skyline,
    street_lamps,
    town,
)


def mall(site: Site) -> Sight:
    """Build a department store with screens."""
    wide, high = site.share(30, 46), site.share(14, 26)
    skin = site.pick((site.glazed(cell=2.2), site.plain(STONES, shine=0.1), site.windowed()))
    site.subject(
        boxes([(0, 12, 4.5)], (wide, 24, high - 4.5), skin, None, (2.4, 3.4)),
        boxes([(0, 12, 0)], (wide - 1, 23, 4.5), site.plain((0.2, 0.2, 0.2))),
    )

    site.subject(shop_row(site.shopfront(), wide - 1, int(wide // 3), 5.0).moved(-wide / 2 + 0.5, 0.48))
    for _ in range(site.whole(1, 4)):
        w, h = site.share(5, 12), site.share(3.5, 9)
        x, z = site.share(-wide / 2 + w / 2, wide / 2 - w / 2), site.share(6, max(6.5, high - h))
        screen = site.paint(
            Paint(
                site.hue(BRIGHTS),
                (0.05, 0.05, 0.05),
                Pattern.PAINTING,
                glow=site.bright(1.3),
                detail=(0, 0, float(site.whole(0, 99)), 0),
            )
        )
        site.subject(
            quads(
                [
                    [
                        (x - w / 2, -0.3, z),
                        (x + w / 2, -0.3, z),
                        (x + w / 2, -0.3, z + h),
                        (x - w / 2, -0.3, z + h),
                    ]
                ],
                np.ones((1, 2), np.float32),
                screen,
            )
        )
    r = site.share(5, 9)
    corner = site.pick((-1, 1)) * wide * 0.5
    site.subject(
        lathe([(r, 0), (r, high * site.share(0.9, 1.35))], site.glazed(), sides=20, cell=(1.6, 3.4)).moved(
            corner, r * 0.4
        )
    )
    site.subject(boxes([(site.share(-6, 6), -2, 4.4)], (site.share(8, 14), 5, 0.5), site.plain(BRIGHTS)))
    ground(site)
    site.beside(
        planted(
            site, np.array([(x, -9) for x in np.linspace(-24, 24, site.whole(3, 7))], np.float32), sorts=1
        )
    )
    people(site, int(site.passing.integers(12, 36)), (-24, 24), (-18, -2))
    street_lamps(site, [(-10, -7), (10, -7), (-20, -7), (20, -7)])
    town(site, wide / 2 + 6, 2, high=(12, 28))
    skyline(site, 60, 120, 130)
    return Sight((0, 0, high * 0.42), 36, high=site.share(2, 8), angle=64)


def station(site: Site) -> Sight:
    """Build a great hall: an arched window, a clock tower, a long low front."""
    wall, tiles = site.masonry(), site.tiled()
    wide, high = site.share(18, 28), site.share(13, 19)
    a = np.linspace(math.pi, 0, 15, dtype=np.float32)
    bow = site.share(0.55, 1.0)
    rim = np.stack([wide / 2 * np.cos(a), high * (1 - bow * 0.55) + wide / 2 * bow * np.sin(a)], -1)
    y0, y1 = 0.0, 34.0
    vault = np.stack([np.stack([rim[:, 0], np.full(15, y), rim[:, 1]], -1) for y in (y0 - 0.8, y1)])
    site.subject(
        grid(
            vault,
            np.stack(np.broadcast_arrays(np.linspace(0, 30, 15), np.array([[0.0], [34.0]])), -1),
            tiles,
            smooth=True,
        )
    )
    glass = site.glazed(cell=1.8)
    face = np.stack(
        [
            np.stack([rim[:, 0], np.full(15, 0.0), np.zeros(15)], -1),
            np.stack([rim[:, 0], np.full(15, 0.0), rim[:, 1]], -1),
        ]
    )
    site.subject(
        grid(
            face,
            np.stack(
                [
                    np.stack([rim[:, 0] / 1.6 + 40, np.zeros(15)], -1),
                    np.stack([rim[:, 0] / 1.6 + 40, rim[:, 1] / 1.8], -1),
                ]
            ),
            glass,
        )
    )
    ring = np.stack(
        [
            np.stack([rim[:, 0] * k, np.full(15, -0.5), rim[:, 1] * (1 if k == 1 else 0.93)], -1)
            for k in (1.0, 0.9)
        ]
    )
    site.subject(grid(ring, ring[..., ::2], wall))
    n = site.whole(4, 8)
    wing, low = site.share(16, 26), high * site.share(0.45, 0.62)
    for sign in (-1, 1):
        site.subject(
            arcade(
                n, wing / n, wing / n * 0.6, low * 0.4, low, 0.8, wall, inside=site.plain((0.12, 0.11, 0.1))
            ).moved(sign * (wide / 2 + wing / 2), 0.2)
        )
        site.subject(
            boxes(
                [(sign * (wide / 2 + wing / 2), 7, 0)],
                (wing, 12, low * 0.98),
                site.windowed(site.paints[wall].colour),
                tiles,
                (3, low / 2),
            )
        )
    if site.maybe(70):
        x = site.pick((-1, 1)) * (wide / 2 + site.share(1, wing * 0.8))
        tall, w = high * site.share(1.3, 2.1), site.share(4, 6)
        site.subject(
            boxes([(x, 3, 0)], (w, w, tall), wall),
            roof(w + 1, w + 1, site.share(2, 7), tiles, ridge=0.0).moved(x, 3, tall),
        )
        face_paint = site.paint(Paint((0.75, 0.73, 0.66), glow=(0.9, 0.8, 0.55)))
        disc = lathe([(w * 0.36, 0), (0, 0.05)], face_paint, sides=20)
        upright = Solid(
            disc.points[..., [0, 2, 1]] * (1, -1, 1),
            disc.normals[..., [0, 2, 1]],
            disc.uvs,
            disc.paints,
            disc.tints,
        )
        site.subject(
            Solid(
                upright.points.astype(np.float32), upright.normals, upright.uvs, upright.paints, upright.tints
            ).moved(x, 3 - w / 2 - 0.1, tall * 0.86)
        )
    ground(site)
    street_lamps(site, [(-8, -9), (8, -9), (-18, -9), (18, -9)])
    people(site, int(site.passing.integers(10, 30)), (-22, 22), (-20, -3))
    cars(site, 6, (-26, 26), -22)
    site.beside(groves(site, (site.whole(0, 6) + 1, (-30, 30), (-15, -10)), sorts=1))
    skyline(site, 54, 140, 90)
    return Sight((0, 0, high * 0.55), 34, high=site.share(2, 8), angle=64)


def airport(site: Site) -> Sight:
    """Build a terminal under a waving roof, with a tower and planes."""
    steel, glass = site.plain(((0.62, 0.63, 0.64), (0.4, 0.42, 0.44)), shine=0.3), site.glazed(cell=2.5)
    wide, high = site.share(70, 100), site.share(9, 14)
    site.subject(boxes([(0, 16, 0)], (wide * 0.9, 24, high), glass, steel, (2.4, 3)))
    waves, swell = site.whole(1, 5), site.share(1.5, 5)
    x, y = np.linspace(-wide / 2, wide / 2, 61, dtype=np.float32), np.linspace(-4, 34, 9, dtype=np.float32)
    a, b = np.meshgrid(x, y)
    z = (
        high
        + 1
        + swell * np.abs(np.sin(a / wide * math.pi * waves + site.share(0, 1)))
        - (b - 15) ** 2 * 0.006 * site.share(-1, 1.5)
    )
    site.subject(grid(np.stack([a, b, z], -1), np.stack([a, b], -1), steel, smooth=True))
    n = np.linspace(-wide * 0.45, wide * 0.45, site.whole(7, 13))
    site.subject(
        beams(
            np.stack([n, n * 0 - 2, n * 0], 1),
            np.stack([n + site.share(-2, 2), n * 0 - 1, n * 0 + high + 1.2], 1),
            0.5,
            steel,
        )
    )
    beside = site.pick((-1, 1)) * wide * site.share(0.3, 0.5)
    tall = site.share(28, 48)
    site.subject(
        lathe(
            [(3, 0), (2, tall * 0.8), (4.5, tall * 0.88), (5, tall), (3.5, tall + 2), (0, tall + 3)],
            site.plain(STONES),
            sides=10,
            smooth=False,
        ).moved(beside, 45),
        lathe([(4.75, tall * 0.9), (5.1, tall * 0.98)], site.glazed(), sides=10).moved(beside, 45),
    )
    ground(site, site.plain((0.22, 0.22, 0.22), blotches=0.3))
    body, tail = site.plain((0.75, 0.75, 0.76), shine=0.3), site.plain(BRIGHTS)
    hull = lathe([(0.1, 0), (1.6, 2.5), (1.9, 5), (1.9, 24), (0.4, 33)], body, sides=14)
    lying = Solid(
        hull.points[..., [2, 0, 1]], hull.normals[..., [2, 0, 1]], hull.uvs, hull.paints, hull.tints
    ).moved(-16, 0, 3.4)
    wings = quads(
        [
            [(-2.0, 0.0, 3.0), (4.0, 0.0, 3.0), (9.0, -15.0, 3.8), (7.0, -15.0, 3.8)],
            [(-2.0, 0.0, 3.0), (4.0, 0.0, 3.0), (9.0, 15.0, 3.8), (7.0, 15.0, 3.8)],
            [(12.0, 0.0, 4.5), (16.0, 0.0, 4.5), (17.5, 0.0, 9.5), (15.0, 0.0, 9.5)],
        ],
        None,
        body,
    )
    fin = quads([[(12, 0.05, 4.8), (16, 0.05, 4.8), (17.5, 0.05, 9.6), (15, 0.05, 9.6)]], None, tail)
    plane = joined(
        [
            lying,
            wings,
            fin,
            cylinder(0.5, 2, body).moved(-10, 0, 0.3),
            cylinder(0.6, 2, body).moved(2, 2.5, 0.3),
        ]
    )
    for _ in range(site.whole(0, 2)):
        site.beside(plane.moved(site.share(-35, 35), -site.share(10, 18), 0, site.share(0, 6.2)))
    cars(site, 8, (-40, 40), -7)
    street_lamps(site, [(x, -5) for x in (-24, -8, 8, 24)], 7)
    return Sight((0, 6, 6), 50, high=site.share(3, 14), angle=66)
