"""Public buildings with a forecourt: museums, libraries, palaces, theatres."""

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
    join_solids,
    lathe,
    quads,
    roof,
    shift_points,
    stairs,
)
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, PLASTERS, ROOFS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_cars,
    add_ground,
    add_people,
    add_skyline,
    add_street_lamps,
    add_town,
    broadleaf,
    conifer,
    fence,
    floor,
    fountain,
    hedges,
    palm,
    plant_trees,
    statue,
)


def colonnade(site: Site, count: int, width: float, height: float, stone: int) -> Solid:
    """Build a row of columns along x, centred on the origin."""
    r = site.uniform(0.38, 0.62)
    column = join_solids(
        [
            lathe(
                [
                    (r * 1.25, 0),
                    (r * 1.25, 0.35),
                    (r, 0.5),
                    (r * 0.82, height - 0.6),
                    (r * 1.2, height - 0.25),
                    (r * 1.35, height),
                ],
                stone,
                sides=14,
            )
        ]
    )
    x = np.linspace(-width / 2 + r * 1.4, width / 2 - r * 1.4, count)
    return column.copies_at(np.stack([x, x * 0, x * 0], 1))


def pediment(width: float, height: float, depth: float, paint: int) -> Solid:
    """Build a pediment over a front at y = 0, with its foot at z = 0."""
    front = [(-width / 2, 0.0, 0.0), (width / 2, 0.0, 0.0), (0.0, 0.0, height), (0.0, 0.0, height)]
    left = [(-width / 2, 0.0, 0.0), (0.0, 0.0, height), (0.0, depth, height), (-width / 2, depth, 0.0)]
    right = [(0.0, 0.0, height), (width / 2, 0.0, 0.0), (width / 2, depth, 0.0), (0.0, depth, height)]
    return quads([front, left, right], None, paint)


def _add_forecourt(site: Site, width: float) -> None:
    """Add the ground in front of a public building."""
    add_ground(site, site.lawn() if site.maybe(35) else None)
    if site.maybe(50):
        site.add_beside(floor(site.pavement(), -site.uniform(4, 9), -80, site.uniform(4, 9), 0, 0.01))
    look = site.integer(0, 3)
    if look == 0:
        site.add_beside(fountain(site, site.uniform(2.5, 4.5)).transform(site.uniform(-9, 9), -site.uniform(11, 15)))
    elif look == 1:
        site.add_beside(statue(site, site.uniform(4, 6.5)).transform(site.uniform(-9, 9), -site.uniform(9, 14)))
    elif look == 2:
        for sign in (-1, 1):
            site.add_beside(hedges(site, [(sign * site.uniform(6, 9), -9.0, 0)], [(site.uniform(4, 8), 1.2, 1.0)]))
    sort = site.pick((broadleaf, conifer, palm, None))
    rows = [(s * (width / 2 + site.uniform(2, 5)), -4 - 7 * n) for s in (-1, 1) for n in range(site.integer(1, 3))]
    site.add_beside(plant_trees(site, np.array(rows, np.float32), only=sort, sorts=1))
    flags = site.integer(0, 5)
    if flags:
        pole, cloth = site.plain_paint((0.6, 0.6, 0.6), shine=0.3), site.plain_paint(BRIGHTS)
        x0 = site.uniform(-12, 4)
        for n in range(flags):
            x = x0 + n * 2.2
            site.add_beside(
                cylinder(0.06, 8, pole, sides=6).transform(x, -7.5),
                quads(
                    [[(x, -7.5, 6.8), (x + 1.5, -7.4, 6.6), (x + 1.5, -7.4, 7.6), (x, -7.5, 7.8)]],
                    None,
                    cloth,
                ),
            )
    add_street_lamps(site, [(s * site.uniform(6, 11), -y) for s in (-1, 1) for y in (5, 13)])
    add_people(site, int(site.moment.integers(3, 14)), (-16, 16), (-20, -3))


