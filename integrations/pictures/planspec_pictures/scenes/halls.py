"""Halls with a forecourt: museums, libraries, palaces, theatres."""

from __future__ import annotations

import math

import numpy as np

from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    Solid,
    arcade,
    boxes,
    cylinder,
    dome,
    grid,
    joined,
    lathe,
    quads,
    roof,
    shifted,
    stairs,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, PLASTERS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    broadleaf,
    cars,
    conifer,
    fence,
    floor,
    fountain,
    ground,
    hedges,
    palm,
    people,
    planted,
    skyline,
    statue,
    street_lamps,
    town,
)


def colonnade(site: Site, count: int, wide: float, high: float, stone: int) -> Solid:
    """Build columns in a row along x, with their load."""
    r = site.share(0.38, 0.62)
    column = joined(
        [
            lathe(
                [
                    (r * 1.25, 0),
                    (r * 1.25, 0.35),
                    (r, 0.5),
                    (r * 0.82, high - 0.6),
                    (r * 1.2, high - 0.25),
                    (r * 1.35, high),
                ],
                stone,
                sides=14,
            )
        ]
    )
    x = np.linspace(-wide / 2 + r * 1.4, wide / 2 - r * 1.4, count)
    return column.copied(np.stack([x, x * 0, x * 0], 1))


def pediment(wide: float, high: float, deep: float, paint: int) -> Solid:
    """Build a flat gable over a front at y = 0, its foot at z = 0."""
    front = [(-wide / 2, 0.0, 0.0), (wide / 2, 0.0, 0.0), (0.0, 0.0, high), (0.0, 0.0, high)]
    left = [(-wide / 2, 0.0, 0.0), (0.0, 0.0, high), (0.0, deep, high), (-wide / 2, deep, 0.0)]
    right = [(0.0, 0.0, high), (wide / 2, 0.0, 0.0), (wide / 2, deep, 0.0), (0.0, deep, high)]
    return quads([front, left, right], None, paint)


def _forecourt(site: Site, wide: float) -> None:
    """Add the ground before a public building."""
    ground(site, site.lawn() if site.maybe(35) else None)
    if site.maybe(50):
        site.beside(floor(site.pavement(), -site.share(4, 9), -80, site.share(4, 9), 0, 0.01))
    look = site.whole(0, 3)
    if look == 0:
        site.beside(fountain(site, site.share(2.5, 4.5)).moved(site.share(-9, 9), -site.share(11, 15)))
    elif look == 1:
        site.beside(statue(site, site.share(4, 6.5)).moved(site.share(-9, 9), -site.share(9, 14)))
    elif look == 2:
        for sign in (-1, 1):
            site.beside(hedges(site, [(sign * site.share(6, 9), -9.0, 0)], [(site.share(4, 8), 1.2, 1.0)]))
    sort = site.pick((broadleaf, conifer, palm, None))
    rows = [(s * (wide / 2 + site.share(2, 5)), -4 - 7 * n) for s in (-1, 1) for n in range(site.whole(1, 3))]
    site.beside(planted(site, np.array(rows, np.float32), only=sort, sorts=1))
    flags = site.whole(0, 5)
    if flags:
        pole, cloth = site.plain((0.6, 0.6, 0.6), shine=0.3), site.plain(BRIGHTS)
        x0 = site.share(-12, 4)
        for n in range(flags):
            x = x0 + n * 2.2
            site.beside(
                cylinder(0.06, 8, pole, sides=6).moved(x, -7.5),
                quads(
                    [[(x, -7.5, 6.8), (x + 1.5, -7.4, 6.6), (x + 1.5, -7.4, 7.6), (x, -7.5, 7.8)]],
                    None,
                    cloth,
                ),
            )
    street_lamps(site, [(s * site.share(6, 11), -y) for s in (-1, 1) for y in (5, 13)])
    people(site, int(site.passing.integers(3, 14)), (-16, 16), (-20, -3))


