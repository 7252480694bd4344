"""Places at the water: bridges, lakes, harbours."""

from __future__ import annotations

import math

import numpy as np

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
    shift_points,
)
from planspec_pictures.scenes.eastern import hall
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, GLAZES, LACQUERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    add_hills,
    add_skyline,
    broadleaf,
    floor,
    house,
    lanterns,
    plant_groves,
    plant_trees,
    willow,
)


def _add_sea(site: Site, level: float = 0.0) -> None:
    site.add_beside(floor(site.water(), -900, -900, 900, 900, level))


def _add_shore(site: Site, y: float, z: float = 1.6) -> None:
    """Add the land behind the water, with a quay."""
    site.add_beside(
        boxes(
            [(0, y + 300, -2)],
            (1800, 600, z + 2),
            site.masonry(),
            site.lawn() if site.maybe(60) else site.pavement(),
        )
    )


def boat(site: Site, length: float) -> Solid:
    """Build a boat along x, with its keel at z = 0."""
    hull, deck = (
        site.plain_paint((*BRIGHTS, (0.3, 0.18, 0.1))),
        site.plain_paint(((0.4, 0.27, 0.15), (0.7, 0.69, 0.66))),
    )
    t = np.linspace(-1, 1, 13, dtype=np.float32)
    w = length * 0.13 * (1 - np.abs(t) ** site.uniform(2, 4))
    height = length * 0.07 * (1 + 0.6 * t**2)
    side = [
        np.stack([t * length / 2, s * w * k, h], -1)
        for s, k, h in ((-1, 1, height), (-1, 0.5, height * 0), (1, 0.5, height * 0), (1, 1, height))
    ]
    parts = [
        grid(np.stack(side), np.stack(side)[..., :2], hull, smooth=True),
        grid(
            np.stack([side[0] * (1, 0.95, 0.92), side[3] * (1, 0.95, 0.92)]),
            np.stack([side[0], side[3]])[..., :2],
            deck,
        ),
    ]
    form = site.integer(0, 2)
    if form == 0:
        parts.append(
            boxes(
                [(0, 0, length * 0.05)],
                (length * 0.5, length * 0.17, length * 0.1),
                site.glass_wall(),
                deck,
                (1, 1),
            )
        )
        parts.append(
            boxes(
                [(length * 0.05, 0, length * 0.15)],
                (length * 0.28, length * 0.13, length * 0.08),
                site.window_wall(),
                deck,
                (1.2, 1.2),
            )
        )
    elif form == 1:
        cloth = site.plain_paint(((0.7, 0.68, 0.62), (0.5, 0.1, 0.08), (0.65, 0.5, 0.3)))
        for x in (-0.1, 0.2)[: site.integer(1, 2)]:
            total_height = length * site.uniform(0.6, 0.9)
            parts.append(cylinder(length * 0.008, total_height, deck, sides=6).transform(x * length, 0, 0))
            parts.append(
                quads(
                    [
                        [
                            (x * length, 0, length * 0.12),
                            (x * length + length * 0.3, 0.1 * length, length * 0.12),
                            (x * length, 0, total_height),
                            (x * length, 0, total_height),
                        ]
                    ],
                    None,
                    cloth,
                )
            )
    else:
        parts.append(
            roof(
                length * 0.5,
                length * 0.26,
                length * 0.06,
                site.roof_tiles(GLAZES),
                ridge=0.9,
                curve=1.4,
                lift=length * 0.02,
            ).transform(0, 0, length * 0.22)
        )
        parts.append(
            beams(
                [(x * length, y * length, length * 0.05) for x in (-0.2, 0.2) for y in (-0.1, 0.1)],
                [(x * length, y * length, length * 0.23) for x in (-0.2, 0.2) for y in (-0.1, 0.1)],
                length * 0.014,
                deck,
            )
        )
    return join_solids(parts)


