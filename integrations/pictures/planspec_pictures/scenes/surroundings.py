"""Ground, plants, houses, hills, people and other things around a subject."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from planspec_pictures.rendering.noise import cloud_noise
from planspec_pictures.rendering.paints import Paint, Pattern
from planspec_pictures.rendering.solids import (
    Array,
    Solid,
    ball,
    beams,
    boxes,
    cylinder,
    grid,
    join_solids,
    lathe,
    leaves,
    quads,
    roof,
)
from planspec_pictures.scenes.site import BRIGHTS, GREENS, Site


def floor(paint: int, x0: float, y0: float, x1: float, y1: float, z: float = 0.0) -> Solid:
    """Build a horizontal rectangle from (x0, y0) to (x1, y1) at height z."""
    return quads([[(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)]], None, paint)


def add_ground(site: Site, paint: int | None = None) -> None:
    """Add ground up to the horizon."""
    site.add_beside(floor(site.pavement() if paint is None else paint, -900, -900, 900, 900, -0.02))


# ------------------------------------------------------------------ plants


def broadleaf(site: Site) -> Solid:
    """Build a broadleaf tree about eight metres high, with its foot at the origin."""
    bark, leaf = (
        site.plain_paint(((0.12, 0.085, 0.06), (0.17, 0.14, 0.11), (0.28, 0.26, 0.22))),
        site.foliage(),
    )
    height, width = site.uniform(5, 9), site.uniform(2.0, 3.4)
    crown = leaves(site.chance, 1500, (width, width, width * site.uniform(0.7, 1.25)), 0.115, leaf)
    boughs = [(0, 0, height * 0.45)] * 5
    ends = [
        (math.cos(a) * width * 0.6, math.sin(a) * width * 0.6, height * 0.85)
        for a in np.arange(5) * 1.257 + site.uniform(0, 6)
    ]
    return join_solids(
        [
            cylinder(0.22, height * 0.8, bark, sides=7, top=0.1),
            beams(boughs, ends, 0.11, bark),
            crown.transform(z=height * 0.92),
        ]
    )


def conifer(site: Site) -> Solid:
    """Build a fir or a cypress."""
    bark, leaf = (
        site.plain_paint(((0.11, 0.07, 0.05),)),
        site.foliage(site.draw_colour(((0.04, 0.085, 0.04), (0.05, 0.10, 0.05)), 0.2)),
    )
    height, width = site.uniform(7, 12), site.uniform(1.0, 2.2)
    parts = [cylinder(0.2, height * 0.9, bark, sides=6, top=0.04)]
    for n in range(6):
        t = n / 6
        ring = leaves(site.chance, 170, (width * (1 - t * 0.85), width * (1 - t * 0.85), height * 0.1), 0.14, leaf)
        parts.append(ring.transform(z=height * (0.2 + 0.78 * t)))
    return join_solids(parts)


def willow(site: Site) -> Solid:
    """Build a willow with hanging twigs."""
    bark, leaf = (
        site.plain_paint(((0.14, 0.11, 0.08),)),
        site.foliage(site.draw_colour(((0.14, 0.19, 0.05), (0.11, 0.17, 0.05)))),
    )
    height, width = site.uniform(6, 8.5), site.uniform(2.6, 3.6)
    crown = leaves(site.chance, 700, (width, width, 1.6), 0.12, leaf).transform(z=height * 0.92)
    hang = leaves(site.chance, 700, (width * 1.12, width * 1.12, height * 0.42), 0.1, leaf).transform(z=height * 0.62)
    return join_solids([cylinder(0.3, height * 0.9, bark, sides=7, top=0.15), crown, hang])


def palm(site: Site) -> Solid:
    """Build a palm tree."""
    bark, leaf = site.plain_paint(((0.25, 0.2, 0.15),)), site.foliage(site.draw_colour(((0.08, 0.14, 0.04),)))
    height, count = site.uniform(6, 10), 11
    angles = np.arange(count) * 2 * math.pi / count + site.uniform(0, 1)
    start, middle = (
        np.tile((0.0, 0.0, height), (count, 1)),
        np.stack([np.cos(angles) * 1.3, np.sin(angles) * 1.3, np.full(count, height + 0.7)], 1),
    )
    tip = np.stack([np.cos(angles) * 2.6, np.sin(angles) * 2.6, np.full(count, height - 0.5)], 1)
    return join_solids(
        [
            cylinder(0.2, height, bark, sides=8, top=0.14),
            beams(start, middle, 0.34, leaf),
            beams(middle, tip, 0.26, leaf),
        ]
    )


def blossom(site: Site) -> Solid:
    """Build a tree in bloom or in autumn."""
    bark = site.plain_paint(((0.12, 0.09, 0.08),))
    colour = site.draw_colour(
        ((0.62, 0.34, 0.38), (0.60, 0.30, 0.05), (0.45, 0.10, 0.05), (0.60, 0.46, 0.08), (0.66, 0.58, 0.56))
    )
    height, width = site.uniform(4, 6.5), site.uniform(1.8, 2.8)
    crown = leaves(site.chance, 1500, (width, width, width * 0.75), 0.1, site.foliage(colour))
    return join_solids([cylinder(0.18, height * 0.8, bark, sides=7, top=0.08), crown.transform(z=height * 0.9)])


_TREES: tuple[Callable[[Site], Solid], ...] = (broadleaf, broadleaf, conifer, willow, blossom)


def plant_trees(site: Site, at: Array, *, sorts: int = 2, only: Callable[[Site], Solid] | None = None) -> Solid:
    """Build trees at positions.

    Args:
        site: site of the trees.
        at: positions, k by 2 or by 3.
        sorts: number of different trees to copy.
        only: function that builds a tree; None for a random one.
    """
    chance = site.chance
    where = np.asarray(at, np.float32)
    if where.shape[1] == 2:
        where = np.concatenate([where, np.zeros((len(where), 1), np.float32)], 1)
    parts = []
    for n in range(min(sorts, len(where))):
        positions = where[n::sorts]
        one = (only or site.pick(_TREES))(site)
        k = len(positions)
        parts.append(
            one.copies_at(
                positions, chance.random(k) * 6.28, 0.75 + 0.55 * chance.random(k), 0.8 + 0.4 * chance.random(k)
            )
        )
    return join_solids(parts)


def draw_tree_positions(site: Site, count: int, x: tuple[float, float], y: tuple[float, float]) -> Array:
    """Draw `count` positions in a rectangle, which is given by its ranges of x and y."""
    spots = site.chance.random((count, 2))
    return np.asarray(spots * (x[1] - x[0], y[1] - y[0]) + (x[0], y[0]), np.float32)


def plant_groves(
    site: Site,
    *spots: tuple[int, tuple[float, float], tuple[float, float]],
    sorts: int = 2,
    only: Callable[[Site], Solid] | None = None,
) -> Solid:
    """Build trees in rectangles. Each rectangle is given by a number of trees and by its ranges of x and y."""
    return plant_trees(
        site, np.concatenate([draw_tree_positions(site, *spot) for spot in spots]), sorts=sorts, only=only
    )


def hedges(site: Site, at: ArrayLike, sizes: ArrayLike) -> Solid:
    """Build clipped hedges: boxes covered with leaves. `at` has the centres of the bottom faces; see `boxes`."""
    leaf = site.foliage()
    solid = boxes(at, sizes, leaf)
    fuzz = []
    for foot, size in zip(np.asarray(at), np.broadcast_to(np.asarray(sizes), np.shape(at)), strict=True):
        count = int(min(260, 30 * (size[0] + size[1])))
        cloud = leaves(site.chance, count, (0.62, 0.62, 0.62), 0.09, leaf)
        spread = cloud.points.mean(1, keepdims=True)
        corner = cloud.points - spread
        moved = np.clip(spread * 1.9, -0.53, 0.53) * np.asarray(size, np.float32)
        points = (moved + corner + np.asarray(foot, np.float32) + np.array([0, 0, size[2] / 2], np.float32)).astype(
            np.float32
        )
        fuzz.append(Solid(points, cloud.normals, cloud.uvs, cloud.paints, cloud.tints))
    return join_solids([solid, *fuzz])


def flowers(site: Site, x0: float, y0: float, x1: float, y1: float, count: int = 500) -> Solid:
    """Build a bed of `count` petals and leaves in the rectangle from (x0, y0) to (x1, y1)."""
    parts = []
    for share in (0.55, 0.3, 0.15):
        paint = site.foliage(site.draw_colour((*BRIGHTS[:6], *GREENS[:2], (0.66, 0.58, 0.56), (0.6, 0.2, 0.4))))
        bed = leaves(site.chance, int(count * share), (1, 1, 1), 0.09, paint)
        middle = bed.points.mean(1, keepdims=True)
        at = site.chance.random((len(bed), 1, 3), np.float32) * np.array([x1 - x0, y1 - y0, 0.35], np.float32)
        points = bed.points - middle + at + np.array([x0, y0, 0.08], np.float32)
        parts.append(Solid(points.astype(np.float32), bed.normals, bed.uvs, bed.paints, bed.tints))
    return join_solids(parts)


# ------------------------------------------------------------------ far away


def add_hills(site: Site, height: float = 120.0, near: float = 420.0, green: bool = True) -> None:
    """Add hills around the horizon, from a distance of `near` metres."""
    noise = cloud_noise()
    angle = np.linspace(0, 2 * math.pi, 90, dtype=np.float32)
    reach = near * np.array([1.0, 1.15, 1.35, 1.6, 1.9, 2.3], np.float32)
    row = int(site.chance.integers(0, 512))
    across = (np.arange(90) * 512 // 89) % 512
    shape = np.stack([noise[(row + 23 * n) % 512, across] for n in range(6)])
    lift = np.array([0, 0.25, 0.55, 0.85, 1.0, 0.9], np.float32)[:, None]
    points = np.stack(
        [
            reach[:, None] * np.cos(angle),
            reach[:, None] * np.sin(angle),
            lift * height * np.clip(shape * 1.5 - 0.25, 0, 2) - 1,
        ],
        -1,
    )

    colour = (
        site.draw_colour(((0.09, 0.13, 0.05), (0.07, 0.11, 0.06))) if green else site.draw_colour(((0.25, 0.22, 0.19),))
    )
    paint = site.paint(Paint(site.draw_colour(((0.28, 0.25, 0.21),)), colour, Pattern.ROCK))
    site.add_beside(grid(points, points[..., :2], paint, smooth=True))


def add_skyline(site: Site, count: int = 60, near: float = 220.0, height: float = 90.0) -> None:
    """Add tall buildings behind the subject, at least `near` metres away."""
    chance = site.chance
    for _ in range(3):
        paint = site.glass_wall(cell=3.5) if site.maybe(50) else site.window_wall(cell=3.5)
        k = count // 3
        angle = math.pi / 2 + (chance.random(k) - 0.5) * 3.9
        reach = near * (1 + 1.3 * chance.random(k))
        at = np.stack([np.cos(angle) * reach, np.sin(angle) * reach, np.zeros(k)], 1)
        sizes = np.stack(
            [14 + 22 * chance.random(k), 14 + 22 * chance.random(k), 12 + height * chance.random(k) ** 2.2], 1
        )
        site.add_beside(boxes(at, sizes, paint, cell=(3.6, 3.4), tints=0.8 + 0.4 * chance.random(k)))


def house(site: Site, width: float, depth: float, height: float, *, shops: bool = True) -> Solid:
    """Build an ordinary house. Its front is at y = 0, its left end at x = 0."""
    floors = max(1, round(height / 3.3))
    cell = (site.uniform(2.2, 3.6), 3.3)
    wall = site.window_wall(cell=cell[0])
    base = 3.6 if shops else 0.0
    parts = [
        boxes(
            [(width / 2, depth / 2, base)],
            (width, depth, floors * 3.3),
            wall,
            site.plain_paint(((0.25, 0.25, 0.25),)),
            cell,
        )
    ]
    top = base + floors * 3.3
    trim = site.plain_paint(((0.6, 0.58, 0.54), (0.3, 0.29, 0.28), (0.2, 0.13, 0.09)))
    if shops:
        front = site.shopfront()
        count = max(1, round(width / 2.4))
        parts.append(boxes([(width / 2, depth / 2, 0)], (width - 0.1, depth - 0.1, base), trim))
        parts.append(shop_row(front, width, count, base))
        parts.append(boxes([(width / 2, -0.12, base - 0.75)], (width * 0.94, 0.3, 0.6), site.sign_board()))
        if site.maybe(55):
            parts.append(awning(site, width * 0.1, width * 0.9, base - 0.75))
    if (site.eastern and site.maybe(35)) or site.maybe(35):
        parts.append(
            roof(
                width + 0.8,
                depth + 0.8,
                site.uniform(1.8, 3.6),
                site.roof_tiles(),
                ridge=site.pick((0.75, 1.0)),
                steps=2,
            ).transform(width / 2, depth / 2, top)
        )
    else:
        parts.append(
            boxes(
                [(width / 2, 0.1, top), (width / 2, depth, top)],
                (width + 0.3, 0.5, site.uniform(0.4, 1.2)),
                trim,
            )
        )
        if site.maybe(50):
            parts.append(boxes([(width * site.uniform(0.3, 0.7), depth * 0.6, top)], (3.0, 3.0, 2.4), trim))
    if site.maybe(40):
        levels = [base + 3.3 * n + 0.0 for n in range(1, floors)]
        if levels:
            parts.append(boxes([(width / 2, -0.12, z) for z in levels], (width + 0.1, 0.24, 0.25), trim))
    if site.maybe(30):
        spots = [(width * (n + 0.5) / 3, -0.5, base + 3.3 * f + 0.35) for n in range(3) for f in range(floors)]
        rail = site.plain_paint(((0.06, 0.06, 0.07), (0.5, 0.5, 0.5)))
        parts.append(boxes(spots, (min(2.2, width / 4), 1.0, 0.12), trim))
        parts.append(boxes([(x, y - 0.48, z + 0.12) for x, y, z in spots], (min(2.2, width / 4), 0.06, 0.85), rail))
    return join_solids(parts)


def shop_row(paint: int, width: float, count: int, height: float) -> Solid:
    """Build `count` shop windows along a front at y = 0, from x = 0 to `width`."""
    n = np.arange(count, dtype=np.float32)
    step = width / count
    corners = np.stack(
        [
            np.stack([n * step, n * 0 - 0.03, n * 0], 1),
            np.stack([(n + 1) * step, n * 0 - 0.03, n * 0], 1),
            np.stack([(n + 1) * step, n * 0 - 0.03, n * 0 + height - 0.8], 1),
            np.stack([n * step, n * 0 - 0.03, n * 0 + height - 0.8], 1),
        ],
        1,
    )
    windows = quads(corners, np.ones((count, 2), np.float32), paint)
    shift = np.tile(n, 2)[:, None]
    windows.uvs[..., 0] += shift
    return windows


def awning(site: Site, x0: float, x1: float, z: float, out: float = 1.5) -> Solid:
    """Build a striped awning at a front at y = 0, from x0 to x1. It starts at height z and reaches `out` metres."""
    paint = site.paint(
        Paint(
            site.draw_colour(BRIGHTS),
            site.draw_colour(((0.75, 0.73, 0.7), *BRIGHTS[:3])),
            Pattern.STRIPES,
            site.uniform(0.4, 1.0),
            0.1,
            detail=(0.5, 0, 0, 0),
        )
    )
    slope = [(x0, -out, z - 0.7), (x1, -out, z - 0.7), (x1, -0.05, z), (x0, -0.05, z)]
    drop = [(x0, -out, z - 0.95), (x1, -out, z - 0.95), (x1, -out, z - 0.7), (x0, -out, z - 0.7)]
    return quads([slope, drop], None, paint)


def add_town(
    site: Site,
    gap: float,
    y: float,
    *,
    height: tuple[float, float] = (7, 20),
    far: float = 75.0,
    shops: bool = True,
) -> None:
    """Add rows of houses at depth y on both sides of the subject, from `gap` to `far` metres to each side."""
    for side in (-1, 1):
        x = gap
        while x < far:
            width = site.uniform(8, 18)
            one = house(site, width, site.uniform(9, 15), site.uniform(*height), shops=shops)
            site.add_beside(one.transform(side * x if side > 0 else -x - width, y + site.uniform(-1, 2)))
            x += width + (0 if site.maybe(70) else site.uniform(2, 6))


# ------------------------------------------------------------------ small things


def add_street_lamps(site: Site, at: list[tuple[float, float]], height: float = 4.2) -> None:
    """Add street lamps at positions. Only the first few emit light."""
    iron = site.plain_paint(((0.03, 0.035, 0.035), (0.12, 0.13, 0.12)))
    globe = site.paint(Paint((0.7, 0.68, 0.62), glow=(3.2, 2.3, 1.3)))
    form = site.integer(0, 2)
    head = [
        ball(0.24, globe, sides=10).transform(z=height + 0.2),
        join_solids(
            [ball(0.17, globe, sides=8).transform(x=s * 0.45, z=height) for s in (-1, 1)]
            + [beams([(-0.45, 0, height - 0.2)], [(0.45, 0, height - 0.2)], 0.06, iron)]
        ),
        boxes([(0, 0, height - 0.1)], (0.32, 0.32, 0.5), globe, iron),
    ][form]
    post = join_solids([cylinder(0.1, height, iron, sides=6, top=0.05), cylinder(0.2, 0.5, iron, sides=6), head])
    site.add_beside(post.copies_at([(x, y, 0) for x, y in at]))
    for x, y in at[:4]:
        site.add_lamp(x, y, height, 16)


def add_people(site: Site, count: int, x: tuple[float, float], y: tuple[float, float]) -> None:
    """Add passers-by in a rectangle, given by its ranges of x and y. They differ between views."""
    chance = site.moment
    skin = site.plain_paint((0.45, 0.28, 0.2), blotches=0.05)
    for _ in range(2):
        k = count // 2
        if not k:
            continue
        cloth, legs = (
            (float(t * a), float(t * b), float(t * c))
            for t, (a, b, c) in zip(chance.random(2) ** 2 * 0.5 + 0.03, 0.65 + 0.5 * chance.random((2, 3)), strict=True)
        )
        trunk = lathe([(0.17, 0.8), (0.23, 1.05), (0.25, 1.38), (0.1, 1.5)], site.plain_paint(cloth), sides=7)
        leg = cylinder(0.085, 0.85, site.plain_paint(legs), sides=6)
        stride = 0.12
        arm = beams(
            [(-0.25, 0, 1.36), (0.25, 0, 1.36)],
            [(-0.31, 0.08, 0.85), (0.31, -0.08, 0.85)],
            0.1,
            site.plain_paint(cloth),
        )
        hair = lathe(
            [(0.125, 1.62), (0.12, 1.72), (0, 1.765)],
            site.plain_paint(((0.02, 0.015, 0.01), (0.1, 0.06, 0.03), (0.25, 0.24, 0.23), cloth), blotches=0.05),
            sides=8,
        )
        one = join_solids(
            [
                hair,
                trunk,
                leg.transform(-0.1, stride),
                leg.transform(0.1, -stride),
                arm,
                ball(0.115, skin, sides=8).transform(z=1.63),
            ]
        )
        at = np.stack(
            [x[0] + (x[1] - x[0]) * chance.random(k), y[0] + (y[1] - y[0]) * chance.random(k), np.zeros(k)], 1
        )
        site.add_beside(
            one.copies_at(at, chance.random(k) * 6.28, 0.9 + 0.18 * chance.random(k), 0.7 + 0.6 * chance.random(k))
        )


def add_cars(site: Site, count: int, x: tuple[float, float], y: float, turn: float = 0.0) -> None:
    """Add a row of cars along x. The cars differ between views.

    If `turn` is not 0, `x` and `y` are exchanged, and each car is turned by `turn` radians.
    """
    chance = site.moment
    tyre, pane = site.plain_paint((0.02, 0.02, 0.02)), site.plain_paint((0.03, 0.035, 0.04), shine=0.6)
    k = max(1, count)
    for n in range(min(k, 2)):
        colour = (
            BRIGHTS[int(chance.integers(0, len(BRIGHTS)))]
            if chance.random() < 0.4
            else (0.4 * float(chance.random()) + 0.04,) * 3
        )
        body = site.plain_paint(colour, blotches=0.03, shine=0.5)
        cabin = roof(2.6, 1.66, 0.62, pane, ridge=0.62, steps=1).transform(z=0.85)
        lid = boxes([(0, 0, 1.36)], (1.5, 1.2, 0.1), body)
        wheel = lathe([(0, -0.1), (0.33, -0.1), (0.33, 0.1), (0, 0.1)], tyre, sides=10)
        upright = Solid(
            wheel.points[..., [0, 2, 1]], wheel.normals[..., [0, 2, 1]], wheel.uvs, wheel.paints, wheel.tints
        )
        wheels = upright.copies_at([(a, b, 0.33) for a in (-1.3, 1.3) for b in (-0.78, 0.78)])
        one = join_solids([boxes([(0, 0, 0.32)], (4.2, 1.74, 0.55), body), cabin, lid, wheels])
        count_of_model = len(range(n, k, 2))
        at = np.stack(
            [
                x[0]
                + (x[1] - x[0]) * (np.arange(count_of_model) + 0.8 * chance.random(count_of_model)) / count_of_model,
                np.full(count_of_model, y),
                np.zeros(count_of_model),
            ],
            1,
        )
        if turn:
            at = np.stack([at[:, 1], at[:, 0], at[:, 2]], 1)
        site.add_beside(one.copies_at(at, turn))


def fountain(site: Site, radius: float) -> Solid:
    """Build a fountain: a round basin with one to three bowls."""
    stone, water = site.masonry(), site.water()
    rim = lathe(
        [(radius, 0), (radius, 0.55), (radius - 0.35, 0.55), (radius - 0.35, 0.1)],
        stone,
        sides=24,
        smooth=False,
    )
    parts = [rim, lathe([(radius - 0.35, 0.38), (0, 0.38)], water, sides=24)]
    z, r = 0.3, radius * 0.42
    spray = site.paint(Paint((0.8, 0.83, 0.86), pattern=Pattern.LEAVES, second=(0.9, 0.9, 0.9)))
    for _ in range(site.integer(1, 3)):
        parts.append(lathe([(0.18, z), (0.16, z + 0.9), (r, z + 1.25), (r, z + 1.35), (0.1, z + 1.2)], stone, sides=16))
        z, r = z + 1.2, r * 0.6
    parts.append(leaves(site.chance, 160, (0.25, 0.25, site.uniform(0.7, 1.8)), 0.05, spray).transform(z=z + 1.2))
    return join_solids(parts)


def statue(site: Site, height: float) -> Solid:
    """Build a statue of a person on a pedestal, in a random posture."""
    stone = site.plain_paint(((0.62, 0.6, 0.55), (0.10, 0.14, 0.12), (0.16, 0.11, 0.07), (0.4, 0.39, 0.37)), shine=0.08)
    base = site.masonry()
    foot, body = height * site.uniform(0.35, 0.6), 0.0
    body = height - foot
    w = site.uniform(0.28, 0.42) * height
    parts = [
        boxes(
            [(0, 0, 0), (0, 0, foot * 0.12), (0, 0, foot * 0.9)],
            [(w * 1.5, w * 1.5, foot * 0.12), (w, w, foot * 0.8), (w * 1.2, w * 1.2, foot * 0.1)],
            base,
        )
    ]
    s = body / 1.9
    parts.append(
        lathe(
            [
                (0.42 * s, 0),
                (0.34 * s, 0.5 * s),
                (0.24 * s, 1.0 * s),
                (0.33 * s, 1.4 * s),
                (0.1 * s, 1.6 * s),
            ],
            stone,
            sides=12,
        ).transform(z=foot)
    )
    parts.append(ball(0.16 * s, stone, sides=10).transform(z=foot + 1.75 * s))
    shoulder = [(-0.3 * s, 0, foot + 1.4 * s), (0.3 * s, 0, foot + 1.4 * s)]
    hands = [
        (sign * site.uniform(0.3, 0.9) * s, site.uniform(-0.5, 0.3) * s, foot + site.uniform(0.6, 2.2) * s)
        for sign in (-1, 1)
    ]
    parts.append(beams(shoulder, hands, 0.15 * s, stone))
    if site.maybe(50):
        x, y, z = hands[1]
        parts.append(beams([(x, y, z - 0.9 * s)], [(x, y, z + site.uniform(0.3, 1.2) * s)], 0.06 * s, stone))
    return join_solids(parts)


def fence(site: Site, x0: float, x1: float, y: float, height: float = 1.2) -> Solid:
    """Build a railing at y, from x0 to x1."""
    iron = site.plain_paint(((0.03, 0.03, 0.035), (0.3, 0.18, 0.1), (0.6, 0.6, 0.58)))
    n = np.arange(x0, x1, 0.7)
    posts = beams(np.stack([n, n * 0 + y, n * 0], 1), np.stack([n, n * 0 + y, n * 0 + height], 1), 0.05, iron)
    return join_solids([posts, beams([(x0, y, height), (x0, y, 0.25)], [(x1, y, height), (x1, y, 0.25)], 0.07, iron)])


def lanterns(site: Site, at: list[tuple[float, float, float]], size: float = 0.32) -> Solid:
    """Build paper lanterns at positions. They are lit by night."""
    paper = site.paint(
        Paint(
            site.draw_colour(((0.6, 0.05, 0.03), (0.62, 0.3, 0.05), (0.7, 0.66, 0.55))),
            glow=(1.5, 0.35, 0.12),
        )
    )
    one = lathe([(0.3 * size, -size), (size, -0.4 * size), (size, 0.4 * size), (0.3 * size, size)], paper, sides=10)
    return one.copies_at(at)


def parasols(site: Site, at: list[tuple[float, float]]) -> Solid:
    """Build tables with chairs at positions (x, y), usually with parasols."""
    cloth, wood = (
        site.plain_paint(BRIGHTS),
        site.plain_paint(((0.3, 0.18, 0.09), (0.5, 0.5, 0.5), (0.06, 0.06, 0.06))),
    )
    shade = join_solids(
        [lathe([(1.5, 2.15), (0.05, 2.75)], cloth, sides=8, smooth=False), cylinder(0.04, 2.7, wood, sides=5)]
    )
    sort = join_solids(
        [lathe([(0.45, 0.74), (0.45, 0.78), (0, 0.78)], wood, sides=10), cylinder(0.05, 0.74, wood, sides=5)]
    )
    chair = join_solids(
        [
            boxes([(0, 0, 0.42)], (0.42, 0.42, 0.05), wood),
            boxes([(0, 0.2, 0.45)], (0.42, 0.04, 0.45), wood),
            boxes([(-0.18, -0.18, 0), (0.18, -0.18, 0), (-0.18, 0.18, 0), (0.18, 0.18, 0)], (0.04, 0.04, 0.42), wood),
        ]
    )
    seats = chair.copies_at(
        [(0.0, 0.85, 0.0), (0.85, 0.0, 0.0), (0.0, -0.85, 0.0), (-0.85, 0.0, 0.0)],
        [0, -math.pi / 2, math.pi, math.pi / 2],
    )
    one = join_solids([sort, seats, shade] if site.maybe(70) else [sort, seats])
    return one.copies_at([(x, y, 0) for x, y in at], site.uniform(0, 1.5))
