"""Indoor scenes: a room of a museum, a restaurant."""

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
    joined,
    lathe,
    leaves,
    quads,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRICK, BRIGHTS, LACQUERS, PLASTERS, STONES, Site
from planspec_pictures.scenes.surroundings import floor, lanterns, people, statue


def _shell(site: Site, wide: float, deep: float, high: float, wall: int, ground: int, ceiling: int) -> None:
    """Build floor, ceiling and three walls; the fourth is behind the eye."""
    x, y0, y1 = wide / 2, -deep * 0.8, deep / 2
    site.beside(floor(ground, -x, y0, x, y1), floor(ceiling, -x, y0, x, y1, high))
    site.subject(
        quads(
            [
                [(-x, y1, 0), (x, y1, 0), (x, y1, high), (-x, y1, high)],
                [(-x, y0, 0), (-x, y1, 0), (-x, y1, high), (-x, y0, high)],
                [(x, y1, 0), (x, y0, 0), (x, y0, high), (x, y1, high)],
                [(x, y0, 0), (-x, y0, 0), (-x, y0, high), (x, y0, high)],
            ],
            None,
            wall,
        )
    )
    trim = site.plain(((0.6, 0.58, 0.54), (0.2, 0.12, 0.07), (0.1, 0.1, 0.1)))
    site.beside(
        boxes(
            [(0, y1 - 0.05, 0), (-x + 0.05, (y0 + y1) / 2, 0), (x - 0.05, (y0 + y1) / 2, 0)],
            [(wide, 0.1, 0.2), (0.1, deep * 1.3, 0.2), (0.1, deep * 1.3, 0.2)],
            trim,
        )
    )


def _hang_lamps(site: Site, at: list[tuple[float, float, float]], form: int, high: float) -> None:
    """Hang lamps from the ceiling."""
    colour = site.pick(((1.0, 0.75, 0.48), (1.0, 0.86, 0.68), (1.0, 0.95, 0.88)))
    shade = site.paint(
        Paint(site.hue(BRIGHTS), glow=(2.2 * colour[0], 2.2 * colour[1], 2.2 * colour[2]), always=True)
    )
    if form == 0:
        lamp = ball(0.22, shade, sides=12)
    elif form == 1:
        lamp = lathe([(0.42, -0.15), (0.12, 0.2)], shade, sides=14)
    elif form == 2:
        lamp = boxes([(0, 0, -0.05)], (1.4, 0.2, 0.1), shade)
    else:
        lamp = joined([lathe([(0.1, -0.3), (0.36, -0.12), (0.36, 0.12), (0.1, 0.3)], shade, sides=12)])
    site.beside(
        lamp.copied(at),
        beams(
            [(x, y, z) for x, y, z in at],
            [(x, y, high) for x, y, _ in at],
            0.02,
            site.plain((0.05, 0.05, 0.05)),
        ),
    )
    for x, y, z in at[:5]:
        site.lamp(x, y, z - 0.3, site.share(2.2, 3.6), colour, by_day=True)