def bridge(site: Site) -> Sight:
    """Build a bridge with stone arches, with cables, or of steel."""
    form = site.pick(("stone", "stone", "hung", "stayed", "truss", "bow"))
    _add_sea(site)
    turn = site.uniform(-0.35, 0.35)
    whole, span, total_height = _stone_bridge(site) if form == "stone" else _steel_bridge(site, form)
    site.add_subject(whole.transform(turn=turn))
    far = span * 0.55 + 26
    _add_shore(site, far)
    if site.maybe(55):
        add_skyline(site, 75, far + 60, 90)
    else:
        add_hills(site, site.uniform(50, 150), far + 180)
    site.add_beside(plant_groves(site, (26, (-90, 90), (far + 3, far + 26)), sorts=3).transform(z=1.6))
    for _ in range(site.integer(0, 3)):
        site.add_beside(
            boat(site, site.uniform(5, 12)).transform(
                float(site.moment.uniform(-30, 30)),
                float(site.moment.uniform(-26, -8)),
                0,
                float(site.moment.uniform(0, 6)),
            )
        )
    for s in (-1, 0, 1):
        site.add_lamp(s * span * 0.25, -4, max(total_height * 0.5, 6), 60)
    return Sight((0, 0, total_height * 0.55), span * 0.62 + 22, 42, max_height=site.uniform(3, 14), angle=62)


def _stone_bridge(site: Site) -> tuple[Solid, float, float]:
    """Build a stone bridge. Return the solid, its length and its height."""
    parts: list[Solid] = []
    bays, bay = site.integer(1, 9), site.uniform(7, 12)
    height, depth = site.uniform(5, 8), site.uniform(5, 8)
    stone = site.masonry(site.draw_colour(STONES))
    one = arcade(bays, bay, bay * site.uniform(0.66, 0.86), 0.6, height, depth, stone, rise=site.uniform(0.8, 1.1))
    hump = site.uniform(0, 0.5) * height if bays < 6 else 0.0
    points = one.points.copy()
    length = bays * bay
    points[..., 2] += hump * np.cos(points[..., 0] / length * math.pi) * np.clip(points[..., 2] / height, 0, 1)
    parts.append(Solid(points, one.normals, one.uvs, one.paints, one.tints))
    k = np.linspace(-length / 2, length / 2, int(length / 1.5))
    z = height + hump * np.cos(k / length * math.pi)
    rail = site.plain_paint(STONES)
    for s in (-1, 1):
        at = np.stack([k, np.full_like(k, s * (depth / 2 - 0.2)), z], 1)
        parts += [
            boxes(at, (0.3, 0.3, 1.1), rail),
            beams(shift_points(at[:-1], z=0.75), shift_points(at[1:], z=0.75), 0.18, rail),
        ]
    if site.maybe(35):
        lacquer = site.draw_colour(LACQUERS)
        parts.append(
            hall(
                site,
                min(9.0, length * 0.3),
                depth * 0.8,
                3,
                site.roof_tiles(GLAZES),
                lacquer,
                site.pick((1, 2)),
                0.9,
            ).transform(z=height + hump)
        )
    for s in (-1, 1):
        parts.append(boxes([(s * (length / 2 + 12), 0, -1)], (24, depth, height + 1), stone))
    return join_solids(parts), length, height


