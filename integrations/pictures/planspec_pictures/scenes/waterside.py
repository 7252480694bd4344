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
    joined,
    lathe,
    quads,
    roof,
    shifted,
)
from planspec_pictures.scenes.eastern import hall
from planspec_pictures.scenes.scene import Sight
from planspec_pictures.scenes.site import BRIGHTS, GLAZES, LACQUERS, STONES, Site
from planspec_pictures.scenes.surroundings import (
    broadleaf,
    floor,
    groves,
    hills,
    house,
    lanterns,
    planted,
    skyline,
    willow,
)


def _sea(site: Site, level: float = 0.0) -> None:
    site.beside(floor(site.water(), -900, -900, 900, 900, level))


def _shore(site: Site, y: float, z: float = 1.6) -> None:
    """Add the land behind, with a quay."""
    site.beside(
        boxes(
            [(0, y + 300, -2)],
            (1800, 600, z + 2),
            site.masonry(),
            site.lawn() if site.maybe(60) else site.pavement(),
        )
    )


def boat(site: Site, long: float) -> Solid:
    """Build a boat along x, its keel at z = 0."""
    hull, deck = site.plain((*BRIGHTS, (0.3, 0.18, 0.1))), site.plain(((0.4, 0.27, 0.15), (0.7, 0.69, 0.66)))
    t = np.linspace(-1, 1, 13, dtype=np.float32)
    w = long * 0.13 * (1 - np.abs(t) ** site.share(2, 4))
    high = long * 0.07 * (1 + 0.6 * t**2)
    side = [
        np.stack([t * long / 2, s * w * k, h], -1)
        for s, k, h in ((-1, 1, high), (-1, 0.5, high * 0), (1, 0.5, high * 0), (1, 1, high))
    ]
    parts = [
        grid(np.stack(side), np.stack(side)[..., :2], hull, smooth=True),
        grid(
            np.stack([side[0] * (1, 0.95, 0.92), side[3] * (1, 0.95, 0.92)]),
            np.stack([side[0], side[3]])[..., :2],
            deck,
        ),
    ]
    form = site.whole(0, 2)
    if form == 0:
        parts.append(
            boxes([(0, 0, long * 0.05)], (long * 0.5, long * 0.17, long * 0.1), site.glazed(), deck, (1, 1))
        )
        parts.append(
            boxes(
                [(long * 0.05, 0, long * 0.15)],
                (long * 0.28, long * 0.13, long * 0.08),
                site.windowed(),
                deck,
                (1.2, 1.2),
            )
        )
    elif form == 1:
        cloth = site.plain(((0.7, 0.68, 0.62), (0.5, 0.1, 0.08), (0.65, 0.5, 0.3)))
        for x in (-0.1, 0.2)[: site.whole(1, 2)]:
            tall = long * site.share(0.6, 0.9)
            parts.append(cylinder(long * 0.008, tall, deck, sides=6).moved(x * long, 0, 0))
            parts.append(
                quads(
                    [
                        [
                            (x * long, 0, long * 0.12),
                            (x * long + long * 0.3, 0.1 * long, long * 0.12),
                            (x * long, 0, tall),
                            (x * long, 0, tall),
                        ]
                    ],
                    None,
                    cloth,
                )
            )
    else:
        parts.append(
            roof(
                long * 0.5,
                long * 0.26,
                long * 0.06,
                site.tiled(GLAZES),
                ridge=0.9,
                curve=1.4,
                lift=long * 0.02,
            ).moved(0, 0, long * 0.22)
        )
        parts.append(
            beams(
                [(x * long, y * long, long * 0.05) for x in (-0.2, 0.2) for y in (-0.1, 0.1)],
                [(x * long, y * long, long * 0.23) for x in (-0.2, 0.2) for y in (-0.1, 0.1)],
                long * 0.014,
                deck,
            )
        )
    return joined(parts)