def classical_building(site: Site) -> Sight:
    """Build a temple front between wings, perhaps with a dome above."""
    stone, wall = (
        site.masonry(site.draw_colour(STONES)),
        site.window_wall(site.draw_colour((*STONES, *PLASTERS))),
    )
    trim = site.plain_paint(STONES)
    height, width = site.uniform(8, 14), site.uniform(13, 24)
    steps = site.integer(3, 14)
    base = steps * 0.17
    wing, depth = site.uniform(10, 26), site.uniform(12, 20)
    count = site.pick((4, 6, 6, 8, 10))
    back = site.uniform(2, 4.5)
    body = boxes(
        [(0, back + depth / 2, 0)],
        (width, depth, base + height + 0.6),
        site.masonry(site.paints[stone].colour),
    )
    site.add_subject(body)
    site.add_subject(
        stairs(width * site.uniform(0.8, 1.15), steps, 0.42, 0.17, trim).transform(y=-0.6),
        boxes([(0, back / 2 - 0.2, 0)], (width + 1, back + 1, base), trim),
    )
    site.add_subject(colonnade(site, count, width * 0.96, height, stone).transform(0, 0.3, base))
    site.add_subject(boxes([(0, back / 2, base + height)], (width + 0.6, back + 1.6, site.uniform(0.9, 1.6)), stone))
    top = base + height + 1.2
    crown = site.integer(0, 3)
    if crown < 2:
        site.add_subject(pediment(width + 1, site.uniform(2.2, 4.2), back + depth, stone).transform(0, -0.6, top))
    else:
        site.add_subject(boxes([(0, 1, top)], (width * 0.7, 3, site.uniform(1.2, 2.6)), stone))
    doors = site.plain_paint(((0.14, 0.07, 0.03), (0.05, 0.09, 0.07), (0.04, 0.04, 0.05)), shine=0.1)
    site.add_subject(
        boxes(
            [(x, back - 0.1, base) for x in (-width * 0.28, 0, width * 0.28)],
            (2.2, 0.4, site.uniform(4, 6)),
            doors,
        )
    )
    floors = max(1, round((base + height) / 5.0))
    h = base + height * site.uniform(0.78, 1.0)
    for sign in (-1, 1):
        site.add_subject(
            boxes(
                [(sign * (width / 2 + wing / 2), back + depth * 0.5, 0)],
                (wing, depth * 0.8, h),
                wall,
                trim,
                (site.uniform(2.8, 4.6), h / floors),
            )
        )
        site.add_subject(
            boxes(
                [(sign * (width / 2 + wing / 2), back + depth * 0.5, h)],
                (wing + 0.5, depth * 0.8 + 0.5, 0.7),
                trim,
            )
        )
    if site.maybe(55):
        r = site.uniform(4, 7.5)
        drum = site.uniform(2, 5)
        z, y = top + 0.6, back + depth * 0.45
        cover = site.plain_paint(ROOFS) if site.maybe(60) else site.plain_paint(STONES)
        site.add_subject(
            lathe(
                [(r, 0), (r, drum)], site.window_wall(site.paints[stone].colour), sides=18, cell=(1.8, drum)
            ).transform(0, y, z),
            lathe([(r * 1.1, drum), (r * 1.1, drum + 0.5), (r, drum + 0.6)], trim, sides=18).transform(0, y, z),
        )
        site.add_subject(
            dome(r, r * site.uniform(0.7, 1.25), cover).transform(0, y, z + drum + 0.5),
            cylinder(0.7, 2.6, trim, sides=8).transform(0, y, z + drum + r),
            lathe([(0.3, 0), (0.02, 3)], cover, sides=6).transform(0, y, z + drum + r + 2),
        )
    _add_forecourt(site, width + 2 * wing)
    if site.maybe(65):
        add_town(site, width / 2 + wing + site.uniform(6, 14), 5)
    add_skyline(site, 45, 170, 60)
    return Sight((0, 2, height * 0.62), width * 1.1 + 14, max_height=site.uniform(2.5, 9))


