"""Indoor scenes: the gallery of a museum, and the dining room of a restaurant."""

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
    join_solids,
    lathe,
    leaves,
    quads,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRICK, BRIGHTS, LACQUERS, PLASTERS, STONES, Site
from planspec_pictures.scenes.surroundings import add_people, floor, lanterns, statue


def _add_room_shell(
    site: Site, width: float, depth: float, height: float, wall: int, ground: int, ceiling: int
) -> None:
    """Add the floor, the ceiling and three walls. The fourth wall is behind the camera."""
    x, y0, y1 = width / 2, -depth * 0.8, depth / 2
    site.add_beside(floor(ground, -x, y0, x, y1), floor(ceiling, -x, y0, x, y1, height))
    site.add_subject(
        quads(
            [
                [(-x, y1, 0), (x, y1, 0), (x, y1, height), (-x, y1, height)],
                [(-x, y0, 0), (-x, y1, 0), (-x, y1, height), (-x, y0, height)],
                [(x, y1, 0), (x, y0, 0), (x, y0, height), (x, y1, height)],
                [(x, y0, 0), (-x, y0, 0), (-x, y0, height), (x, y0, height)],
            ],
            None,
            wall,
        )
    )
    trim = site.plain_paint(((0.6, 0.58, 0.54), (0.2, 0.12, 0.07), (0.1, 0.1, 0.1)))
    site.add_beside(
        boxes(
            [(0, y1 - 0.05, 0), (-x + 0.05, (y0 + y1) / 2, 0), (x - 0.05, (y0 + y1) / 2, 0)],
            [(width, 0.1, 0.2), (0.1, depth * 1.3, 0.2), (0.1, depth * 1.3, 0.2)],
            trim,
        )
    )


def _add_ceiling_lamps(site: Site, at: list[tuple[float, float, float]], form: int, height: float) -> None:
    """Add lamps that hang from the ceiling."""
    colour = site.pick(((1.0, 0.75, 0.48), (1.0, 0.86, 0.68), (1.0, 0.95, 0.88)))
    shade = site.paint(
        Paint(
            site.draw_colour(BRIGHTS),
            glow=(2.2 * colour[0], 2.2 * colour[1], 2.2 * colour[2]),
            glows_by_day=True,
        )
    )
    if form == 0:
        lamp = ball(0.22, shade, sides=12)
    elif form == 1:
        lamp = lathe([(0.42, -0.15), (0.12, 0.2)], shade, sides=14)
    elif form == 2:
        lamp = boxes([(0, 0, -0.05)], (1.4, 0.2, 0.1), shade)
    else:
        lamp = join_solids([lathe([(0.1, -0.3), (0.36, -0.12), (0.36, 0.12), (0.1, 0.3)], shade, sides=12)])
    site.add_beside(
        lamp.copies_at(at),
        beams(
            [(x, y, z) for x, y, z in at],
            [(x, y, height) for x, y, _ in at],
            0.02,
            site.plain_paint((0.05, 0.05, 0.05)),
        ),
    )
    for x, y, z in at[:5]:
        site.add_lamp(x, y, z - 0.3, site.uniform(2.2, 3.6), colour, by_day=True)