def _steel_bridge(site: Site, form: str) -> tuple[Solid, float, float]:
    """Build a steel bridge. Return the solid, its main span and its height."""
    parts: list[Solid] = []
    span, height, depth = site.uniform(90, 170), site.uniform(9, 15), site.uniform(7, 11)
    steel = site.plain_paint(
        ((0.45, 0.1, 0.06), (0.3, 0.34, 0.36), (0.55, 0.55, 0.55), (0.14, 0.22, 0.2), (0.1, 0.16, 0.3))
    )
    concrete = site.masonry(site.draw_colour(STONES))
    parts.append(boxes([(0, 0, height)], (span * 1.9, depth, 1.2), site.plain_paint(STONES)))
    xs = [-span / 2, span / 2] if site.maybe(75) or form == "bow" else [0.0]
    total_height = height + span * site.uniform(0.2, 0.3)
    pylon = site.integer(0, 2)
    if form in ("hung", "stayed"):
        parts += _cables(site, form, (span, height, depth, total_height), xs, pylon, steel, concrete)
    elif form == "truss":
        n = site.integer(9, 16)
        x = np.linspace(-span / 2, span / 2, n + 1)
        curved = site.uniform(0, 1)
        z = height + span * 0.09 * (1 - curved + curved * np.sin(np.linspace(0.12, math.pi - 0.12, n + 1)) * 1.6)
        for s in (-1, 1):
            y = np.full(n + 1, s * depth * 0.52)
            up, low = np.stack([x, y, z], 1), np.stack([x, y, np.full(n + 1, height + 0.6)], 1)
            parts += [
                beams(up[:-1], up[1:], 0.9, steel),
                beams(up, low, 0.6, steel),
                beams(up[:-1], low[1:], 0.55, steel),
            ]
        parts.append(boxes([(q, 0, -3) for q in (-span / 2, 0, span / 2)], (3, depth, height + 3), concrete))
    else:
        t = np.linspace(0, math.pi, 27)
        rise = span * site.uniform(0.14, 0.28)
        for s in (-1, 1):
            bow = np.stack(
                [
                    -span / 2 * np.cos(t),
                    np.full_like(t, s * depth * 0.5),
                    height * site.uniform(0.1, 0.9) + rise * np.sin(t),
                ],
                1,
            )
            parts += [
                beams(bow[:-1], bow[1:], span * 0.014, steel),
                beams(bow[1:-1], shift_points(bow[1:-1] * (1, 1, 0), z=height + 0.8), 0.3, steel),
            ]
        parts.append(boxes([(q, 0, -3) for q in (-span / 2, span / 2)], (5, depth * 1.2, height + 3), concrete))
    k = np.arange(-span * 0.9, span * 0.9, 12)
    bulb = site.plain_paint((0.1, 0.1, 0.1))
    parts.append(
        beams(
            np.stack([k, k * 0 - depth / 2, k * 0 + height + 1], 1),
            np.stack([k, k * 0 - depth / 2, k * 0 + height + 6], 1),
            0.18,
            bulb,
        )
    )
    return join_solids(parts), span, total_height


def _cables(
    site: Site,
    form: str,
    sizes: tuple[float, float, float, float],
    xs: list[float],
    pylon: int,
    steel: int,
    concrete: int,
) -> list[Solid]:
    """Build the pylons of a bridge and the cables between them."""
    span, height, depth, total_height = sizes
    parts: list[Solid] = []
    for x in xs:
        for s in (-1, 1):
            top_y = 0.0 if pylon == 1 else s * depth * 0.55
            parts.append(
                beams(
                    [(x, s * depth * 0.62, -3)],
                    [(x, top_y, total_height)],
                    span * 0.022,
                    concrete if pylon != 2 else steel,
                )
            )
        parts.append(
            boxes(
                [(x, 0, total_height * q) for q in (0.7, 0.92)],
                (span * 0.018, depth * 1.1, span * 0.016),
                concrete if pylon != 2 else steel,
            )
        )
        if pylon == 0:
            parts.append(
                arcade(
                    2,
                    depth * 0.6,
                    depth * 0.36,
                    total_height * 0.5,
                    total_height,
                    span * 0.03,
                    concrete,
                    rise=1.6,
                ).transform(x, 0, 0, math.pi / 2)
            )
    for s in (-1, 1):
        y = s * depth * 0.5
        if form == "hung":
            along = np.linspace(-span * 0.95, span * 0.95, 61)
            near = np.min(np.abs(along[:, None] - np.array(xs)), axis=1) / (span / 2)
            z = height + 2 + (total_height - height - 2) * (1 - np.clip(near, 0, 1)) ** 1.8
            cable = np.stack([along, np.full_like(along, y), z], 1)
            parts += [
                beams(cable[:-1], cable[1:], 0.55, steel),
                beams(cable, shift_points(cable * (1, 1, 0), z=height + 1), 0.16, steel),
            ]
        else:
            for x0 in xs:
                k = np.linspace(0.12, 0.98, site.integer(8, 14)) * span / 2
                for side in (-1, 1):
                    lower = np.stack([x0 + side * k, np.full_like(k, y), np.full_like(k, height + 1.2)], 1)
                    upper = np.stack(
                        [
                            np.full_like(k, x0),
                            np.full_like(k, y),
                            height + (total_height - height) * (0.45 + 0.5 * k / (span / 2)),
                        ],
                        1,
                    )
                    parts.append(beams(lower, upper, 0.22, steel))
    return parts


