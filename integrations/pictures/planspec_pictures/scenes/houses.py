"""Campuses and cottages."""

from __future__ import annotations

from planspec_pictures.rendering.solids import (
    arcade,
    boxes,
    dome,
    lathe,
    roof,
)
from planspec_pictures.scenes.halls import colonnade, modern_building, pediment
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_ground,
    add_people,
    add_street_lamps,
    fence,
    floor,
    hedges,
    plant_groves,
)


def university(site: Site) -> Sight:
    """Build a campus: brick wings around a lawn, with a tower or a portal."""
    if (site.eastern and site.maybe(30)) or site.maybe(25):
        return modern_building(site)
    brick = site.masonry()
    wall = site.window_wall(site.paints[brick].colour)
    trim, tiles = site.plain_paint(STONES), site.roof_tiles()
    height, width = site.uniform(9, 14), site.uniform(26, 40)
    cell = (site.uniform(2.6, 3.6), height / 3)
    site.add_subject(
        boxes([(0, 8, 0)], (width, 13, height), wall, trim, cell),
        roof(width + 0.8, 13.8, site.uniform(3, 5.5), tiles, ridge=site.pick((0.8, 1.0)), steps=2).transform(
            0, 8, height
        ),
    )
    for sign in (-1, 1):
        length = site.uniform(16, 28)
        site.add_beside(
            boxes(
                [(sign * (width / 2 + 5), 8 - length / 2 + 6, 0)],
                (10, length, height * 0.85),
                wall,
                trim,
                cell,
            ),
            roof(10.8, length + 0.8, 3, tiles, ridge=0.3, steps=2).transform(
                sign * (width / 2 + 5), 14 - length / 2, height * 0.85
            ),
        )
    w, total_height = site.uniform(5, 8), height * site.uniform(1.5, 2.6)
    site.add_subject(
        boxes([(0, 3, 0)], (w, w, total_height), brick),
        boxes([(0, 3, total_height * t) for t in (0.55, 0.8, 1.0)], (w + 0.5, w + 0.5, 0.5), trim),
    )
    top = site.integer(0, 2)
    if top == 0:
        site.add_subject(roof(w + 0.4, w + 0.4, site.uniform(5, 11), tiles, ridge=0.0).transform(0, 3, total_height))
    elif top == 1:
        site.add_subject(
            dome(w * 0.42, w * 0.5, site.plain_paint(ROOFS)).transform(0, 3, total_height + 2),
            lathe([(w * 0.42, 0), (w * 0.42, 2.2)], trim, sides=8).transform(0, 3, total_height),
        )
    else:
        site.add_subject(
            boxes(
                [(s * w * 0.42, 3 + t * w * 0.42, total_height) for s in (-1, 1) for t in (-1, 1)],
                (0.9, 0.9, site.uniform(1.5, 3)),
                trim,
            )
        )
    site.add_subject(
        arcade(
            1,
            w * 0.9,
            w * 0.5,
            w * 0.3,
            w * 0.85,
            1.2,
            trim,
            rise=site.uniform(1, 1.6),
            inside=site.plain_paint((0.06, 0.05, 0.05)),
        ).transform(0, 3 - w / 2 - 0.6)
    )
    add_ground(site, site.lawn())
    site.add_beside(floor(site.pavement(), -2, -60, 2, 0, 0.01), floor(site.pavement(), -30, -9, 30, -6, 0.012))
    site.add_beside(plant_groves(site, (site.integer(5, 10), (-26, 26), (-26, -9)), sorts=2))
    add_people(site, int(site.moment.integers(4, 16)), (-14, 14), (-24, -3))
    add_street_lamps(site, [(-3.5, -8), (3.5, -8), (-3.5, -20), (3.5, -20)])
    return Sight((0, 1, height * 0.8), 34, max_height=site.uniform(1.8, 7), angle=60)