def gallery(site: Site) -> Sight:
    """Build a gallery with pictures on the walls, and objects on pedestals and in glass cases."""
    width, depth, height = site.uniform(9, 15), site.uniform(10, 15), site.uniform(4, 6.5)
    wall = site.plain_paint(
        (*PLASTERS, (0.3, 0.06, 0.05), (0.08, 0.14, 0.2), (0.1, 0.18, 0.12), (0.72, 0.71, 0.69)),
        blotches=0.08,
    )
    ground = site.paint(
        Paint(
            site.draw_colour(((0.3, 0.18, 0.09), (0.4, 0.39, 0.37), (0.16, 0.1, 0.06), (0.5, 0.47, 0.42))),
            (0.08, 0.06, 0.05),
            site.pick((Pattern.PLANKS, Pattern.PAVING)),
            site.uniform(0.2, 0.9),
            0.2,
            shine=0.25,
        )
    )
    _add_room_shell(site, width, depth, height, wall, ground, site.plain_paint((0.62, 0.61, 0.59), blotches=0.05))
    y1 = depth / 2
    if site.maybe(75):
        for side in range(3):
            n = site.integer(1, 4)
            for k in range(n):
                w, h = site.uniform(0.9, 2.6), site.uniform(0.8, 2.0)
                z = site.uniform(1.1, 1.7)
                art = site.paint(
                    Paint(
                        site.draw_colour(BRIGHTS),
                        site.draw_colour(((0.4, 0.28, 0.08), (0.05, 0.04, 0.04), (0.6, 0.58, 0.54))),
                        Pattern.PAINTING,
                        blotches=0.05,
                        detail=(0, 0, float(site.integer(0, 999)), 0),
                    )
                )
                t = (k + 0.5) / n - 0.5
                if side == 0:
                    corners = [
                        (t * width - w / 2, y1 - 0.06, z),
                        (t * width + w / 2, y1 - 0.06, z),
                        (t * width + w / 2, y1 - 0.06, z + h),
                        (t * width - w / 2, y1 - 0.06, z + h),
                    ]
                else:
                    x, y = (-1 if side == 1 else 1) * (width / 2 - 0.06), t * depth
                    corners = [
                        (x, y - w / 2, z),
                        (x, y + w / 2, z),
                        (x, y + w / 2, z + h),
                        (x, y - w / 2, z + h),
                    ]
                site.add_subject(quads([corners], np.ones((1, 2), np.float32), art))
    metal = (
        (0.14, 0.2, 0.16),
        (0.2, 0.13, 0.06),
        (0.62, 0.6, 0.56),
        (0.4, 0.3, 0.1),
        (0.12, 0.2, 0.34),
        (0.5, 0.14, 0.08),
        (0.3, 0.3, 0.31),
    )
    stand = site.plain_paint(((0.65, 0.64, 0.62), (0.1, 0.1, 0.1), (0.3, 0.2, 0.12)))
    for n in range(site.integer(1, 4)):
        x, y = (0.0, 0.0) if n == 0 else (site.uniform(-0.36, 0.36) * width, site.uniform(-0.05, 0.36) * depth)
        s = site.uniform(1.3, 2.0) if n == 0 else site.uniform(0.6, 1.2)
        h = site.uniform(0.5, 1.1)
        thing = _exhibit(site, site.plain_paint(metal, shine=0.15), s)
        site.add_subject(
            boxes([(0, 0, 0)], (0.9 * s, 0.9 * s, h), stand).transform(x, y),
            thing.transform(x, y, h, site.uniform(0, 6)),
        )
        if site.maybe(40):
            rail = site.plain_paint((0.3, 0.3, 0.3), shine=0.3)
            top = h + 1.7 * s
            half = 0.6 * s
            site.add_subject(
                beams(
                    [(x + u * half, y + v * half, h) for u in (-1, 1) for v in (-1, 1)],
                    [(x + u * half, y + v * half, top) for u in (-1, 1) for v in (-1, 1)],
                    0.03,
                    rail,
                ),
                boxes([(x, y, top)], (2 * half, 2 * half, 0.05), rail),
            )
    if site.maybe(45):
        n = site.integer(2, 4)
        site.add_subject(
            cylinder(0.3, height, site.plain_paint(STONES), sides=14).copies_at(
                [(s * width * 0.36, (k / max(1, n - 1) - 0.4) * depth, 0) for s in (-1, 1) for k in range(n)]
            )
        )
    if site.maybe(40):
        site.add_subject(
            arcade(
                site.pick((1, 3)),
                3,
                2,
                1.8,
                3.6,
                0.4,
                site.plain_paint(STONES),
                inside=site.plain_paint((0.05, 0.05, 0.05)),
            ).transform(0, y1 - 0.25),
            boxes([(0, y1 - 0.05, 0)], (2, 0.05, 2.7), site.plain_paint((0.03, 0.03, 0.03))),
        )
    form = site.integer(0, 2)
    spots = [
        (x * width, y * depth, height - site.uniform(0.3, 1.2))
        for x, y in ((-0.22, -0.2), (0.22, -0.2), (-0.22, 0.22), (0.22, 0.22))
    ]
    _add_ceiling_lamps(site, spots, 2 if form == 0 else form, height)
    bench = boxes([(0, 0, 0.38)], (1.8, 0.5, 0.1), site.plain_paint(((0.2, 0.12, 0.07), (0.05, 0.05, 0.05))))
    site.add_subject(bench.transform(site.uniform(-2, 2), -2.4), boxes([(0, -2.4, 0)], (1.2, 0.3, 0.38), stand))
    add_people(site, int(site.moment.integers(0, 5)), (-width * 0.4, width * 0.4), (-1.5, depth * 0.4))
    return Sight((0, 0.5, 1.7), depth * 0.52, 34, min_height=1.5, max_height=1.9, angle=70)