def lake(site: Site) -> Sight:
    """Build a lake with boats and an island, on which a building stands, in front of trees and hills."""
    _add_sea(site)
    far = site.uniform(60, 120)
    _add_shore(site, far, 0.9)
    add_hills(site, site.uniform(40, 190), far + site.uniform(80, 300))
    sort = willow if site.maybe(50) else broadleaf
    site.add_beside(plant_groves(site, (60, (-130, 130), (far + 2, far + 36)), only=None, sorts=4).transform(z=0.8))
    ix, iy, r = site.uniform(-16, 16), site.uniform(10, 26), site.uniform(7, 13)
    grass, stone = site.lawn(), site.masonry()
    site.add_subject(
        lathe([(r + 0.6, -1), (r, 0.7), (r * 0.6, 1.2), (0, 1.4)], grass, sides=24).transform(ix, iy),
        lathe([(r + 0.5, -1), (r + 0.3, 0.6), (r - 0.2, 0.7)], stone, sides=24).transform(ix, iy),
    )
    lacquer, tiles = site.draw_colour(LACQUERS), site.roof_tiles(GLAZES)
    if site.eastern or site.maybe(25):
        if site.maybe(60):
            site.add_subject(
                hall(
                    site,
                    site.uniform(6, 9),
                    site.uniform(4.5, 7),
                    3.2,
                    tiles,
                    lacquer,
                    site.pick((1, 2, 2)),
                    1.3,
                ).transform(ix, iy, 1.1)
            )
        else:
            n, z, w = site.integer(3, 7), 1.2, site.uniform(2, 3)
            for _ in range(n):
                site.add_subject(
                    lathe([(w, z), (w, z + 2.2)], site.masonry(), sides=8, smooth=False).transform(ix, iy),
                    lathe([(w * 1.7, z + 2.0), (w * 0.9, z + 3)], tiles, sides=8, smooth=False).transform(ix, iy),
                )
                z, w = z + 2.6, w * 0.93
            site.add_subject(lathe([(0.5, 0), (0.05, 4)], tiles, sides=8).transform(ix, iy, z))
    else:
        site.add_subject(
            house(site, site.uniform(6, 9), 6, site.uniform(3.4, 7), shops=False).transform(ix - 4, iy - 3, 1.1)
        )
    site.add_subject(
        plant_trees(
            site,
            np.stack(
                [
                    ix + r * 0.75 * np.cos(np.arange(8) * 0.8 + site.uniform(0, 6)),
                    iy + r * 0.75 * np.sin(np.arange(8) * 0.8),
                ],
                1,
            ),
            only=sort,
            sorts=2,
        ).transform(z=0.8)
    )
    if site.maybe(60):
        length = site.uniform(20, 40)
        s = site.pick((-1, 1))
        deck = site.plain_paint(STONES)
        k = np.linspace(0, length, int(length / 2.2))
        site.add_subject(
            boxes([(ix + s * (r + length / 2), iy, 0.6)], (length, 2, 0.3), deck),
            boxes(np.stack([ix + s * (r + k), np.full_like(k, iy - 0.9), k * 0 - 1], 1), (0.25, 0.25, 2.9), deck),
        )
    for _ in range(site.integer(1, 4)):
        site.add_beside(
            boat(site, site.uniform(5, 9)).transform(
                float(site.moment.uniform(-26, 26)),
                float(site.moment.uniform(-16, 8)),
                0,
                float(site.moment.uniform(0, 6)),
            )
        )
    if site.maybe(70):  # the near bank
        bank = site.lawn()
        site.add_beside(
            boxes([(0, -52, -1)], (400, 36, 1.5), site.masonry(), bank),
            plant_trees(
                site,
                np.array([(site.uniform(-26, -14), -36), (site.uniform(14, 26), -36)], np.float32),
                only=sort,
                sorts=1,
            ).transform(z=0.4),
        )
    if site.maybe(50):
        total_height, tx = site.uniform(16, 30), site.uniform(-60, 60)
        site.add_subject(
            lathe([(3.4, 0), (2.4, total_height)], site.masonry(), sides=8, smooth=False).transform(tx, far + 20),
            lathe([(4, total_height - 1), (0.2, total_height + 5)], tiles, sides=8, smooth=False).transform(
                tx, far + 20
            ),
        )
    site.add_lamp(ix, iy - 4, 4, 24)
    return Sight((ix * 0.5, 8, 3.2), 46, 40, min_height=2.2, max_height=9, angle=60)