def bridge(site: Site) -> Sight:
    """Build a bridge of stone arches, of cables, or of steel."""
    form = site.pick(("stone", "stone", "hung", "stayed", "truss", "bow"))
    _sea(site)
    turn = site.share(-0.35, 0.35)
    whole, span, tall = _arches(site) if form == "stone" else _spans(site, form)
    site.subject(whole.moved(turn=turn))
    far = span * 0.55 + 26
    _shore(site, far)
    if site.maybe(55):
        skyline(site, 75, far + 60, 90)
    else:
        hills(site, site.share(50, 150), far + 180)
    site.beside(groves(site, (26, (-90, 90), (far + 3, far + 26)), sorts=3).moved(z=1.6))
    for _ in range(site.whole(0, 3)):
        site.beside(
            boat(site, site.share(5, 12)).moved(
                float(site.passing.uniform(-30, 30)),
                float(site.passing.uniform(-26, -8)),
                0,
                float(site.passing.uniform(0, 6)),
            )
        )
    for s in (-1, 0, 1):
        site.lamp(s * span * 0.25, -4, max(tall * 0.5, 6), 60)
    return Sight((0, 0, tall * 0.55), span * 0.62 + 22, 42, high=site.share(3, 14), angle=62)


def _arches(site: Site) -> tuple[Solid, float, float]:
    """Build a bridge of stone; return its length and its height."""
    parts: list[Solid] = []
    bays, bay = site.whole(1, 9), site.share(7, 12)
    high, deep = site.share(5, 8), site.share(5, 8)
    stone = site.masonry(site.hue(STONES))
    one = arcade(bays, bay, bay * site.share(0.66, 0.86), 0.6, high, deep, stone, rise=site.share(0.8, 1.1))
    hump = site.share(0, 0.5) * high if bays < 6 else 0.0
    points = one.points.copy()
    length = bays * bay
    points[..., 2] += hump * np.cos(points[..., 0] / length * math.pi) * np.clip(points[..., 2] / high, 0, 1)
    parts.append(Solid(points, one.normals, one.uvs, one.paints, one.tints))
    k = np.linspace(-length / 2, length / 2, int(length / 1.5))
    z = high + hump * np.cos(k / length * math.pi)
    rail = site.plain(STONES)
    for s in (-1, 1):
        at = np.stack([k, np.full_like(k, s * (deep / 2 - 0.2)), z], 1)
        parts += [
            boxes(at, (0.3, 0.3, 1.1), rail),
            beams(shifted(at[:-1], z=0.75), shifted(at[1:], z=0.75), 0.18, rail),
        ]
    if site.maybe(35):
        lacquer = site.hue(LACQUERS)
        parts.append(
            hall(
                site,
                min(9.0, length * 0.3),
                deep * 0.8,
                3,
                site.tiled(GLAZES),
                lacquer,
                site.pick((1, 2)),
                0.9,
            ).moved(z=high + hump)
        )
    for s in (-1, 1):
        parts.append(boxes([(s * (length / 2 + 12), 0, -1)], (24, deep, high + 1), stone))
    return joined(parts), length, high


def _spans(site: Site, form: str) -> tuple[Solid, float, float]:
    """Build a bridge of steel; return its main span and its height."""
    parts: list[Solid] = []
    span, high, deep = site.share(90, 170), site.share(9, 15), site.share(7, 11)
    steel = site.plain(
        ((0.45, 0.1, 0.06), (0.3, 0.34, 0.36), (0.55, 0.55, 0.55), (0.14, 0.22, 0.2), (0.1, 0.16, 0.3))
    )
    concrete = site.masonry(site.hue(STONES))
    parts.append(boxes([(0, 0, high)], (span * 1.9, deep, 1.2), site.plain(STONES)))
    xs = [-span / 2, span / 2] if site.maybe(75) or form == "bow" else [0.0]
    tall = high + span * site.share(0.2, 0.3)
    pylon = site.whole(0, 2)
    if form in ("hung", "stayed"):
        parts += _cables(site, form, (span, high, deep, tall), xs, pylon, steel, concrete)
    elif form == "truss":
        n = site.whole(9, 16)
        x = np.linspace(-span / 2, span / 2, n + 1)
        curved = site.share(0, 1)
        z = high + span * 0.09 * (
            1 - curved + curved * np.sin(np.linspace(0.12, math.pi - 0.12, n + 1)) * 1.6
        )
        for s in (-1, 1):
            y = np.full(n + 1, s * deep * 0.52)
            up, low = np.stack([x, y, z], 1), np.stack([x, y, np.full(n + 1, high + 0.6)], 1)
            parts += [
                beams(up[:-1], up[1:], 0.9, steel),
                beams(up, low, 0.6, steel),
                beams(up[:-1], low[1:], 0.55, steel),
            ]
        parts.append(boxes([(q, 0, -3) for q in (-span / 2, 0, span / 2)], (3, deep, high + 3), concrete))
    else:
        t = np.linspace(0, math.pi, 27)
        rise = span * site.share(0.14, 0.28)
        for s in (-1, 1):
            bow = np.stack(
                [
                    -span / 2 * np.cos(t),
                    np.full_like(t, s * deep * 0.5),
                    high * site.share(0.1, 0.9) + rise * np.sin(t),
                ],
                1,
            )
            parts += [
                beams(bow[:-1], bow[1:], span * 0.014, steel),
                beams(bow[1:-1], shifted(bow[1:-1] * (1, 1, 0), z=high + 0.8), 0.3, steel),
            ]
        parts.append(boxes([(q, 0, -3) for q in (-span / 2, span / 2)], (5, deep * 1.2, high + 3), concrete))
    k = np.arange(-span * 0.9, span * 0.9, 12)
    bulb = site.plain((0.1, 0.1, 0.1))
    parts.append(
        beams(
            np.stack([k, k * 0 - deep / 2, k * 0 + high + 1], 1),
            np.stack([k, k * 0 - deep / 2, k * 0 + high + 6], 1),
            0.18,
            bulb,
        )
    )
    return joined(parts), span, tall


