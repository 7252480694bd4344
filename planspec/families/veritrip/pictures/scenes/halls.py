"""Public buildings: museums, libraries, theatres, palaces, stations, malls, and houses."""

from __future__ import annotations

import math

import numpy as np

from planspec.families.veritrip.pictures.rendering.paints import Paint, Pattern
from planspec.families.veritrip.pictures.rendering.solids import (
    Solid,
    arcade,
    beams,
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
from planspec.families.veritrip.pictures.scenes.scene import Sight
from planspec.families.veritrip.pictures.scenes.site import BRIGHTS, PLASTERS, ROOFS, STONES, Site
from planspec.families.veritrip.pictures.scenes.surroundings import (
    broadleaf,
    cars,
    conifer,
    fence,
    floor,
    fountain,
    ground,
    groves,
    hedges,
    palm,
    people,
    planted,
    shop_row,
    skyline,
    statue,
    street_lamps,
    town,
)


def colonnade(site: Site, count: int, wide: float, high: float, stone: int) -> Solid:
    """Columns in a row along x, with what they carry."""
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
    """A flat gable over a front at y = 0, its foot at z = 0."""
    front = [(-wide / 2, 0.0, 0.0), (wide / 2, 0.0, 0.0), (0.0, 0.0, high), (0.0, 0.0, high)]
    left = [(-wide / 2, 0.0, 0.0), (0.0, 0.0, high), (0.0, deep, high), (-wide / 2, deep, 0.0)]
    right = [(0.0, 0.0, high), (wide / 2, 0.0, 0.0), (wide / 2, deep, 0.0), (0.0, deep, high)]
    return quads([front, left, right], None, paint)


def _forecourt(site: Site, wide: float) -> None:
    """What lies before a public building."""
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
    """A temple front between wings; perhaps a dome above."""
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
    """Boxes, slabs and slopes of glass, concrete and metal."""
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
    """A long front in the west: windows, pavilions, a mansard roof."""
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
    """A theatre: a shell, a classical front, or a bright portal in a street."""
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


def mall(site: Site) -> Sight:
    """A department store with screens."""
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
    """A great hall: an arched window, a clock tower, a long low front."""
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
    """A terminal under a waving roof, with a tower and planes."""
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


def university(site: Site) -> Sight:
    """A campus: brick wings around a lawn, a tower or a portal."""
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
    """A house of old, in its garden."""
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