def _exhibit(site: Site, paint: int, size: float) -> Solid:
    """Build an exhibit: a vessel, a bell, a bust, an animal or an abstract shape."""
    form = site.integer(0, 4)
    if form == 0:
        r = [site.uniform(0.12, 0.45) * size for _ in range(6)]
        turned = lathe([(q, k * 0.26 * size) for k, q in enumerate(r)], paint, sides=18)
        if site.maybe(50):
            return join_solids(
                [
                    turned,
                    beams(
                        [(r[4], 0, 1.0 * size), (-r[4], 0, 1.0 * size)],
                        [(r[3] + 0.25 * size, 0, 0.8 * size), (-r[3] - 0.25 * size, 0, 0.8 * size)],
                        0.06 * size,
                        paint,
                    ),
                ]
            )
        return turned
    if form == 1:
        legs = cylinder(0.07 * size, 0.5 * size, paint, sides=8).copies_at(
            [(u * 0.32 * size, v * 0.25 * size, 0) for u in (-1, 1) for v in (-1, 1)]
        )
        return join_solids(
            [
                legs,
                boxes([(0, 0, 0.45 * size)], (0.9 * size, 0.7 * size, site.uniform(0.4, 0.7) * size), paint),
                boxes([(0, 0, 1.0 * size)], (1.0 * size, 0.8 * size, 0.08 * size), paint),
                boxes(
                    [(u * 0.4 * size, 0, 1.05 * size) for u in (-1, 1)], (0.08 * size, 0.4 * size, 0.3 * size), paint
                ),
            ]
        )
    if form == 2:
        return statue(site, 1.5 * size)
    if form == 3:
        t = np.linspace(0, site.uniform(4, 9), 26)
        out = (0.1 + 0.07 * t / 2) * size
        line = np.stack([out * np.cos(t), out * np.sin(t), t / t[-1] * 1.4 * size], 1)
        return beams(line[:-1], line[1:], site.uniform(0.06, 0.16) * size, paint)
    parts = [
        ball(site.uniform(0.16, 0.36) * size, paint, sides=14).transform(
            site.uniform(-0.2, 0.2) * size, site.uniform(-0.2, 0.2) * size, site.uniform(0.2, 1.3) * size
        )
        for _ in range(site.integer(3, 6))
    ]
    return join_solids([*parts, cylinder(0.06 * size, 1.2 * size, paint)])