def classical(site: Site) -> Sight:
    """Build a temple front between wings, perhaps with a dome above."""
    stone, wall = site.masonry(site.hue(STONES)), site.windowed(site.hue((*STONES, *PLASTERS)))
    trim = site.plain(STONES)
    high, wide = site.share(8, 14), site.share(13, 24)
    steps = site.whole(3, 14)
    base = steps * 0.17
    wing, deep = site.share(10, 26), site.share(12, 20)
    count = site.pick((4, 6, 6, 8, 10))
    back = site.share(2, 4.5)
    body = boxes(
        [(0, back + deep / 2, 0)], (wide, deep, base + high + 0.6), site.masonry(site.paints[stone].colour)
    )
    site.subject(body)
    site.subject(
        stairs(wide * site.share(0.8, 1.15), steps, 0.42, 0.17, trim).moved(y=-0.6),
        boxes([(0, back / 2 - 0.2, 0)], (wide + 1, back + 1, base), trim),
    )
    site.subject(colonnade(site, count, wide * 0.96, high, stone).moved(0, 0.3, base))
    site.subject(boxes([(0, back / 2, base + high)], (wide + 0.6, back + 1.6, site.share(0.9, 1.6)), stone))
    top = base + high + 1.2
    crown = site.whole(0, 3)
    if crown < 2:
        site.subject(pediment(wide + 1, site.share(2.2, 4.2), back + deep, stone).moved(0, -0.6, top))
    else:
        site.subject(boxes([(0, 1, top)], (wide * 0.7, 3, site.share(1.2, 2.6)), stone))
    doors = site.plain(((0.14, 0.07, 0.03), (0.05, 0.09, 0.07), (0.04, 0.04, 0.05)), shine=0.1)
    site.subject(
        boxes(
            [(x, back - 0.1, base) for x in (-wide * 0.28, 0, wide * 0.28)],
            (2.2, 0.4, site.share(4, 6)),
            doors,
        )
    )
    floors = max(1, round((base + high) / 5.0))
    h = base + high * site.share(0.78, 1.0)
    for sign in (-1, 1):
        site.subject(
            boxes(
                [(sign * (wide / 2 + wing / 2), back + deep * 0.5, 0)],
                (wing, deep * 0.8, h),
                wall,
                trim,
                (site.share(2.8, 4.6), h / floors),
            )
        )
        site.subject(
            boxes(
                [(sign * (wide / 2 + wing / 2), back + deep * 0.5, h)],
                (wing + 0.5, deep * 0.8 + 0.5, 0.7),
                trim,
            )
        )
    if site.maybe(55):
        r = site.share(4, 7.5)
        drum = site.share(2, 5)
        z, y = top + 0.6, back + deep * 0.45
        cover = site.plain(ROOFS) if site.maybe(60) else site.plain(STONES)
        site.subject(
            lathe(
                [(r, 0), (r, drum)], site.windowed(site.paints[stone].colour), sides=18, cell=(1.8, drum)
            ).moved(0, y, z),
            lathe([(r * 1.1, drum), (r * 1.1, drum + 0.5), (r, drum + 0.6)], trim, sides=18).moved(0, y, z),
        )
        site.subject(
            dome(r, r * site.share(0.7, 1.25), cover).moved(0, y, z + drum + 0.5),
            cylinder(0.7, 2.6, trim, sides=8).moved(0, y, z + drum + r),
            lathe([(0.3, 0), (0.02, 3)], cover, sides=6).moved(0, y, z + drum + r + 2),
        )
    _forecourt(site, wide + 2 * wing)
    if site.maybe(65):
        town(site, wide / 2 + wing + site.share(6, 14), 5)
    skyline(site, 45, 170, 60)
    return Sight((0, 2, high * 0.62), wide * 1.1 + 14, high=site.share(2.5, 9))