def modern_building(site: Site) -> Sight:
    """Build a modern building of glass, concrete and metal, in one of several forms."""
    stories = site.integer(2, 4)
    z = 0.0
    width, depth = site.uniform(24, 42), site.uniform(14, 22)
    paints = [
        site.glass_wall(cell=2),
        site.plain_paint(STONES, blotches=0.15),
        site.plain_paint(((0.6, 0.6, 0.6), (0.16, 0.16, 0.17), (0.35, 0.2, 0.12), (0.45, 0.43, 0.4)), shine=0.15),
        site.window_wall(),
    ]
    paints.append(
        site.paint(
            Paint(
                site.draw_colour(STONES),
                site.draw_colour(STONES),
                Pattern.STRIPES,
                site.uniform(0.4, 1.5),
                0.2,
                detail=(0.5, 0, 0, 0),
            )
        )
    )
    form = site.integer(0, 3)
    for _ in range(stories):
        h = site.uniform(3.5, 7.5)
        w, d = width * site.uniform(0.45, 1.0), depth * site.uniform(0.6, 1.0)
        x, y = site.uniform(-0.5, 0.5) * (width - w) * 1.4, site.uniform(-0.35, 0.3) * depth
        paint = site.pick(paints)
        turn = site.uniform(-0.25, 0.25) if form == 1 else 0.0
        site.add_subject(
            boxes([(0, 0, 0)], (w, d, h), paint, paints[2], (site.uniform(1.6, 3.4), site.uniform(2, 3.6))).transform(
                x, depth / 2 + y, z, turn
            )
        )
        site.add_subject(
            boxes(
                [(0, 0, h)],
                (w + site.uniform(0, 3), d + site.uniform(0, 3), site.uniform(0.25, 0.8)),
                paints[2],
            ).transform(x, depth / 2 + y, z, turn)
        )
        z += h + 0.3
    if form == 2:  # a single curved shell
        n = np.linspace(0, 1, 17, dtype=np.float32)
        s = np.linspace(-1, 1, 21, dtype=np.float32)
        lean, total_height = site.uniform(-0.3, 0.5), z * site.uniform(1.1, 1.6)
        a, b = np.meshgrid(s, n)
        points = np.stack(
            [
                a * width * 0.62 * (1 - 0.25 * b),
                -2 + b * depth * 1.3,
                total_height * np.sin(b * 2.6 + 0.25) * (1 - 0.3 * a * a) + lean * a * 4,
            ],
            -1,
        )
        site.add_subject(grid(points, np.stack([a * 16, b * 12], -1), paints[2], smooth=True))
    if form == 3:  # a slanting tower
        w = site.uniform(6, 10)
        site.add_subject(
            lathe(
                [(w, 0), (w * site.uniform(0.5, 1.2), z * site.uniform(1.3, 2.0))],
                site.pick(paints),
                sides=site.pick((3, 4, 5, 16)),
                smooth=False,
                turn=site.uniform(0, 1.5),
                cell=(2, 3),
            ).transform(site.uniform(-12, 12), depth * 0.6)
        )
        site.add_subject(floor(paints[2], -1, depth * 0.6, 1, depth * 0.6 + 1, z))
    door = site.glass_wall(cell=1.5)
    x = site.uniform(-8, 8)
    site.add_subject(
        boxes([(x, -1.2, 0)], (site.uniform(6, 11), 3, 3.4), door, cell=(1.4, 3.4)),
        boxes([(x, -2.0, 3.4)], (site.uniform(8, 14), 5.5, 0.35), site.plain_paint(BRIGHTS), None),
    )
    if site.maybe(60):
        site.add_beside(
            boxes(
                [(x + site.uniform(9, 14) * site.pick((-1, 1)), -5, 0)],
                (site.uniform(2, 6), 0.5, site.uniform(2, 4)),
                site.sign_board(),
            )
        )
    _add_forecourt(site, width)
    if site.maybe(50):
        add_town(site, width / 2 + site.uniform(8, 16), 8)
    add_skyline(site, 54, 150, 90)
    return Sight((0, 3, z * 0.45), width * 0.85 + 15, max_height=site.uniform(2.2, 10), angle=60)


def palace(site: Site) -> Sight:
    """Build a European palace: a long front with windows, pavilions and a mansard roof."""
    wall = site.window_wall(site.draw_colour((*STONES, *PLASTERS)))
    trim, tiles = site.plain_paint(STONES), site.roof_tiles()
    width, height, depth = site.uniform(34, 54), site.uniform(9, 15), site.uniform(12, 16)
    floors = 2 if height < 12 else 3
    cell = (site.uniform(2.6, 3.8), height / floors)
    site.add_subject(
        boxes([(0, depth / 2, 0)], (width, depth, height), wall, trim, cell),
        boxes([(0, depth / 2, z) for z in (height, height / floors)], (width + 0.7, depth + 0.7, 0.5), trim),
    )
    site.add_subject(
        roof(
            width + 0.4, depth + 0.4, site.uniform(2.5, 5.5), tiles, ridge=site.uniform(0.82, 0.95), steps=2
        ).transform(0, depth / 2, height + 0.5)
    )
    spots = [0.0] if site.maybe(40) else [0.0, -width / 2 + 4, width / 2 - 4]
    for x in spots:
        w, h = site.uniform(8, 12), height * site.uniform(1.08, 1.3)
        site.add_subject(boxes([(x, depth / 2 - 1, 0)], (w, depth + 2, h), wall, trim, cell))
        if site.maybe(50):
            site.add_subject(pediment(w + 0.8, site.uniform(1.6, 3), depth + 2, trim).transform(x, -2.1, h))
        else:
            site.add_subject(
                roof(
                    w + 0.6,
                    depth + 2.6,
                    site.uniform(4, 7),
                    tiles,
                    ridge=site.uniform(0.1, 0.5),
                    curve=site.pick((1.0, 0.7, 1.5)),
                ).transform(x, depth / 2 - 1, h)
            )
        if site.maybe(40):
            site.add_subject(
                colonnade(site, 4, w * 0.9, h * 0.55, trim).transform(x, -3.1),
                boxes([(x, -3.0, h * 0.55)], (w, 1.8, 0.9), trim),
            )
    n = site.integer(2, 6)
    site.add_subject(
        boxes(
            [((k - (n - 1) / 2) * width / n, depth * 0.6, height + 2) for k in range(n)],
            (0.9, 1.3, site.uniform(2.5, 5)),
            trim,
        )
    )
    _add_forecourt(site, width)
    if site.maybe(50):
        site.add_beside(fence(site, -width / 2, width / 2, -17, 2.2))
    add_skyline(site, 36, 240, 50)
    return Sight((0, 1, height * 0.6), width * 0.62 + 14, max_height=site.uniform(2, 7), angle=62)