def dining(site: Site) -> Sight:
    """Build a dining room with tables, chairs, a counter, lamps and decorations on the walls."""
    width, depth, height = site.uniform(7, 12), site.uniform(9, 14), site.uniform(2.9, 4.2)
    wall = (
        site.masonry(site.draw_colour(BRICK))
        if site.maybe(30)
        else site.plain_paint((*PLASTERS, *LACQUERS, (0.07, 0.14, 0.13), (0.1, 0.12, 0.2)), blotches=0.12)
    )
    ground = site.paint(
        Paint(
            site.draw_colour(((0.3, 0.18, 0.09), (0.4, 0.39, 0.37), (0.14, 0.09, 0.06), (0.45, 0.24, 0.15))),
            (0.07, 0.05, 0.04),
            site.pick((Pattern.PLANKS, Pattern.PAVING)),
            site.uniform(0.14, 0.5),
            0.2,
            shine=0.15,
        )
    )
    _add_room_shell(
        site,
        width,
        depth,
        height,
        wall,
        ground,
        site.plain_paint(((0.6, 0.59, 0.57), (0.06, 0.06, 0.06), (0.25, 0.15, 0.09)), blotches=0.05),
    )
    y1 = depth / 2
    wood, cloth, seat = (
        site.plain_paint(((0.3, 0.17, 0.08), (0.1, 0.06, 0.04), (0.55, 0.54, 0.52)), shine=0.08),
        site.plain_paint(((0.7, 0.69, 0.66), *BRIGHTS)),
        site.plain_paint((*BRIGHTS, (0.25, 0.14, 0.07))),
    )
    round_ = site.maybe(40)
    r = site.uniform(0.45, 0.75) if round_ else site.uniform(0.4, 0.55)
    if round_:
        top = join_solids(
            [
                lathe([(r, 0.72), (r, 0.76), (0, 0.76)], cloth if site.maybe(60) else wood, sides=18),
                lathe([(r * 1.02, 0.45), (r * 1.01, 0.74)], cloth, sides=18)
                if site.maybe(40)
                else cylinder(0.06, 0.72, wood),
            ]
        )
    else:
        length = site.uniform(0.7, 1.6)
        top = join_solids(
            [
                boxes([(0, 0, 0.72)], (length, 2 * r, 0.05), cloth if site.maybe(50) else wood),
                boxes(
                    [(u * (length / 2 - 0.08), v * (r - 0.08), 0) for u in (-1, 1) for v in (-1, 1)],
                    (0.06, 0.06, 0.72),
                    wood,
                ),
            ]
        )
    plate, glass = site.plain_paint((0.75, 0.75, 0.74), shine=0.2), site.plain_paint(BRIGHTS, shine=0.4)
    ware = join_solids(
        [
            lathe([(0.13, 0.78), (0.05, 0.77), (0, 0.77)], plate, sides=12).copies_at(
                [(0.0, -r * 0.55, 0), (0.0, r * 0.55, 0)]
            ),
            lathe([(0.04, 0.77), (0.05, 0.92)], glass, sides=8).copies_at([(0.16, -r * 0.3, 0), (-0.16, r * 0.3, 0)]),
            lathe([(0.05, 0.77), (0.07, 0.87), (0.03, 1.0)], site.plain_paint(BRIGHTS), sides=8),
        ]
    )
    back = site.uniform(0.4, 0.75)
    chair = join_solids(
        [
            boxes([(0, 0, 0.43)], (0.44, 0.44, 0.07), seat),
            boxes([(0, 0.2, 0.5)], (0.44, 0.05, back), seat if site.maybe(50) else wood),
            boxes([(u * 0.18, v * 0.18, 0) for u in (-1, 1) for v in (-1, 1)], (0.04, 0.04, 0.43), wood),
        ]
    )
    seats = chair.copies_at([(0, r + 0.35, 0), (0, -r - 0.35, 0)], [0, math.pi])
    if round_:
        seats = join_solids(
            [seats, chair.copies_at([(r + 0.35, 0, 0), (-r - 0.35, 0, 0)], [-math.pi / 2, math.pi / 2])]
        )
    one = join_solids([top, ware, seats])
    rows, columns = site.integer(2, 3), max(2, int(width // 3.2))
    spots = [
        ((i - (columns - 1) / 2) * width / columns * 0.92, -depth * 0.28 + j * depth * 0.62 / rows, 0)
        for i in range(columns)
        for j in range(rows)
        if i != columns // 2 or site.maybe(60)
    ]
    site.add_subject(one.copies_at(spots, site.uniform(-0.1, 0.1) + (math.pi / 2 if site.maybe(40) else 0)))
    form = site.integer(0, 2)
    if form == 0:  # a bar
        w = width * site.uniform(0.4, 0.8)
        x = site.uniform(-0.5, 0.5) * (width - w)
        site.add_subject(
            boxes([(x, y1 - 1.4, 0)], (w, 0.6, 1.1), site.masonry(), wood),
            boxes([(x, y1 - 0.3, z) for z in (1.3, 1.8, 2.3)], (w, 0.3, 0.05), wood),
        )
        for _ in range(3):
            bottle = lathe(
                [(0.045, 0), (0.045, 0.2), (0.015, 0.28), (0.015, 0.36)],
                site.plain_paint(BRIGHTS, shine=0.4),
                sides=7,
            )
            site.add_subject(
                bottle.copies_at(
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
        stool = join_solids([cylinder(0.18, 0.06, seat).transform(z=0.72), cylinder(0.03, 0.72, wood)])
        site.add_subject(stool.copies_at([(q, y1 - 2.1, 0) for q in np.arange(x - w / 2 + 0.4, x + w / 2, 0.8)]))
    elif form == 1:  # a window to the street
        site.add_subject(
            quads(
                [
                    [
                        (-width * 0.4, y1 - 0.05, 0.7),
                        (width * 0.4, y1 - 0.05, 0.7),
                        (width * 0.4, y1 - 0.05, height - 0.4),
                        (-width * 0.4, y1 - 0.05, height - 0.4),
                    ]
                ],
                np.array([[site.integer(2, 5), 1]], np.float32),
                site.paint(
                    Paint(
                        (0.3, 0.33, 0.36),
                        site.draw_colour(BRIGHTS),
                        Pattern.SHOP,
                        2.0,
                        0.3,
                        glow=(0.5, 0.55, 0.6),
                        glows_by_day=True,
                        detail=(0, 0, float(site.integer(0, 99)), 0),
                    )
                ),
            )
        )
    else:
        lattice = site.paint(
            Paint(
                site.draw_colour(LACQUERS),
                (0.62, 0.55, 0.4),
                Pattern.LATTICE,
                1.0,
                0.2,
                glow=(0.7, 0.45, 0.2),
                glows_by_day=True,
            )
        )
        site.add_subject(
            quads(
                [
                    [
                        (-width / 2, y1 - 0.1, 0),
                        (width / 2, y1 - 0.1, 0),
                        (width / 2, y1 - 0.1, height),
                        (-width / 2, y1 - 0.1, height),
                    ]
                ],
                None,
                lattice,
                (site.uniform(0.9, 1.6), height),
            )
        )
    for side in (-1, 1):
        for _ in range(site.integer(0, 4)):
            w, h, y, z = (
                site.uniform(0.4, 1.4),
                site.uniform(0.4, 1.1),
                site.uniform(-0.3, 0.42) * depth,
                site.uniform(1.3, 1.8),
            )
            art = site.paint(
                Paint(
                    site.draw_colour(BRIGHTS),
                    site.draw_colour(((0.1, 0.07, 0.04), (0.6, 0.58, 0.54))),
                    Pattern.PAINTING,
                    blotches=0.05,
                    detail=(0, 0, float(site.integer(0, 999)), 0),
                )
            )
            x = side * (width / 2 - 0.05)
            site.add_subject(
                quads(
                    [[(x, y - w / 2, z), (x, y + w / 2, z), (x, y + w / 2, z + h), (x, y - w / 2, z + h)]],
                    np.ones((1, 2), np.float32),
                    art,
                )
            )
        if site.maybe(40):
            plant = join_solids(
                [
                    lathe([(0.2, 0), (0.28, 0.5)], site.plain_paint(STONES), sides=10),
                    leaves(site.chance, 170, (0.45, 0.45, 0.7), 0.09, site.foliage()).transform(z=1.2),
                ]
            )
            site.add_subject(plant.transform(side * (width / 2 - 0.5), site.uniform(-0.1, 0.44) * depth))
    if site.maybe(35):
        n = site.integer(3, 6)
        site.add_subject(
            boxes(
                [(0, -depth * 0.4 + k * depth * 0.85 / n, height - 0.25) for k in range(n + 1)],
                (width, 0.2, 0.24),
                wood,
            )
        )
    if site.eastern and site.maybe(50):
        site.add_subject(
            lanterns(
                site,
                [(q * width * 0.3, p * depth * 0.25, height - 0.6) for q in (-1, 0, 1) for p in (-1, 0.3, 1.5)],
                0.22,
            )
        )
    _add_ceiling_lamps(
        site, [(x, y, height - site.uniform(0.6, 1.3)) for x, y, _ in spots[:5]], site.integer(0, 3), height
    )
    add_people(site, int(site.moment.integers(0, 4)), (-width * 0.35, width * 0.35), (0, depth * 0.3))
    return Sight((0, 0.6, 1.15), depth * 0.53, 30, min_height=1.35, max_height=1.75, angle=72)
