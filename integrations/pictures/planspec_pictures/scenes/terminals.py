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
    join_solids,
    lathe,
    quads,
    roof,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_cars,
    add_ground,
    add_people,
    add_skyline,
    add_street_lamps,
    add_town,
    plant_groves,
    plant_trees,
    shop_row,
)


def mall(site: Site) -> Sight:
    """Build a department store with screens."""
    width, height = site.uniform(30, 46), site.uniform(14, 26)
    skin = site.pick((site.glass_wall(cell=2.2), site.plain_paint(STONES, shine=0.1), site.window_wall()))
    site.add_subject(
        boxes([(0, 12, 4.5)], (width, 24, height - 4.5), skin, None, (2.4, 3.4)),
        boxes([(0, 12, 0)], (width - 1, 23, 4.5), site.plain_paint((0.2, 0.2, 0.2))),
    )

    site.add_subject(shop_row(site.shopfront(), width - 1, int(width // 3), 5.0).transform(-width / 2 + 0.5, 0.48))
    for _ in range(site.integer(1, 4)):
        w, h = site.uniform(5, 12), site.uniform(3.5, 9)
        x, z = site.uniform(-width / 2 + w / 2, width / 2 - w / 2), site.uniform(6, max(6.5, height - h))
        screen = site.paint(
            Paint(
                site.draw_colour(BRIGHTS),
                (0.05, 0.05, 0.05),
                Pattern.PAINTING,
                glow=site.draw_light(1.3),
                detail=(0, 0, float(site.integer(0, 99)), 0),
            )
        )
        site.add_subject(
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
    r = site.uniform(5, 9)
    corner = site.pick((-1, 1)) * width * 0.5
    site.add_subject(
        lathe([(r, 0), (r, height * site.uniform(0.9, 1.35))], site.glass_wall(), sides=20, cell=(1.6, 3.4)).transform(
            corner, r * 0.4
        )
    )
    site.add_subject(boxes([(site.uniform(-6, 6), -2, 4.4)], (site.uniform(8, 14), 5, 0.5), site.plain_paint(BRIGHTS)))
    add_ground(site)
    site.add_beside(
        plant_trees(site, np.array([(x, -9) for x in np.linspace(-24, 24, site.integer(3, 7))], np.float32), sorts=1)
    )
    add_people(site, int(site.moment.integers(12, 36)), (-24, 24), (-18, -2))
    add_street_lamps(site, [(-10, -7), (10, -7), (-20, -7), (20, -7)])
    add_town(site, width / 2 + 6, 2, height=(12, 28))
    add_skyline(site, 60, 120, 130)
    return Sight((0, 0, height * 0.42), 36, max_height=site.uniform(2, 8), angle=64)


def station(site: Site) -> Sight:
    """Build a station with an arched window, a clock tower or a long low front."""
    wall, tiles = site.masonry(), site.roof_tiles()
    width, height = site.uniform(18, 28), site.uniform(13, 19)
    a = np.linspace(math.pi, 0, 15, dtype=np.float32)
    bow = site.uniform(0.55, 1.0)
    rim = np.stack([width / 2 * np.cos(a), height * (1 - bow * 0.55) + width / 2 * bow * np.sin(a)], -1)
    y0, y1 = 0.0, 34.0
    vault = np.stack([np.stack([rim[:, 0], np.full(15, y), rim[:, 1]], -1) for y in (y0 - 0.8, y1)])
    site.add_subject(
        grid(
            vault,
            np.stack(np.broadcast_arrays(np.linspace(0, 30, 15), np.array([[0.0], [34.0]])), -1),
            tiles,
            smooth=True,
        )
    )
    glass = site.glass_wall(cell=1.8)
    face = np.stack(
        [
            np.stack([rim[:, 0], np.full(15, 0.0), np.zeros(15)], -1),
            np.stack([rim[:, 0], np.full(15, 0.0), rim[:, 1]], -1),
        ]
    )
    site.add_subject(
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
        [np.stack([rim[:, 0] * k, np.full(15, -0.5), rim[:, 1] * (1 if k == 1 else 0.93)], -1) for k in (1.0, 0.9)]
    )
    site.add_subject(grid(ring, ring[..., ::2], wall))
    n = site.integer(4, 8)
    wing, low = site.uniform(16, 26), height * site.uniform(0.45, 0.62)
    for sign in (-1, 1):
        site.add_subject(
            arcade(
                n,
                wing / n,
                wing / n * 0.6,
                low * 0.4,
                low,
                0.8,
                wall,
                inside=site.plain_paint((0.12, 0.11, 0.1)),
            ).transform(sign * (width / 2 + wing / 2), 0.2)
        )
        site.add_subject(
            boxes(
                [(sign * (width / 2 + wing / 2), 7, 0)],
                (wing, 12, low * 0.98),
                site.window_wall(site.paints[wall].colour),
                tiles,
                (3, low / 2),
            )
        )
    if site.maybe(70):
        x = site.pick((-1, 1)) * (width / 2 + site.uniform(1, wing * 0.8))
        total_height, w = height * site.uniform(1.3, 2.1), site.uniform(4, 6)
        site.add_subject(
            boxes([(x, 3, 0)], (w, w, total_height), wall),
            roof(w + 1, w + 1, site.uniform(2, 7), tiles, ridge=0.0).transform(x, 3, total_height),
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
        site.add_subject(
            Solid(
                upright.points.astype(np.float32), upright.normals, upright.uvs, upright.paints, upright.tints
            ).transform(x, 3 - w / 2 - 0.1, total_height * 0.86)
        )
    add_ground(site)
    add_street_lamps(site, [(-8, -9), (8, -9), (-18, -9), (18, -9)])
    add_people(site, int(site.moment.integers(10, 30)), (-22, 22), (-20, -3))
    add_cars(site, 6, (-26, 26), -22)
    site.add_beside(plant_groves(site, (site.integer(0, 6) + 1, (-30, 30), (-15, -10)), sorts=1))
    add_skyline(site, 54, 140, 90)
    return Sight((0, 0, height * 0.55), 34, max_height=site.uniform(2, 8), angle=64)


def airport(site: Site) -> Sight:
    """Build an airport terminal with a wavy roof, a tower and planes."""
    steel, glass = (
        site.plain_paint(((0.62, 0.63, 0.64), (0.4, 0.42, 0.44)), shine=0.3),
        site.glass_wall(cell=2.5),
    )
    width, height = site.uniform(70, 100), site.uniform(9, 14)
    site.add_subject(boxes([(0, 16, 0)], (width * 0.9, 24, height), glass, steel, (2.4, 3)))
    waves, swell = site.integer(1, 5), site.uniform(1.5, 5)
    x, y = np.linspace(-width / 2, width / 2, 61, dtype=np.float32), np.linspace(-4, 34, 9, dtype=np.float32)
    a, b = np.meshgrid(x, y)
    z = (
        height
        + 1
        + swell * np.abs(np.sin(a / width * math.pi * waves + site.uniform(0, 1)))
        - (b - 15) ** 2 * 0.006 * site.uniform(-1, 1.5)
    )
    site.add_subject(grid(np.stack([a, b, z], -1), np.stack([a, b], -1), steel, smooth=True))
    n = np.linspace(-width * 0.45, width * 0.45, site.integer(7, 13))
    site.add_subject(
        beams(
            np.stack([n, n * 0 - 2, n * 0], 1),
            np.stack([n + site.uniform(-2, 2), n * 0 - 1, n * 0 + height + 1.2], 1),
            0.5,
            steel,
        )
    )
    beside = site.pick((-1, 1)) * width * site.uniform(0.3, 0.5)
    total_height = site.uniform(28, 48)
    site.add_subject(
        lathe(
            [
                (3, 0),
                (2, total_height * 0.8),
                (4.5, total_height * 0.88),
                (5, total_height),
                (3.5, total_height + 2),
                (0, total_height + 3),
            ],
            site.plain_paint(STONES),
            sides=10,
            smooth=False,
        ).transform(beside, 45),
        lathe([(4.75, total_height * 0.9), (5.1, total_height * 0.98)], site.glass_wall(), sides=10).transform(
            beside, 45
        ),
    )
    add_ground(site, site.plain_paint((0.22, 0.22, 0.22), blotches=0.3))
    body, tail = site.plain_paint((0.75, 0.75, 0.76), shine=0.3), site.plain_paint(BRIGHTS)
    hull = lathe([(0.1, 0), (1.6, 2.5), (1.9, 5), (1.9, 24), (0.4, 33)], body, sides=14)
    lying = Solid(
        hull.points[..., [2, 0, 1]], hull.normals[..., [2, 0, 1]], hull.uvs, hull.paints, hull.tints
    ).transform(-16, 0, 3.4)
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
    plane = join_solids(
        [
            lying,
            wings,
            fin,
            cylinder(0.5, 2, body).transform(-10, 0, 0.3),
            cylinder(0.6, 2, body).transform(2, 2.5, 0.3),
        ]
    )
    for _ in range(site.integer(0, 2)):
        site.add_beside(plane.transform(site.uniform(-35, 35), -site.uniform(10, 18), 0, site.uniform(0, 6.2)))
    add_cars(site, 8, (-40, 40), -7)
    add_street_lamps(site, [(x, -5) for x in (-24, -8, 8, 24)], 7)
    return Sight((0, 6, 6), 50, max_height=site.uniform(3, 14), angle=66)