def _cables(
    site: Site,
    form: str,
    sizes: tuple[float, float, float, float],
    xs: list[float],
    pylon: int,
    steel: int,
    concrete: int,
) -> list[Solid]:
    """Build pylons along the bridge, and the cables that hang from them."""
    span, high, deep, tall = sizes
    parts: list[Solid] = []
    for x in xs:
        for s in (-1, 1):
            top_y = 0.0 if pylon == 1 else s * deep * 0.55
            parts.append(
                beams(
                    [(x, s * deep * 0.62, -3)],
                    [(x, top_y, tall)],
                    span * 0.022,
                    concrete if pylon != 2 else steel,
                )
            )
        parts.append(
            boxes(
                [(x, 0, tall * q) for q in (0.7, 0.92)],
                (span * 0.018, deep * 1.1, span * 0.016),
                concrete if pylon != 2 else steel,
            )
        )
        if pylon == 0:
            parts.append(
                arcade(2, deep * 0.6, deep * 0.36, tall * 0.5, tall, span * 0.03, concrete, rise=1.6).moved(
                    x, 0, 0, math.pi / 2
                )
            )
    for s in (-1, 1):
        y = s * deep * 0.5
        if form == "hung":
            along = np.linspace(-span * 0.95, span * 0.95, 61)
            near = np.min(np.abs(along[:, None] - np.array(xs)), axis=1) / (span / 2)
            z = high + 2 + (tall - high - 2) * (1 - np.clip(near, 0, 1)) ** 1.8
            cable = np.stack([along, np.full_like(along, y), z], 1)
            parts += [
                beams(cable[:-1], cable[1:], 0.55, steel),
                beams(cable, shifted(cable * (1, 1, 0), z=high + 1), 0.16, steel),
            ]
        else:
            for x0 in xs:
                k = np.linspace(0.12, 0.98, site.whole(8, 14)) * span / 2
                for side in (-1, 1):
                    lower = np.stack([x0 + side * k, np.full_like(k, y), np.full_like(k, high + 1.2)], 1)
                    upper = np.stack(
                        [
                            np.full_like(k, x0),
                            np.full_like(k, y),
                            high + (tall - high) * (0.45 + 0.5 * k / (span / 2)),
                        ],
                        1,
                    )
                    parts.append(beams(lower, upper, 0.22, steel))
    return parts