def gallery(site: Site) -> Sight:
    """Build pictures on walls, and objects on pedestals and in glass cases."""
    wide, deep, high = site.share(9, 15), site.share(10, 15), site.share(4, 6.5)
    wall = site.plain(
        (*PLASTERS, (0.3, 0.06, 0.05), (0.08, 0.14, 0.2), (0.1, 0.18, 0.12), (0.72, 0.71, 0.69)),
        blotches=0.08,
    )
    ground = site.paint(
        Paint(
            site.hue(((0.3, 0.18, 0.09), (0.4, 0.39, 0.37), (0.16, 0.1, 0.06), (0.5, 0.47, 0.42))),
            (0.08, 0.06, 0.05),
            site.pick((Pattern.PLANKS, Pattern.PAVING)),
            site.share(0.2, 0.9),
            0.2,
            shine=0.25,
        )
    )
    _shell(site, wide, deep, high, wall, ground, site.plain((0.62, 0.61, 0.59), blotches=0.05))
    y1 = deep / 2
    if site.maybe(75):
        for side in range(3):
            n = site.whole(1, 4)
            for k in range(n):
                w, h = site.share(0.9, 2.6), site.share(0.8, 2.0)
                z = site.share(1.1, 1.7)
                art = site.paint(
                    Paint(
                        site.hue(BRIGHTS),
                        site.hue(((0.4, 0.28, 0.08), (0.05, 0.04, 0.04), (0.6, 0.58, 0.54))),
                        Pattern.PAINTING,
                        blotches=0.05,
                        detail=(0, 0, float(site.whole(0, 999)), 0),
                    )
                )
                t = (k + 0.5) / n - 0.5
                if side == 0:
                    corners = [
                        (t * wide - w / 2, y1 - 0.06, z),
                        (t * wide + w / 2, y1 - 0.06, z),
                        (t * wide + w / 2, y1 - 0.06, z + h),
                        (t * wide - w / 2, y1 - 0.06, z + h),
                    ]
                else:
                    x, y = (-1 if side == 1 else 1) * (wide / 2 - 0.06), t * deep
                    corners = [
                        (x, y - w / 2, z),
                        (x, y + w / 2, z),
                        (x, y + w / 2, z + h),
                        (x, y - w / 2, z + h),
                    ]
                site.subject(quads([corners], np.ones((1, 2), np.float32), art))
    metal = (
        (0.14, 0.2, 0.16),
        (0.2, 0.13, 0.06),
        (0.62, 0.6, 0.56),
        (0.4, 0.3, 0.1),
        (0.12, 0.2, 0.34),
        (0.5, 0.14, 0.08),
        (0.3, 0.3, 0.31),
    )
    stand = site.plain(((0.65, 0.64, 0.62), (0.1, 0.1, 0.1), (0.3, 0.2, 0.12)))
    for n in range(site.whole(1, 4)):
        x, y = (0.0, 0.0) if n == 0 else (site.share(-0.36, 0.36) * wide, site.share(-0.05, 0.36) * deep)
        s = site.share(1.3, 2.0) if n == 0 else site.share(0.6, 1.2)
        h = site.share(0.5, 1.1)
        thing = _artefact(site, site.plain(metal, shine=0.15), s)
        site.subject(
            boxes([(0, 0, 0)], (0.9 * s, 0.9 * s, h), stand).moved(x, y),
            thing.moved(x, y, h, site.share(0, 6)),
        )
        if site.maybe(40):
            rail = site.plain((0.3, 0.3, 0.3), shine=0.3)
            top = h + 1.7 * s
            half = 0.6 * s
            site.subject(
                beams(
                    [(x + u * half, y + v * half, h) for u in (-1, 1) for v in (-1, 1)],
                    [(x + u * half, y + v * half, top) for u in (-1, 1) for v in (-1, 1)],
                    0.03,
                    rail,
                ),
                boxes([(x, y, top)], (2 * half, 2 * half, 0.05), rail),
            )
    if site.maybe(45):
        n = site.whole(2, 4)
        site.subject(
            cylinder(0.3, high, site.plain(STONES), sides=14).copied(
                [(s * wide * 0.36, (k / max(1, n - 1) - 0.4) * deep, 0) for s in (-1, 1) for k in range(n)]
            )
        )
    if site.maybe(40):
        site.subject(
            arcade(
                site.pick((1, 3)),
                3,
                2,
                1.8,
                3.6,
                0.4,
                site.plain(STONES),
                inside=site.plain((0.05, 0.05, 0.05)),
            ).moved(0, y1 - 0.25),
            boxes([(0, y1 - 0.05, 0)], (2, 0.05, 2.7), site.plain((0.03, 0.03, 0.03))),
        )
    form = site.whole(0, 2)
    spots = [
        (x * wide, y * deep, high - site.share(0.3, 1.2))
        for x, y in ((-0.22, -0.2), (0.22, -0.2), (-0.22, 0.22), (0.22, 0.22))
    ]
    _hang_lamps(site, spots, 2 if form == 0 else form, high)
    bench = boxes([(0, 0, 0.38)], (1.8, 0.5, 0.1), site.plain(((0.2, 0.12, 0.07), (0.05, 0.05, 0.05))))
    site.subject(bench.moved(site.share(-2, 2), -2.4), boxes([(0, -2.4, 0)], (1.2, 0.3, 0.38), stand))
    people(site, int(site.passing.integers(0, 5)), (-wide * 0.4, wide * 0.4), (-1.5, deep * 0.4))
    return Sight((0, 0.5, 1.7), deep * 0.52, 34, low=1.5, high=1.9, angle=70)