def modern(site: Site) -> Sight:
    """Build boxes, slabs and slopes of glass, concrete and metal."""
    stories = site.whole(2, 4)
    z = 0.0
    wide, deep = site.share(24, 42), site.share(14, 22)
    paints = [
        site.glazed(cell=2),
        site.plain(STONES, blotches=0.15),
        site.plain(((0.6, 0.6, 0.6), (0.16, 0.16, 0.17), (0.35, 0.2, 0.12), (0.45, 0.43, 0.4)), shine=0.15),
        site.windowed(),
    ]
    paints.append(
        site.paint(
            Paint(
                site.hue(STONES),
                site.hue(STONES),
                Pattern.STRIPES,
                site.share(0.4, 1.5),
                0.2,
                detail=(0.5, 0, 0, 0),
            )
        )
    )
    form = site.whole(0, 3)
    for _ in range(stories):
        h = site.share(3.5, 7.5)
        w, d = wide * site.share(0.45, 1.0), deep * site.share(0.6, 1.0)
        x, y = site.share(-0.5, 0.5) * (wide - w) * 1.4, site.share(-0.35, 0.3) * deep
        paint = site.pick(paints)
        turn = site.share(-0.25, 0.25) if form == 1 else 0.0
        site.subject(
            boxes([(0, 0, 0)], (w, d, h), paint, paints[2], (site.share(1.6, 3.4), site.share(2, 3.6))).moved(
                x, deep / 2 + y, z, turn
            )
        )
        site.subject(
            boxes(
                [(0, 0, h)], (w + site.share(0, 3), d + site.share(0, 3), site.share(0.25, 0.8)), paints[2]
            ).moved(x, deep / 2 + y, z, turn)
        )
        z += h + 0.3
    if form == 2:  # a shell over all
        n = np.linspace(0, 1, 17, dtype=np.float32)
        s = np.linspace(-1, 1, 21, dtype=np.float32)
        lean, tall = site.share(-0.3, 0.5), z * site.share(1.1, 1.6)
        a, b = np.meshgrid(s, n)
        points = np.stack(
            [
                a * wide * 0.62 * (1 - 0.25 * b),
                -2 + b * deep * 1.3,
                tall * np.sin(b * 2.6 + 0.25) * (1 - 0.3 * a * a) + lean * a * 4,
            ],
            -1,
        )
        site.subject(grid(points, np.stack([a * 16, b * 12], -1), paints[2], smooth=True))
    if form == 3:  # a slanting tower
        w = site.share(6, 10)
        site.subject(
            lathe(
                [(w, 0), (w * site.share(0.5, 1.2), z * site.share(1.3, 2.0))],
                site.pick(paints),
                sides=site.pick((3, 4, 5, 16)),
                smooth=False,
                turn=site.share(0, 1.5),
                cell=(2, 3),
            ).moved(site.share(-12, 12), deep * 0.6)
        )
        site.subject(floor(paints[2], -1, deep * 0.6, 1, deep * 0.6 + 1, z))
    door = site.glazed(cell=1.5)
    x = site.share(-8, 8)
    site.subject(
        boxes([(x, -1.2, 0)], (site.share(6, 11), 3, 3.4), door, cell=(1.4, 3.4)),
        boxes([(x, -2.0, 3.4)], (site.share(8, 14), 5.5, 0.35), site.plain(BRIGHTS), None),
    )
    if site.maybe(60):
        site.beside(
            boxes(
                [(x + site.share(9, 14) * site.pick((-1, 1)), -5, 0)],
                (site.share(2, 6), 0.5, site.share(2, 4)),
                site.board(),
            )
        )
    _forecourt(site, wide)
    if site.maybe(50):
        town(site, wide / 2 + site.share(8, 16), 8)
    skyline(site, 54, 150, 90)
    return Sight((0, 3, z * 0.45), wide * 0.85 + 15, high=site.share(2.2, 10), angle=60)


def palace(site: Site) -> Sight:
    """Build a long western front: windows, pavilions, a mansard roof."""
    wall = site.windowed(site.hue((*STONES, *PLASTERS)))
    trim, tiles = site.plain(STONES), site.tiled()
    wide, high, deep = site.share(34, 54), site.share(9, 15), site.share(12, 16)
    floors = 2 if high < 12 else 3
    cell = (site.share(2.6, 3.8), high / floors)
    site.subject(
        boxes([(0, deep / 2, 0)], (wide, deep, high), wall, trim, cell),
        boxes([(0, deep / 2, z) for z in (high, high / floors)], (wide + 0.7, deep + 0.7, 0.5), trim),
    )
    site.subject(
        roof(
            wide + 0.4, deep + 0.4, site.share(2.5, 5.5), tiles, ridge=site.share(0.82, 0.95), steps=2
        ).moved(0, deep / 2, high + 0.5)
    )
    spots = [0.0] if site.maybe(40) else [0.0, -wide / 2 + 4, wide / 2 - 4]
    for x in spots:
        w, h = site.share(8, 12), high * site.share(1.08, 1.3)
        site.subject(boxes([(x, deep / 2 - 1, 0)], (w, deep + 2, h), wall, trim, cell))
        if site.maybe(50):
            site.subject(pediment(w + 0.8, site.share(1.6, 3), deep + 2, trim).moved(x, -2.1, h))
        else:
            site.subject(
                roof(
                    w + 0.6,
                    deep + 2.6,
                    site.share(4, 7),
                    tiles,
                    ridge=site.share(0.1, 0.5),
                    curve=site.pick((1.0, 0.7, 1.5)),
                ).moved(x, deep / 2 - 1, h)
            )
        if site.maybe(40):
            site.subject(
                colonnade(site, 4, w * 0.9, h * 0.55, trim).moved(x, -3.1),
                boxes([(x, -3.0, h * 0.55)], (w, 1.8, 0.9), trim),
            )
    n = site.whole(2, 6)
    site.subject(
        boxes(
            [((k - (n - 1) / 2) * wide / n, deep * 0.6, high + 2) for k in range(n)],
            (0.9, 1.3, site.share(2.5, 5)),
            trim,
        )
    )
    _forecourt(site, wide)
    if site.maybe(50):
        site.beside(fence(site, -wide / 2, wide / 2, -17, 2.2))
    skyline(site, 36, 240, 50)
    return Sight((0, 1, high * 0.6), wide * 0.62 + 14, high=site.share(2, 7), angle=62)