def lake(site: Site) -> Sight:
    """Build water with an island, a pavilion and boats; trees and hills are behind."""
    _sea(site)
    far = site.share(60, 120)
    _shore(site, far, 0.9)
    hills(site, site.share(40, 190), far + site.share(80, 300))
    sort = willow if site.maybe(50) else broadleaf
    site.beside(groves(site, (60, (-130, 130), (far + 2, far + 36)), only=None, sorts=4).moved(z=0.8))
    ix, iy, r = site.share(-16, 16), site.share(10, 26), site.share(7, 13)
    grass, stone = site.lawn(), site.masonry()
    site.subject(
        lathe([(r + 0.6, -1), (r, 0.7), (r * 0.6, 1.2), (0, 1.4)], grass, sides=24).moved(ix, iy),
        lathe([(r + 0.5, -1), (r + 0.3, 0.6), (r - 0.2, 0.7)], stone, sides=24).moved(ix, iy),
    )
    lacquer, tiles = site.hue(LACQUERS), site.tiled(GLAZES)
    if site.eastern or site.maybe(25):
        if site.maybe(60):
            site.subject(
                hall(
                    site, site.share(6, 9), site.share(4.5, 7), 3.2, tiles, lacquer, site.pick((1, 2, 2)), 1.3
                ).moved(ix, iy, 1.1)
            )
        else:
            n, z, w = site.whole(3, 7), 1.2, site.share(2, 3)
            for _ in range(n):
                site.subject(
                    lathe([(w, z), (w, z + 2.2)], site.masonry(), sides=8, smooth=False).moved(ix, iy),
                    lathe([(w * 1.7, z + 2.0), (w * 0.9, z + 3)], tiles, sides=8, smooth=False).moved(ix, iy),
                )
                z, w = z + 2.6, w * 0.93
            site.subject(lathe([(0.5, 0), (0.05, 4)], tiles, sides=8).moved(ix, iy, z))
    else:
        site.subject(
            house(site, site.share(6, 9), 6, site.share(3.4, 7), shops=False).moved(ix - 4, iy - 3, 1.1)
        )
    site.subject(
        planted(
            site,
            np.stack(
                [
                    ix + r * 0.75 * np.cos(np.arange(8) * 0.8 + site.share(0, 6)),
                    iy + r * 0.75 * np.sin(np.arange(8) * 0.8),
                ],
                1,
            ),
            only=sort,
            sorts=2,
        ).moved(z=0.8)
    )
    if site.maybe(60):
        length = site.share(20, 40)
        s = site.pick((-1, 1))
        deck = site.plain(STONES)
        k = np.linspace(0, length, int(length / 2.2))
        site.subject(
            boxes([(ix + s * (r + length / 2), iy, 0.6)], (length, 2, 0.3), deck),
            boxes(
                np.stack([ix + s * (r + k), np.full_like(k, iy - 0.9), k * 0 - 1], 1), (0.25, 0.25, 2.9), deck
            ),
        )
    for _ in range(site.whole(1, 4)):
        site.beside(
            boat(site, site.share(5, 9)).moved(
                float(site.passing.uniform(-26, 26)),
                float(site.passing.uniform(-16, 8)),
                0,
                float(site.passing.uniform(0, 6)),
            )
        )
    if site.maybe(70):  # the near bank
        bank = site.lawn()
        site.beside(
            boxes([(0, -52, -1)], (400, 36, 1.5), site.masonry(), bank),
            planted(
                site,
                np.array([(site.share(-26, -14), -36), (site.share(14, 26), -36)], np.float32),
                only=sort,
                sorts=1,
            ).moved(z=0.4),
        )
    if site.maybe(50):
        tall, tx = site.share(16, 30), site.share(-60, 60)
        site.subject(
            lathe([(3.4, 0), (2.4, tall)], site.masonry(), sides=8, smooth=False).moved(tx, far + 20),
            lathe([(4, tall - 1), (0.2, tall + 5)], tiles, sides=8, smooth=False).moved(tx, far + 20),
        )
    site.lamp(ix, iy - 4, 4, 24)
    return Sight((ix * 0.5, 8, 3.2), 46, 40, low=2.2, high=9, angle=60)