def _artefact(site: Site, paint: int, s: float) -> Solid:
    """Build a vessel, a bell, a bust, a beast or a shape."""
    form = site.whole(0, 4)
    if form == 0:
        r = [site.share(0.12, 0.45) * s for _ in range(6)]
        turned = lathe([(q, k * 0.26 * s) for k, q in enumerate(r)], paint, sides=18)
        if site.maybe(50):
            return joined(
                [
                    turned,
                    beams(
                        [(r[4], 0, 1.0 * s), (-r[4], 0, 1.0 * s)],
                        [(r[3] + 0.25 * s, 0, 0.8 * s), (-r[3] - 0.25 * s, 0, 0.8 * s)],
                        0.06 * s,
                        paint,
                    ),
                ]
            )
        return turned
    if form == 1:
        legs = cylinder(0.07 * s, 0.5 * s, paint, sides=8).copied(
            [(u * 0.32 * s, v * 0.25 * s, 0) for u in (-1, 1) for v in (-1, 1)]
        )
        return joined(
            [
                legs,
                boxes([(0, 0, 0.45 * s)], (0.9 * s, 0.7 * s, site.share(0.4, 0.7) * s), paint),
                boxes([(0, 0, 1.0 * s)], (1.0 * s, 0.8 * s, 0.08 * s), paint),
                boxes([(u * 0.4 * s, 0, 1.05 * s) for u in (-1, 1)], (0.08 * s, 0.4 * s, 0.3 * s), paint),
            ]
        )
    if form == 2:
        return statue(site, 1.5 * s)
    if form == 3:
        t = np.linspace(0, site.share(4, 9), 26)
        out = (0.1 + 0.07 * t / 2) * s
        line = np.stack([out * np.cos(t), out * np.sin(t), t / t[-1] * 1.4 * s], 1)
        return beams(line[:-1], line[1:], site.share(0.06, 0.16) * s, paint)
    parts = [
        ball(site.share(0.16, 0.36) * s, paint, sides=14).moved(
            site.share(-0.2, 0.2) * s, site.share(-0.2, 0.2) * s, site.share(0.2, 1.3) * s
        )
        for _ in range(site.whole(3, 6))
    ]
    return joined([*parts, cylinder(0.06 * s, 1.2 * s, paint)])