def theatre(site: Site) -> Sight:
    """Build a theatre: a shell, a classical front, or a bright portal in a street."""
    form = site.whole(0, 2)
    if form == 0:
        return classical(site)
    if form == 1:  # shells as of an opera house
        skin, dark = (
            site.plain(((0.72, 0.7, 0.66), (0.5, 0.5, 0.52), (0.45, 0.33, 0.16)), shine=0.25),
            site.glazed(cell=1.6),
        )
        count = site.whole(2, 5)
        base = site.share(2, 4)
        site.subject(boxes([(0, 10, 0)], (44, 26, base), site.masonry()))
        for n in range(count):
            r, lean = site.share(7, 13), site.share(0.5, 1.0)
            a, b = np.meshgrid(
                np.linspace(0, math.pi, 19, dtype=np.float32), np.linspace(0, 1.35, 11, dtype=np.float32)
            )
            points = np.stack(
                [
                    r * 0.75 * np.cos(a) * np.cos(b * 0.95),
                    2 + r * np.sin(b) * 1.1,
                    r * lean * 1.3 * np.sin(a) * np.cos(b * 0.8),
                ],
                -1,
            )
            x = (n - (count - 1) / 2) * site.share(9, 12)
            shell = grid(points, np.stack([a * 6, b * 6], -1), skin, smooth=True)
            front = grid(
                shifted(np.stack([points[0] * (0.96, 1, 0), points[0] * (0.96, 1, 0.97)]), y=0.5),
                np.stack([np.stack([a[0] * 5, a[0] * 0], -1), np.stack([a[0] * 5, np.sin(a[0]) * 5], -1)]),
                dark,
            )
            site.subject(joined([shell, front]).moved(x, site.share(-2, 4), base, site.share(-0.35, 0.35)))
        _forecourt(site, 44)
        skyline(site, 54, 200, 100)
        return Sight((0, 6, 7), 42, high=site.share(2, 8), angle=60)
    wide, high = site.share(14, 22), site.share(12, 18)
    wall = site.masonry()
    site.subject(boxes([(0, 9, 0)], (wide, 18, high), wall))
    n = site.whole(3, 5)
    site.subject(
        arcade(
            n,
            wide * 0.8 / n,
            wide * 0.56 / n,
            high * 0.3,
            high * 0.62,
            0.8,
            wall,
            inside=site.plain((0.1, 0.09, 0.08)),
        ).moved(0, -0.4, 4.2)
    )
    site.subject(boxes([(0, -1.6, 4.0)], (wide * 0.7, 4.0, 1.3), site.board()))
    site.subject(
        boxes([(wide * 0.36 * site.pick((-1, 1)), -1.2, 5)], (1.2, 2.2, site.share(5, 9)), site.board())
    )
    site.subject(
        boxes(
            [(x, -0.2, 0) for x in np.linspace(-wide * 0.3, wide * 0.3, 4)],
            (2.2, 0.4, 3.0),
            site.glazed(),
            cell=(1.1, 3),
        )
    )
    site.subject(
        pediment(wide * 0.8, site.share(2, 4), 1, site.plain(STONES)).moved(0, -0.2, high)
        if site.maybe(50)
        else boxes([(0, 0, high)], (wide * 0.6, 1.2, 2.4), wall)
    )
    for x in (-wide * 0.3, wide * 0.3):
        site.lamp(x, -4, 3.6, 30, (1, 0.8, 0.5))
    ground(site)
    town(site, wide / 2 + 0.5, 0, high=(9, 19))
    people(site, int(site.passing.integers(6, 20)), (-14, 14), (-12, -2))
    cars(site, 4, (-20, 20), -14)
    street_lamps(site, [(-9, -8), (9, -8)])
    return Sight((0, 0, high * 0.5), 25, high=3.2, angle=62)