def cottage(site: Site) -> Sight:
    """Build an old house in a garden."""
    width, depth, height = site.uniform(10, 17), site.uniform(7, 10), site.uniform(5, 8)
    floors = max(1, round(height / 3))
    planks = site.maybe(50)
    wall = site.window_wall(
        site.draw_colour(((0.7, 0.68, 0.62), (0.5, 0.15, 0.1), (0.42, 0.45, 0.4), (0.6, 0.5, 0.3), (0.3, 0.34, 0.4)))
        if planks
        else None
    )
    trim, tiles = site.plain_paint(((0.75, 0.74, 0.7), (0.2, 0.13, 0.08))), site.roof_tiles()
    site.add_subject(
        boxes(
            [(0, depth / 2, 0.5)],
            (width, depth, height),
            wall,
            trim,
            (width / site.integer(3, 6), height / floors),
        ),
        boxes([(0, depth / 2, 0)], (width + 0.2, depth + 0.2, 0.6), site.masonry()),
    )
    site.add_subject(
        roof(
            width + 1,
            depth + 1.2,
            site.uniform(2.5, 5),
            tiles,
            ridge=site.pick((1.0, 1.0, 0.6, 0.2)),
            curve=site.pick((1.0, 1.0, 0.7)),
            steps=3,
        ).transform(0, depth / 2, height + 0.5)
    )
    if site.maybe(70):
        n = site.pick((2, 4, 6))
        porch = width * site.uniform(0.3, 0.95)
        h = site.uniform(2.6, height)
        site.add_subject(
            colonnade(site, n, porch, h, trim).transform(0, -1.6, 0.4),
            boxes([(0, -1.0, 0)], (porch + 0.4, 2.4, 0.4), trim),
            boxes([(0, -1.0, h + 0.4)], (porch + 0.6, 2.6, 0.4), trim),
        )
        if site.maybe(60):
            site.add_subject(pediment(porch + 0.8, site.uniform(1, 2), 2.6, trim).transform(0, -2.3, h + 0.8))
    site.add_subject(
        boxes(
            [(width * s, depth / 2, height) for s in ((-0.42, 0.42) if site.maybe(60) else (0.3,))],
            (0.9, 0.9, site.uniform(3.5, 6)),
            site.masonry(),
        )
    )
    if site.maybe(40):
        w = site.uniform(5, 8)
        s = site.pick((-1, 1))
        site.add_subject(
            boxes(
                [(s * (width / 2 + w / 2), depth * 0.6, 0)],
                (w, depth * 0.7, height * 0.6),
                wall,
                trim,
                (2.4, 3),
            ),
            roof(w + 0.6, depth * 0.7 + 0.8, 2, tiles, ridge=0.9, steps=2).transform(
                s * (width / 2 + w / 2), depth * 0.6, height * 0.6
            ),
        )
    door = site.plain_paint(BRIGHTS)
    site.add_subject(boxes([(0, -0.06, 0.4)], (1.1, 0.2, 2.2), door))
    add_ground(site, site.lawn())
    site.add_beside(floor(site.pavement(), -1, -40, 1, 0, 0.01))
    if site.maybe(60):
        site.add_beside(fence(site, -20, -1.4, -9), fence(site, 1.4, 20, -9))
    site.add_beside(
        hedges(
            site,
            [(s * (1.6 + width / 4), -1.2, 0) for s in (-1, 1)],
            [(width / 2 - 1.8, 0.9, site.uniform(0.6, 1.3))] * 2,
        )
    )
    site.add_beside(
        plant_groves(
            site,
            (5, (-24, -width * 0.6), (-8, 14)),
            (5, (width * 0.6, 24), (-8, 14)),
            (8, (-40, 40), (20, 45)),
            sorts=3,
        )
    )
    add_people(site, int(site.moment.integers(0, 5)), (-8, 8), (-8, -3))
    site.add_lamp(0, -1.5, 2.8, 12)
    return Sight((0, 0, height * 0.55), 20, max_height=3.0, angle=56)