def dining(site: Site) -> Sight:
    """Build tables and chairs, a counter, lamps, and decorations on the walls."""
    wide, deep, high = site.share(7, 12), site.share(9, 14), site.share(2.9, 4.2)
    wall = (
        site.masonry(site.hue(BRICK))
        if site.maybe(30)
        else site.plain((*PLASTERS, *LACQUERS, (0.07, 0.14, 0.13), (0.1, 0.12, 0.2)), blotches=0.12)
    )
    ground = site.paint(
        Paint(
            site.hue(((0.3, 0.18, 0.09), (0.4, 0.39, 0.37), (0.14, 0.09, 0.06), (0.45, 0.24, 0.15))),
            (0.07, 0.05, 0.04),
            site.pick((Pattern.PLANKS, Pattern.PAVING)),
            site.share(0.14, 0.5),
            0.2,
            shine=0.15,
        )
    )
    _shell(
        site,
        wide,
        deep,
        high,
        wall,
        ground,
        site.plain(((0.6, 0.59, 0.57), (0.06, 0.06, 0.06), (0.25, 0.15, 0.09)), blotches=0.05),
    )
    y1 = deep / 2
    wood, cloth, seat = (
        site.plain(((0.3, 0.17, 0.08), (0.1, 0.06, 0.04), (0.55, 0.54, 0.52)), shine=0.08),
        site.plain(((0.7, 0.69, 0.66), *BRIGHTS)),
        site.plain((*BRIGHTS, (0.25, 0.14, 0.07))),
    )
    round_ = site.maybe(40)
    r = site.share(0.45, 0.75) if round_ else site.share(0.4, 0.55)
    if round_:
        top = joined(
            [
                lathe([(r, 0.72), (r, 0.76), (0, 0.76)], cloth if site.maybe(60) else wood, sides=18),
                lathe([(r * 1.02, 0.45), (r * 1.01, 0.74)], cloth, sides=18)
                if site.maybe(40)
                else cylinder(0.06, 0.72, wood),
            ]
        )
    else:
        long = site.share(0.7, 1.6)
        top = joined(
            [
                boxes([(0, 0, 0.72)], (long, 2 * r, 0.05), cloth if site.maybe(50) else wood),
                boxes(
                    [(u * (long / 2 - 0.08), v * (r - 0.08), 0) for u in (-1, 1) for v in (-1, 1)],
                    (0.06, 0.06, 0.72),
                    wood,
                ),
            ]
        )
    plate, glass = site.plain((0.75, 0.75, 0.74), shine=0.2), site.plain(BRIGHTS, shine=0.4)
    ware = joined(
        [
            lathe([(0.13, 0.78), (0.05, 0.77), (0, 0.77)], plate, sides=12).copied(
                [(0.0, -r * 0.55, 0), (0.0, r * 0.55, 0)]
            ),
            lathe([(0.04, 0.77), (0.05, 0.92)], glass, sides=8).copied(
                [(0.16, -r * 0.3, 0), (-0.16, r * 0.3, 0)]
            ),
            lathe([(0.05, 0.77), (0.07, 0.87), (0.03, 1.0)], site.plain(BRIGHTS), sides=8),
        ]
    )
    back = site.share(0.4, 0.75)
    chair = joined(
        [
            boxes([(0, 0, 0.43)], (0.44, 0.44, 0.07), seat),
            boxes([(0, 0.2, 0.5)], (0.44, 0.05, back), seat if site.maybe(50) else wood),
            boxes([(u * 0.18, v * 0.18, 0) for u in (-1, 1) for v in (-1, 1)], (0.04, 0.04, 0.43), wood),
        ]
    )
    seats = chair.copied([(0, r + 0.35, 0), (0, -r - 0.35, 0)], [0, math.pi])
    if round_:
        seats = joined(
            [seats, chair.copied([(r + 0.35, 0, 0), (-r - 0.35, 0, 0)], [-math.pi / 2, math.pi / 2])]
        )
    one = joined([top, ware, seats])
    rows, columns = site.whole(2, 3), max(2, int(wide // 3.2))
    spots = [
        ((i - (columns - 1) / 2) * wide / columns * 0.92, -deep * 0.28 + j * deep * 0.62 / rows, 0)
        for i in range(columns)
        for j in range(rows)
        if i != columns // 2 or site.maybe(60)
    ]
    site.subject(one.copied(spots, site.share(-0.1, 0.1) + (math.pi / 2 if site.maybe(40) else 0)))
    form = site.whole(0, 2)
    if form == 0:  # a bar
        w = wide * site.share(0.4, 0.8)
        x = site.share(-0.5, 0.5) * (wide - w)
        site.subject(
            boxes([(x, y1 - 1.4, 0)], (w, 0.6, 1.1), site.masonry(), wood),
            boxes([(x, y1 - 0.3, z) for z in (1.3, 1.8, 2.3)], (w, 0.3, 0.05), wood),
        )
        for _ in range(3):
            bottle = lathe(
                [(0.045, 0), (0.045, 0.2), (0.015, 0.28), (0.015, 0.36)],
                site.plain(BRIGHTS, shine=0.4),
                sides=7,
            )
            site.subject(
                bottle.copied(
                    [
                        (
                            x - w / 2 + 0.15 + w * float(site.chance.random()) * 0.95,
                            y1 - 0.3,
                            site.pick((1.35, 1.85, 2.35)),
                        )
                        for _ in range(14)
                    ]
                )
            )
        stool = joined([cylinder(0.18, 0.06, seat).moved(z=0.72), cylinder(0.03, 0.72, wood)])
        site.subject(stool.copied([(q, y1 - 2.1, 0) for q in np.arange(x - w / 2 + 0.4, x + w / 2, 0.8)]))
    elif form == 1:  # a window on the street
        site.subject(
            quads(
                [
                    [
                        (-wide * 0.4, y1 - 0.05, 0.7),
                        (wide * 0.4, y1 - 0.05, 0.7),
                        (wide * 0.4, y1 - 0.05, high - 0.4),
                        (-wide * 0.4, y1 - 0.05, high - 0.4),
                    ]
                ],
                np.array([[site.whole(2, 5), 1]], np.float32),
                site.paint(
                    Paint(
                        (0.3, 0.33, 0.36),
                        site.hue(BRIGHTS),
                        Pattern.SHOP,
                        2.0,
                        0.3,
                        glow=(0.5, 0.55, 0.6),
                        always=True,
                        detail=(0, 0, float(site.whole(0, 99)), 0),
                    )
                ),
            )
        )
    else:
        lattice = site.paint(
            Paint(
                site.hue(LACQUERS),
                (0.62, 0.55, 0.4),
                Pattern.LATTICE,
                1.0,
                0.2,
                glow=(0.7, 0.45, 0.2),
                always=True,
            )
        )
        site.subject(
            quads(
                [
                    [
                        (-wide / 2, y1 - 0.1, 0),
                        (wide / 2, y1 - 0.1, 0),
                        (wide / 2, y1 - 0.1, high),
                        (-wide / 2, y1 - 0.1, high),
                    ]
                ],
                None,
                lattice,
                (site.share(0.9, 1.6), high),
            )
        )
    for side in (-1, 1):
        for _ in range(site.whole(0, 4)):
            w, h, y, z = (
                site.share(0.4, 1.4),
                site.share(0.4, 1.1),
                site.share(-0.3, 0.42) * deep,
                site.share(1.3, 1.8),
            )
            art = site.paint(
                Paint(
                    site.hue(BRIGHTS),
                    site.hue(((0.1, 0.07, 0.04), (0.6, 0.58, 0.54))),
                    Pattern.PAINTING,
                    blotches=0.05,
                    detail=(0, 0, float(site.whole(0, 999)), 0),
                )
            )
            x = side * (wide / 2 - 0.05)
            site.subject(
                quads(
                    [[(x, y - w / 2, z), (x, y + w / 2, z), (x, y + w / 2, z + h), (x, y - w / 2, z + h)]],
                    np.ones((1, 2), np.float32),
                    art,
                )
            )
        if site.maybe(40):
            plant = joined(
                [
                    lathe([(0.2, 0), (0.28, 0.5)], site.plain(STONES), sides=10),
                    leaves(site.chance, 170, (0.45, 0.45, 0.7), 0.09, site.leafy()).moved(z=1.2),
                ]
            )
            site.subject(plant.moved(side * (wide / 2 - 0.5), site.share(-0.1, 0.44) * deep))
    if site.maybe(35):
        n = site.whole(3, 6)
        site.subject(
            boxes(
                [(0, -deep * 0.4 + k * deep * 0.85 / n, high - 0.25) for k in range(n + 1)],
                (wide, 0.2, 0.24),
                wood,
            )
        )
    if site.eastern and site.maybe(50):
        site.subject(
            lanterns(
                site,
                [(q * wide * 0.3, p * deep * 0.25, high - 0.6) for q in (-1, 0, 1) for p in (-1, 0.3, 1.5)],
                0.22,
            )
        )
    _hang_lamps(site, [(x, y, high - site.share(0.6, 1.3)) for x, y, _ in spots[:5]], site.whole(0, 3), high)
    people(site, int(site.passing.integers(0, 4)), (-wide * 0.35, wide * 0.35), (0, deep * 0.3))
    return Sight((0, 0.6, 1.15), deep * 0.53, 30, low=1.35, high=1.75, angle=72)