def port(site: Site) -> Sight:
    """Build a quay with houses in a row, ships, perhaps a lighthouse or cranes."""
    _sea(site)
    quay = 12.0
    _shore(site, quay, 2.2)
    form = site.whole(0, 3)
    x = -70.0
    while x < 70:
        wide = site.share(9, 18)
        site.subject(
            house(site, wide, 12, site.share(9, 26), shops=site.maybe(70)).moved(
                x, quay + site.share(11, 14), 2.2
            )
        )
        x += wide + (0 if site.maybe(75) else 4)
    if form == 0:
        tall, red = site.share(14, 26), site.plain(BRIGHTS)
        white = site.plain((0.72, 0.71, 0.68))
        bands = site.whole(3, 6)
        lx = site.share(-20, 20)
        for n in range(bands):
            t0, t1 = n / bands, (n + 1) / bands
            site.subject(
                lathe(
                    [(2.8 - 1.1 * t0, tall * t0), (2.8 - 1.1 * t1, tall * t1)],
                    red if n % 2 else white,
                    sides=18,
                ).moved(lx, quay - 6, 1)
            )
        site.subject(
            lathe([(2.2, tall), (2.2, tall + 0.4), (1.2, tall + 0.5)], red, sides=14).moved(lx, quay - 6, 1),
            lathe([(1.1, tall + 0.5), (1.1, tall + 2.4)], site.glazed(), sides=10, cell=(0.7, 1)).moved(
                lx, quay - 6, 1
            ),
            lathe([(1.5, tall + 2.4), (0.05, tall + 4)], red, sides=14).moved(lx, quay - 6, 1),
            lathe([(7, -2), (6, 1.2), (0, 1.2)], site.masonry(), sides=10, smooth=False).moved(lx, quay - 6),
        )
        site.lamp(lx, quay - 6, tall + 2.5, 80)
    elif form == 1:
        hull, white = site.plain((*BRIGHTS[:6], (0.05, 0.05, 0.06))), site.plain((0.72, 0.72, 0.7))
        long, sx = site.share(44, 70), site.share(-16, 16)
        t = np.linspace(-1, 1, 17, dtype=np.float32)
        w = 5 * (1 - np.clip(t - 0.3, 0, 1) ** 2 * 2)
        side = [
            np.stack([t * long / 2, s * w * k, h + 0 * t], -1)
            for s, k, h in ((-1, 1.05, 6), (-1, 0.8, -1), (1, 0.8, -1), (1, 1.05, 6))
        ]
        ship = [
            grid(np.stack(side), np.stack(side)[..., :2], hull, smooth=True),
            grid(np.stack([side[0], side[3]]) * (1, 1, 0.98), np.stack([side[0], side[3]])[..., :2], white),
        ]
        for n in range(site.whole(1, 4)):  # each deck is shorter
            ship.append(  # noqa: PERF401
                boxes(
                    [(-long * 0.08 - n, 0, 6 + 2.8 * n)],
                    (long * (0.6 - 0.12 * n), 8 - n, 2.7),
                    site.windowed((0.72, 0.72, 0.7)),
                    white,
                    (1.8, 2.7),
                )
            )
        ship.append(cylinder(1.3, 6, site.plain(BRIGHTS)).moved(-long * 0.15, 0, 13))
        ship.append(cylinder(0.25, 14, white, sides=6).moved(long * 0.2, 0, 6))
        site.subject(joined(ship).moved(sx, quay - 8, 0, site.pick((0.0, math.pi))))
    elif form == 2:
        steel = site.plain(BRIGHTS)
        for n in range(site.whole(1, 3)):
            cx = -24 + 24 * n + site.share(-6, 6)
            site.subject(
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
            site.subject(
                boxes(
                    np.stack([mine[:, 0], quay + 4 + mine[:, 1], np.full(len(mine), 2.2)], 1),
                    (6, 2.4, 2.6),
                    site.plain(BRIGHTS),
                )
            )
    else:
        wood = site.plain(((0.26, 0.19, 0.13), (0.4, 0.34, 0.27)))
        px, long = site.share(-14, 14), site.share(18, 30)
        site.subject(boxes([(px, quay - long / 2, 1.4)], (4.5, long, 0.35), wood))
        k = np.arange(0, long, 3)
        site.subject(
            *(
                cylinder(0.22, 4.4, wood, sides=6).copied(
                    np.stack([np.full_like(k, px + s * 2.1), quay - k, k * 0 - 2], 1)
                )
                for s in (-1, 1)
            )
        )
        site.subject(
            house(site, 9, 7, 4, shops=False).moved(px - 4.5, quay - long - 5, 1.7),
            boxes([(px, quay - long - 2, -2)], (12, 10, 3.7), wood),
        )
    for _ in range(site.whole(3, 8)):
        site.subject(
            boat(site, site.share(6, 14)).moved(
                site.share(-45, 45), quay - site.share(5, 16), 0, site.share(-0.4, 0.4)
            )
        )
    k = np.arange(-60, 60, 15) + site.share(0, 5)
    site.beside(planted(site, np.stack([k, np.full_like(k, quay + 6)], 1), sorts=1).moved(z=2.2))
    for q in (-24, -8, 8, 24):
        site.lamp(q, quay + 8, 6, 30)
    site.beside(
        lanterns(site, [(q, quay + 10, 6) for q in np.linspace(-30, 30, 9)])
        if site.eastern
        else boxes([(0, quay + 1, 2.2)], (120, 0.3, 0.3), site.masonry())
    )
    skyline(site, 66, 110, 100)
    return Sight((0, quay - 2, 6), 44, 42, low=2.5, high=13, angle=64)