def theatre(site: Site) -> Sight:
    """Build a theatre: an opera house with shells, a classical front, or a bright entrance in a street."""
    form = site.integer(0, 2)
    if form == 0:
        return classical_building(site)
    if form == 1:  # shells like those of an opera house
        skin, dark = (
            site.plain_paint(((0.72, 0.7, 0.66), (0.5, 0.5, 0.52), (0.45, 0.33, 0.16)), shine=0.25),
            site.glass_wall(cell=1.6),
        )
        count = site.integer(2, 5)
        base = site.uniform(2, 4)
        site.add_subject(boxes([(0, 10, 0)], (44, 26, base), site.masonry()))
        for n in range(count):
            r, lean = site.uniform(7, 13), site.uniform(0.5, 1.0)
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
            x = (n - (count - 1) / 2) * site.uniform(9, 12)
            shell = grid(points, np.stack([a * 6, b * 6], -1), skin, smooth=True)
            front = grid(
                shift_points(np.stack([points[0] * (0.96, 1, 0), points[0] * (0.96, 1, 0.97)]), y=0.5),
                np.stack([np.stack([a[0] * 5, a[0] * 0], -1), np.stack([a[0] * 5, np.sin(a[0]) * 5], -1)]),
                dark,
            )
            site.add_subject(
                join_solids([shell, front]).transform(x, site.uniform(-2, 4), base, site.uniform(-0.35, 0.35))
            )
        _add_forecourt(site, 44)
        add_skyline(site, 54, 200, 100)
        return Sight((0, 6, 7), 42, max_height=site.uniform(2, 8), angle=60)
    width, height = site.uniform(14, 22), site.uniform(12, 18)
    wall = site.masonry()
    site.add_subject(boxes([(0, 9, 0)], (width, 18, height), wall))
    n = site.integer(3, 5)
    site.add_subject(
        arcade(
            n,
            width * 0.8 / n,
            width * 0.56 / n,
            height * 0.3,
            height * 0.62,
            0.8,
            wall,
            inside=site.plain_paint((0.1, 0.09, 0.08)),
        ).transform(0, -0.4, 4.2)
    )
    site.add_subject(boxes([(0, -1.6, 4.0)], (width * 0.7, 4.0, 1.3), site.sign_board()))
    site.add_subject(
        boxes([(width * 0.36 * site.pick((-1, 1)), -1.2, 5)], (1.2, 2.2, site.uniform(5, 9)), site.sign_board())
    )
    site.add_subject(
        boxes(
            [(x, -0.2, 0) for x in np.linspace(-width * 0.3, width * 0.3, 4)],
            (2.2, 0.4, 3.0),
            site.glass_wall(),
            cell=(1.1, 3),
        )
    )
    site.add_subject(
        pediment(width * 0.8, site.uniform(2, 4), 1, site.plain_paint(STONES)).transform(0, -0.2, height)
        if site.maybe(50)
        else boxes([(0, 0, height)], (width * 0.6, 1.2, 2.4), wall)
    )
    for x in (-width * 0.3, width * 0.3):
        site.add_lamp(x, -4, 3.6, 30, (1, 0.8, 0.5))
    add_ground(site)
    add_town(site, width / 2 + 0.5, 0, height=(9, 19))
    add_people(site, int(site.moment.integers(6, 20)), (-14, 14), (-12, -2))
    add_cars(site, 4, (-20, 20), -14)
    add_street_lamps(site, [(-9, -8), (9, -8)])
    return Sight((0, 0, height * 0.5), 25, max_height=3.2, angle=62)