def port(site: Site) -> Sight:
    """Build a harbour: a quay with a row of houses, ships, and perhaps a lighthouse or cranes."""
    _add_sea(site)
    quay = 12.0
    _add_shore(site, quay, 2.2)
    form = site.integer(0, 3)
    x = -70.0
    while x < 70:
        width = site.uniform(9, 18)
        site.add_subject(
            house(site, width, 12, site.uniform(9, 26), shops=site.maybe(70)).transform(
                x, quay + site.uniform(11, 14), 2.2
            )
        )
        x += width + (0 if site.maybe(75) else 4)
    if form == 0:
        total_height, red = site.uniform(14, 26), site.plain_paint(BRIGHTS)
        white = site.plain_paint((0.72, 0.71, 0.68))
        bands = site.integer(3, 6)
        lx = site.uniform(-20, 20)
        for n in range(bands):
            t0, t1 = n / bands, (n + 1) / bands
            site.add_subject(
                lathe(
                    [(2.8 - 1.1 * t0, total_height * t0), (2.8 - 1.1 * t1, total_height * t1)],
                    red if n % 2 else white,
                    sides=18,
                ).transform(lx, quay - 6, 1)
            )
        site.add_subject(
            lathe([(2.2, total_height), (2.2, total_height + 0.4), (1.2, total_height + 0.5)], red, sides=14).transform(
                lx, quay - 6, 1
            ),
            lathe(
                [(1.1, total_height + 0.5), (1.1, total_height + 2.4)],
                site.glass_wall(),
                sides=10,
                cell=(0.7, 1),
            ).transform(lx, quay - 6, 1),
            lathe([(1.5, total_height + 2.4), (0.05, total_height + 4)], red, sides=14).transform(lx, quay - 6, 1),
            lathe([(7, -2), (6, 1.2), (0, 1.2)], site.masonry(), sides=10, smooth=False).transform(lx, quay - 6),
        )
        site.add_lamp(lx, quay - 6, total_height + 2.5, 80)
    elif form == 1:
        hull, white = (
            site.plain_paint((*BRIGHTS[:6], (0.05, 0.05, 0.06))),
            site.plain_paint((0.72, 0.72, 0.7)),
        )
        length, sx = site.uniform(44, 70), site.uniform(-16, 16)
        t = np.linspace(-1, 1, 17, dtype=np.float32)
        w = 5 * (1 - np.clip(t - 0.3, 0, 1) ** 2 * 2)
        side = [
            np.stack([t * length / 2, s * w * k, h + 0 * t], -1)
            for s, k, h in ((-1, 1.05, 6), (-1, 0.8, -1), (1, 0.8, -1), (1, 1.05, 6))
        ]
        ship = [
            grid(np.stack(side), np.stack(side)[..., :2], hull, smooth=True),
            grid(np.stack([side[0], side[3]]) * (1, 1, 0.98), np.stack([side[0], side[3]])[..., :2], white),
        ]
        for n in range(site.integer(1, 4)):  # each deck is shorter than the one below
            ship.append(  # noqa: PERF401
                boxes(
                    [(-length * 0.08 - n, 0, 6 + 2.8 * n)],
                    (length * (0.6 - 0.12 * n), 8 - n, 2.7),
                    site.window_wall((0.72, 0.72, 0.7)),
                    white,
                    (1.8, 2.7),
                )
            )
        ship.append(cylinder(1.3, 6, site.plain_paint(BRIGHTS)).transform(-length * 0.15, 0, 13))
        ship.append(cylinder(0.25, 14, white, sides=6).transform(length * 0.2, 0, 6))
        site.add_subject(join_solids(ship).transform(sx, quay - 8, 0, site.pick((0.0, math.pi))))
    elif form == 2:
        steel = site.plain_paint(BRIGHTS)
        for n in range(site.integer(1, 3)):
            cx = -24 + 24 * n + site.uniform(-6, 6)
            site.add_subject(
                beams(
                    [
                        (cx - 3, quay + 3, 2),
                        (cx + 3, quay + 3, 2),
                        (cx - 3, quay + 9, 2),
                        (cx + 3, quay + 9, 2),
                    ],
                    [
                        (cx - 1, quay + 5, 20),
                        (cx + 1, quay + 5, 20),
                        (cx - 1, quay + 7, 20),
                        (cx + 1, quay + 7, 20),
                    ],
                    0.6,
                    steel,
                ),
                beams(
                    [(cx, quay + 8, 21), (cx, quay + 6, 28), (cx, quay + 6, 20)],
                    [(cx, quay - 14, 25), (cx, quay - 14, 25), (cx, quay + 6, 28)],
                    0.7,
                    steel,
                ),
            )
        crates = site.chance.random((14, 2)) * (60, 6) - (30, 0)
        for n in range(3):
            mine = crates[n::3]
            site.add_subject(
                boxes(
                    np.stack([mine[:, 0], quay + 4 + mine[:, 1], np.full(len(mine), 2.2)], 1),
                    (6, 2.4, 2.6),
                    site.plain_paint(BRIGHTS),
                )
            )
    else:
        wood = site.plain_paint(((0.26, 0.19, 0.13), (0.4, 0.34, 0.27)))
        px, length = site.uniform(-14, 14), site.uniform(18, 30)
        site.add_subject(boxes([(px, quay - length / 2, 1.4)], (4.5, length, 0.35), wood))
        k = np.arange(0, length, 3)
        site.add_subject(
            *(
                cylinder(0.22, 4.4, wood, sides=6).copies_at(
                    np.stack([np.full_like(k, px + s * 2.1), quay - k, k * 0 - 2], 1)
                )
                for s in (-1, 1)
            )
        )
        site.add_subject(
            house(site, 9, 7, 4, shops=False).transform(px - 4.5, quay - length - 5, 1.7),
            boxes([(px, quay - length - 2, -2)], (12, 10, 3.7), wood),
        )
    for _ in range(site.integer(3, 8)):
        site.add_subject(
            boat(site, site.uniform(6, 14)).transform(
                site.uniform(-45, 45), quay - site.uniform(5, 16), 0, site.uniform(-0.4, 0.4)
            )
        )
    k = np.arange(-60, 60, 15) + site.uniform(0, 5)
    site.add_beside(plant_trees(site, np.stack([k, np.full_like(k, quay + 6)], 1), sorts=1).transform(z=2.2))
    for q in (-24, -8, 8, 24):
        site.add_lamp(q, quay + 8, 6, 30)
    site.add_beside(
        lanterns(site, [(q, quay + 10, 6) for q in np.linspace(-30, 30, 9)])
        if site.eastern
        else boxes([(0, quay + 1, 2.2)], (120, 0.3, 0.3), site.masonry())
    )
    add_skyline(site, 66, 110, 100)
    return Sight((0, quay - 2, 6), 44, 42, min_height=2.5, max_height=13, angle=64)
