"""Campuses and cottages."""

from __future__ import annotations

from planspec_pictures.rendering.solids import (
    arcade,
    boxes,
    dome,
    lathe,
    roof,
)
from planspec_pictures.scenes.halls import colonnade, modern, pediment
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    fence,
    floor,
    ground,
    groves,
    hedges,
    people,
    street_lamps,
)


def university(site: Site) -> Sight:
    """Build a campus: brick wings around a lawn, a tower or a portal."""
    if (site.eastern and site.maybe(30)) or site.maybe(25):
        return modern(site)
    brick = site.masonry()
    wall = site.windowed(site.paints[brick].colour)
    trim, tiles = site.plain(STONES), site.tiled()
    high, wide = site.share(9, 14), site.share(26, 40)
    cell = (site.share(2.6, 3.6), high / 3)
    site.subject(
        boxes([(0, 8, 0)], (wide, 13, high), wall, trim, cell),
        roof(wide + 0.8, 13.8, site.share(3, 5.5), tiles, ridge=site.pick((0.8, 1.0)), steps=2).moved(
            0, 8, high
        ),
    )
    for sign in (-1, 1):
        length = site.share(16, 28)
        site.beside(
            boxes(
                [(sign * (wide / 2 + 5), 8 - length / 2 + 6, 0)], (10, length, high * 0.85), wall, trim, cell
            ),
            roof(10.8, length + 0.8, 3, tiles, ridge=0.3, steps=2).moved(
                sign * (wide / 2 + 5), 14 - length / 2, high * 0.85
            ),
        )
    w, tall = site.share(5, 8), high * site.share(1.5, 2.6)
    site.subject(
        boxes([(0, 3, 0)], (w, w, tall), brick),
        boxes([(0, 3, tall * t) for t in (0.55, 0.8, 1.0)], (w + 0.5, w + 0.5, 0.5), trim),
    )
    top = site.whole(0, 2)
    if top == 0:
        site.subject(roof(w + 0.4, w + 0.4, site.share(5, 11), tiles, ridge=0.0).moved(0, 3, tall))
    elif top == 1:
        site.subject(
            dome(w * 0.42, w * 0.5, site.plain(ROOFS)).moved(0, 3, tall + 2),
            lathe([(w * 0.42, 0), (w * 0.42, 2.2)], trim, sides=8).moved(0, 3, tall),
        )
    else:
        site.subject(
            boxes(
                [(s * w * 0.42, 3 + t * w * 0.42, tall) for s in (-1, 1) for t in (-1, 1)],
                (0.9, 0.9, site.share(1.5, 3)),
                trim,
            )
        )
    site.subject(
        arcade(
            1,
            w * 0.9,
            w * 0.5,
            w * 0.3,
            w * 0.85,
            1.2,
            trim,
            rise=site.share(1, 1.6),
            inside=site.plain((0.06, 0.05, 0.05)),
        ).moved(0, 3 - w / 2 - 0.6)
    )
    ground(site, site.lawn())
    site.beside(floor(site.pavement(), -2, -60, 2, 0, 0.01), floor(site.pavement(), -30, -9, 30, -6, 0.012))
    site.beside(groves(site, (site.whole(5, 10), (-26, 26), (-26, -9)), sorts=2))
    people(site, int(site.passing.integers(4, 16)), (-14, 14), (-24, -3))
    street_lamps(site, [(-3.5, -8), (3.5, -8), (-3.5, -20), (3.5, -20)])
    return Sight((0, 1, high * 0.8), 34, high=site.share(1.8, 7), angle=60)


def cottage(site: Site) -> Sight:
    """Build an old house in its garden."""
    wide, deep, high = site.share(10, 17), site.share(7, 10), site.share(5, 8)
    floors = max(1, round(high / 3))
    planks = site.maybe(50)
    wall = site.windowed(
        site.hue(((0.7, 0.68, 0.62), (0.5, 0.15, 0.1), (0.42, 0.45, 0.4), (0.6, 0.5, 0.3), (0.3, 0.34, 0.4)))
        if planks
        else None
    )
    trim, tiles = site.plain(((0.75, 0.74, 0.7), (0.2, 0.13, 0.08))), site.tiled()
    site.subject(
        boxes([(0, deep / 2, 0.5)], (wide, deep, high), wall, trim, (wide / site.whole(3, 6), high / floors)),
        boxes([(0, deep / 2, 0)], (wide + 0.2, deep + 0.2, 0.6), site.masonry()),
    )
    site.subject(
        roof(
            wide + 1,
            deep + 1.2,
            site.share(2.5, 5),
            tiles,
            ridge=site.pick((1.0, 1.0, 0.6, 0.2)),
            curve=site.pick((1.0, 1.0, 0.7)),
            steps=3,
        ).moved(0, deep / 2, high + 0.5)
    )
    if site.maybe(70):
        n = site.pick((2, 4, 6))
        porch = wide * site.share(0.3, 0.95)
        h = site.share(2.6, high)
        site.subject(
            colonnade(site, n, porch, h, trim).moved(0, -1.6, 0.4),
            boxes([(0, -1.0, 0)], (porch + 0.4, 2.4, 0.4), trim),
            boxes([(0, -1.0, h + 0.4)], (porch + 0.6, 2.6, 0.4), trim),
        )
        if site.maybe(60):
            site.subject(pediment(porch + 0.8, site.share(1, 2), 2.6, trim).moved(0, -2.3, h + 0.8))
    site.subject(
        boxes(
            [(wide * s, deep / 2, high) for s in ((-0.42, 0.42) if site.maybe(60) else (0.3,))],
            (0.9, 0.9, site.share(3.5, 6)),
            site.masonry(),
        )
    )
    if site.maybe(40):
        w = site.share(5, 8)
        s = site.pick((-1, 1))
        site.subject(
            boxes(
                [(s * (wide / 2 + w / 2), deep * 0.6, 0)], (w, deep * 0.7, high * 0.6), wall, trim, (2.4, 3)
            ),
            roof(w + 0.6, deep * 0.7 + 0.8, 2, tiles, ridge=0.9, steps=2).moved(
                s * (wide / 2 + w / 2), deep * 0.6, high * 0.6
            ),
        )
    door = site.plain(BRIGHTS)
    site.subject(boxes([(0, -0.06, 0.4)], (1.1, 0.2, 2.2), door))
    ground(site, site.lawn())
    site.beside(floor(site.pavement(), -1, -40, 1, 0, 0.01))
    if site.maybe(60):
        site.beside(fence(site, -20, -1.4, -9), fence(site, 1.4, 20, -9))
    site.beside(
        hedges(
            site,
            [(s * (1.6 + wide / 4), -1.2, 0) for s in (-1, 1)],
            [(wide / 2 - 1.8, 0.9, site.share(0.6, 1.3))] * 2,
        )
    )
    site.beside(
        groves(
            site,
            (5, (-24, -wide * 0.6), (-8, 14)),
            (5, (wide * 0.6, 24), (-8, 14)),
            (8, (-40, 40), (20, 45)),
            sorts=3,
        )
    )
    people(site, int(site.passing.integers(0, 5)), (-8, 8), (-8, -3))
    site.lamp(0, -1.5, 2.8, 12)
    return Sight((0, 0, high * 0.55), 20, high=3.0, angle=56)
