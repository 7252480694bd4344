"""Solids of triangles, and the shapes from which scenes are built; lengths are metres, z points up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float32]
Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False, slots=True)
class Solid:
    """Triangles with the data for shading.

    Attributes:
        points: n by 3 corners by 3.
        normals: n by 3 corners by 3; equal at all corners of a flat triangle.
        uvs: n by 3 corners by 2, along the surface, in metres or in cells of a pattern.
        paints: n, number of the paint in the scene.
        tints: n, brightness factor of the paint.
    """

    points: Floats
    normals: Floats
    uvs: Floats
    paints: NDArray[np.int16]
    tints: Floats

    def __len__(self) -> int:
        return len(self.points)

    def moved(
        self, x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: float = 0.0, scale: float = 1.0
    ) -> Solid:
        """Return the solid turned by radians around the upright axis, scaled, and then shifted."""
        return self.copied([(x, y, z)], [turn], [scale])

    def copied(
        self, at: ArrayLike, turns: ArrayLike = 0.0, scales: ArrayLike = 1.0, tints: ArrayLike = 1.0
    ) -> Solid:
        """Return a copy at each of k points.

        Args:
            at: k by 3.
            turns: k radians, or one.
            scales: k factors, k by 3 factors along the own axes, or one.
            tints: k factors of brightness, or one.
        """
        where = np.asarray(at, np.float32).reshape(-1, 3)
        k = len(where)
        angle = np.broadcast_to(np.asarray(turns, np.float32), (k,))
        grown = np.asarray(scales, np.float32)
        grown = np.broadcast_to(grown[:, None] if grown.ndim == 1 else grown, (k, 3))
        cosine, sine = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]

        def turned(vectors: Floats) -> Floats:
            x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
            return np.stack([x * cosine - y * sine, x * sine + y * cosine, z], -1)

        points = turned(self.points[None] * grown[:, None, None]) + where[:, None, None]
        normals = turned(self.normals[None] / grown[:, None, None])
        tinted = self.tints[None] * np.broadcast_to(np.asarray(tints, np.float32), (k,))[:, None]
        return Solid(
            points.reshape(-1, 3, 3),
            _unit(normals.reshape(-1, 3, 3)),
            np.tile(self.uvs, (k, 1, 1)),
            np.tile(self.paints, k),
            tinted.reshape(-1),
        )


def joined(solids: Iterable[Solid]) -> Solid:
    """Join solids into one."""
    parts = list(solids)
    return Solid(
        np.concatenate([one.points for one in parts]),
        np.concatenate([one.normals for one in parts]),
        np.concatenate([one.uvs for one in parts]),
        np.concatenate([one.paints for one in parts]),
        np.concatenate([one.tints for one in parts]),
    )


def single(numbers: ArrayLike) -> Floats:
    """Return the numbers in 32 bits."""
    result: Floats = np.asarray(numbers, np.float32)
    return result


def dots(one: Array, other: Array) -> Floats:
    """Return the products of rows."""
    return single(np.einsum("ij,ij->i", one, other))


def along(vectors: Array, direction: Array) -> Floats:
    """Return the product of each vector, in the last axis, and a direction.

    It does not use `@`, whose threads wait busily for the next product.
    """
    return single(np.einsum("...j,j->...", vectors, direction))


def shifted(points: ArrayLike, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Return points shifted by an offset."""
    moved: Array = np.asarray(points) + np.array([x, y, z])
    return moved


def grid(points: Array, uvs: Array, paint: int, *, smooth: bool = False) -> Solid:
    """Return the surface over a net of points.

    Args:
        points: ... by h by w by 3; leading axes are separate surfaces.
        uvs: ... by h by w by 2.
        paint: number of the paint in the scene.
        smooth: whether it is shaded as if it were round.
    """
    p, t = np.asarray(points, np.float32), np.asarray(uvs, np.float32)
    t = np.broadcast_to(t, (*p.shape[:-1], 2))
    a, b, c, d = p[..., :-1, :-1, :], p[..., :-1, 1:, :], p[..., 1:, 1:, :], p[..., 1:, :-1, :]
    flat = _cross(c - a, d - b)
    if smooth:
        at = np.zeros_like(p)
        at[..., :-1, :-1, :] += flat
        at[..., :-1, 1:, :] += flat
        at[..., 1:, 1:, :] += flat
        at[..., 1:, :-1, :] += flat
        if np.allclose(p[..., 0, :], p[..., -1, :], atol=1e-4):
            seam = at[..., 0, :] + at[..., -1, :]
            at[..., 0, :], at[..., -1, :] = seam, seam
        corners = at[..., :-1, :-1, :], at[..., :-1, 1:, :], at[..., 1:, 1:, :], at[..., 1:, :-1, :]
    else:
        corners = flat, flat, flat, flat
    ta, tb, tc, td = t[..., :-1, :-1, :], t[..., :-1, 1:, :], t[..., 1:, 1:, :], t[..., 1:, :-1, :]

    def both(a: Array, b: Array, c: Array, d: Array, width: int) -> Array:
        one, other = np.stack([a, b, c], -2), np.stack([a, c, d], -2)
        return np.concatenate([one.reshape(-1, 3, width), other.reshape(-1, 3, width)])

    triangles = both(a, b, c, d, 3)
    count = len(triangles)
    return Solid(
        triangles,
        _unit(both(*corners, 3)),
        both(ta, tb, tc, td, 2),
        np.full(count, paint, np.int16),
        np.ones(count, np.float32),
    )


def _cross(a: Array, b: Array) -> Array:
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], -1)


def _unit(vectors: Array) -> Floats:
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return single(vectors / np.maximum(length, 1e-12))


def quads(
    corners: ArrayLike, sizes: Array | None, paint: int, cell: tuple[float, float] | None = None
) -> Solid:
    """Return flat pieces with four corners, the first two below.

    Args:
        corners: k by 4 by 3, around each piece.
        sizes: k by 2, along the first and the second edge; None to measure them.
        paint: number of the paint in the scene.
        cell: size of a cell of the paint's pattern, of which each piece gets a whole number; None for metres.
    """
    p = np.asarray(corners, np.float32).reshape(-1, 4, 3)
    if sizes is None:
        first, last = p[:, 1] - p[:, 0], p[:, 3] - p[:, 0]
        sizes = np.sqrt(np.stack([(first * first).sum(1), (last * last).sum(1)], 1))
    ends = (
        np.maximum(1, np.round(sizes / np.asarray(cell, np.float32)))
        if cell
        else np.asarray(sizes, np.float32)
    )
    uv = ends[:, None] * _UNIT
    count = len(p)
    normal = _unit(_cross(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1]))
    return Solid(
        np.concatenate([p[:, _ONE], p[:, _OTHER]]),
        np.tile(np.repeat(normal[:, None], 3, 1), (2, 1, 1)),
        np.concatenate([uv[:, _ONE], uv[:, _OTHER]]),
        np.full(2 * count, paint, np.int16),
        np.ones(2 * count, np.float32),
    )


_UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
_ONE, _OTHER = [0, 1, 2], [0, 2, 3]
_FRONT = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, -0.5, 1), (-0.5, -0.5, 1)]
_RIGHT = [(0.5, -0.5, 0), (0.5, 0.5, 0), (0.5, 0.5, 1), (0.5, -0.5, 1)]
_BACK = [(0.5, 0.5, 0), (-0.5, 0.5, 0), (-0.5, 0.5, 1), (0.5, 0.5, 1)]
_LEFT = [(-0.5, 0.5, 0), (-0.5, -0.5, 0), (-0.5, -0.5, 1), (-0.5, 0.5, 1)]
_AROUND = np.array([_FRONT, _RIGHT, _BACK, _LEFT], np.float32)
_LIDS = np.array(
    [
        [(-0.5, -0.5, 1), (0.5, -0.5, 1), (0.5, 0.5, 1), (-0.5, 0.5, 1)],
        [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)],
    ],
    np.float32,
)


def boxes(
    at: ArrayLike,
    sizes: ArrayLike,
    paint: int,
    top: int | None = None,
    cell: tuple[float, float] | None = None,
    tints: ArrayLike = 1.0,
) -> Solid:
    """Return upright boxes, each on the middle of its foot.

    Args:
        at: k by 3.
        sizes: k by 3, or 3 for all.
        paint: paint of the sides.
        top: paint of the top, if different.
        cell: cell of the sides' pattern, as in `quads`.
        tints: k factors of brightness, or one.
    """
    foot = np.asarray(at, np.float32).reshape(-1, 3)
    size = np.broadcast_to(np.asarray(sizes, np.float32), foot.shape)
    wide, deep, high = size.T
    lengths = np.stack([wide, high, deep, high, wide, high, deep, high], 1).reshape(-1, 2)
    around = quads(foot[:, None, None] + size[:, None, None] * _AROUND, lengths, paint, cell)
    flat = np.repeat(size[:, :2], 2, axis=0)
    lids = quads(foot[:, None, None] + size[:, None, None] * _LIDS, flat, paint if top is None else top)
    tint = np.broadcast_to(np.asarray(tints, np.float32), (len(foot),))
    solid = joined([around, lids])
    shades = np.concatenate([np.tile(np.repeat(tint, 4), 2), np.tile(np.repeat(tint, 2), 2)])
    return Solid(solid.points, solid.normals, solid.uvs, solid.paints, shades)


def lathe(
    profile: Sequence[tuple[float, float]],
    paint: int,
    *,
    sides: int = 16,
    smooth: bool = True,
    turn: float = 0.0,
    cell: tuple[float, float] | None = None,
) -> Solid:
    """Return a solid of revolution around the upright axis.

    Args:
        profile: radii and heights, from below.
        paint: number of the paint in the scene.
        sides: number of sides; few make a prism.
        smooth: whether it is shaded as if it were round.
        turn: starting angle in radians.
        cell: cell of the pattern, as in `quads`.
    """
    radius, height = np.array(profile, np.float32).T
    angle = np.linspace(0, 2 * math.pi, sides + 1, dtype=np.float32) + turn
    points = np.stack(
        [radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle), np.repeat(height[:, None], sides + 1, 1)], -1
    )  # fmt: skip
    along = np.concatenate([[0], np.cumsum(np.hypot(np.diff(radius), np.diff(height)))])
    around = np.linspace(0, 2 * math.pi * float(radius.max()), sides + 1)
    if cell:
        along = along * max(1, round(float(along[-1]) / cell[1])) / max(float(along[-1]), 1e-6)
        around = np.linspace(0, sides * max(1, round(float(around[-1]) / sides / cell[0])), sides + 1)
    uvs = np.stack(np.broadcast_arrays(around[None], along[:, None]), -1)
    if smooth:
        return grid(points, uvs, paint, smooth=True)
    # each side is a surface of its own
    strips = np.stack([points[:, :-1], points[:, 1:]], 2).transpose(1, 0, 2, 3)
    laid = np.stack([uvs[:, :-1], uvs[:, 1:]], 2).transpose(1, 0, 2, 3)
    return grid(strips, laid, paint)


def cylinder(radius: float, height: float, paint: int, *, sides: int = 12, top: float | None = None) -> Solid:
    """Return a round post; `top` is the upper radius, if different."""
    upper = radius if top is None else top
    return lathe([(radius, 0), (upper, height), (0, height)], paint, sides=sides)


def dome(
    radius: float, height: float, paint: int, *, sides: int = 20, steps: int = 7, onion: float = 0.0
) -> Solid:
    """Return a dome on a ring; `onion` makes it bulge."""
    profile = []
    for step in range(steps + 1):
        t = step / steps * math.pi / 2
        bulge = 1 + onion * math.sin(2 * t) * math.cos(t)
        profile.append((radius * math.cos(t) * bulge, height * math.sin(t)))
    return lathe(profile, paint, sides=sides)


def ball(radius: float, paint: int, *, sides: int = 12) -> Solid:
    """Return a sphere around the origin."""
    steps = max(4, sides // 2)
    angles = [math.pi * (step / steps - 0.5) for step in range(steps + 1)]
    return lathe([(radius * math.cos(a), radius * math.sin(a)) for a in angles], paint, sides=sides)


def beams(starts: ArrayLike, ends: ArrayLike, thick: ArrayLike, paint: int) -> Solid:
    """Return square bars between points, at any slant.

    Args:
        starts: k by 3.
        ends: k by 3.
        thick: one width, or k.
        paint: number of the paint in the scene.
    """
    a, b = np.asarray(starts, np.float32).reshape(-1, 3), np.asarray(ends, np.float32).reshape(-1, 3)
    along = _unit(b - a)
    upright = np.where(
        np.abs(along[:, 2:]) > 0.9, np.array([[1, 0, 0]], np.float32), np.array([[0, 0, 1]], np.float32)
    )
    side = _unit(_cross(along, upright))
    lift = _cross(side, along)
    half = np.broadcast_to(np.asarray(thick, np.float32) / 2, (len(a),))[:, None]
    ring = [side * s * half + lift * t * half for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
    points = np.stack([np.stack([a + r for r in ring], 1), np.stack([b + r for r in ring], 1)], 1)
    length = np.linalg.norm(b - a, axis=1)
    width = np.arange(5, dtype=np.float32)[None] * 2 * half
    uvs = np.stack(
        [
            np.stack([width, np.zeros_like(width)], -1),
            np.stack([width, np.repeat(length[:, None], 5, 1)], -1),
        ],
        1,
    )
    # each face is flat: strips of two columns
    strips = np.stack([points[:, :, :-1], points[:, :, 1:]], 3).swapaxes(1, 2)
    laid = np.stack([uvs[:, :, :-1], uvs[:, :, 1:]], 3).swapaxes(1, 2)
    return grid(strips, laid, paint)


def roof(
    wide: float,
    deep: float,
    high: float,
    paint: int,
    *,
    ridge: float = 0.5,
    curve: float = 1.0,
    lift: float = 0.0,
    steps: int = 6,
) -> Solid:
    """Return a roof over a rectangle around the origin.

    Args:
        wide: size along x, including the eaves.
        deep: size along y.
        high: height of the ridge over the eaves.
        paint: number of the paint in the scene.
        ridge: share of the ridge in the width: 0 is a pyramid, 1 a gable.
        curve: exponent of the slope; above 1 it sags.
        lift: rise of the corners.
        steps: number of steps; few suffice for straight roofs.
    """
    t = np.linspace(0, 1, steps + 1, dtype=np.float32)[:, None]
    s = np.linspace(-1, 1, 9 if lift else 3, dtype=np.float32)[None]
    x, y = wide / 2 * (1 - t + ridge * t), deep / 2 * (1 - t)
    z = high * t**curve + lift * (1 - t) ** 3 * np.abs(s) ** 5
    slope = math.hypot(deep / 2, high)
    long_side, short_side = (
        (np.broadcast_arrays(x * s, -y + 0 * s, z), np.broadcast_arrays(wide / 2 * s, slope * t)),
        (np.broadcast_arrays(x + 0 * s, y * s, z), np.broadcast_arrays(deep / 2 * s, slope * t)),
    )
    parts = []
    for points, laid in (long_side, short_side):
        one = grid(np.stack(points, -1), np.stack(laid, -1), paint, smooth=curve != 1)
        parts += [one, one.moved(turn=math.pi)]
    return joined(parts)


def arcade(
    bays: int, bay: float, opening: float, spring: float, high: float, deep: float, paint: int, *,
    rise: float = 1.0, inside: int | None = None,
) -> Solid:  # fmt: skip
    """Return a wall with arches, along x from the origin's middle, its foot at z = 0.

    Args:
        bays: number of arches.
        bay: distance between the middles of two piers.
        opening: width of an arch.
        spring: height at which the curve begins.
        high: height of the wall.
        deep: depth of the wall.
        paint: paint of the faces.
        rise: height of the arch, in half openings; above 1 it is pointed.
        inside: paint of the soffits.
    """
    a = np.linspace(math.pi, 0, 11, dtype=np.float32)
    x, z = opening / 2 * np.cos(a), spring + opening / 2 * rise * np.sin(a)
    bow = np.stack([np.concatenate([[-opening / 2], x, [opening / 2]]), np.concatenate([[0], z, [0]])], -1)
    faces: list[Solid] = []
    for y in (-deep / 2, deep / 2):
        over = np.stack(
            [
                np.stack([x, np.full_like(x, y), z], -1),
                np.stack([x, np.full_like(x, y), np.full_like(x, high)], -1),
            ]
        )
        faces.append(grid(over, over[..., ::2], paint))
        pier = (bay - opening) / 2
        if pier > 0:
            left = [
                [(-bay / 2, y, 0), (-opening / 2, y, 0), (-opening / 2, y, high), (-bay / 2, y, high)],
                [(opening / 2, y, 0), (bay / 2, y, 0), (bay / 2, y, high), (opening / 2, y, high)],
            ]
            faces.append(quads(left, None, paint))
    soffit = np.stack(
        [np.stack([bow[:, 0], np.full(len(bow), y), bow[:, 1]], -1) for y in (-deep / 2, deep / 2)]
    )
    laid = np.stack(
        np.broadcast_arrays(np.linspace(0, spring * 2 + opening, len(bow)), np.array([[0], [deep]])), -1
    )
    faces.append(grid(soffit, laid, paint if inside is None else inside))
    top = [
        (-bay / 2, -deep / 2, high),
        (bay / 2, -deep / 2, high),
        (bay / 2, deep / 2, high),
        (-bay / 2, deep / 2, high),
    ]
    faces.append(quads([top], None, paint))
    one = joined(faces)
    at = [((n - (bays - 1) / 2) * bay, 0, 0) for n in range(bays)]
    return one.copied(at)


def stairs(wide: float, steps: int, tread: float, rise: float, paint: int) -> Solid:
    """Return steps up towards +y; the far edge of the highest one is at y = 0."""
    at = [(0, -(steps - n - 0.5) * tread - 0.0, 0) for n in range(steps)]
    sizes = [(wide, tread, rise * (n + 1)) for n in range(steps)]
    return boxes(at, sizes, paint)


_CLUMPED = 400


def leaves(
    chance: np.random.Generator, count: int, radii: tuple[float, float, float], size: float, paint: int
) -> Solid:
    """Return a cloud of leaves within an ellipsoid around the origin.

    They are small triangles, shaded as if the cloud were round.
    """
    direction = _unit(chance.standard_normal((count, 3)).astype(np.float32))
    depth = chance.random((count, 1), np.float32) ** 0.45
    place = direction * depth
    if count >= _CLUMPED:
        # leaves grow around the ends of boughs
        ends = _unit(chance.standard_normal((count // 50, 3)).astype(np.float32)) * (
            0.45 + 0.45 * chance.random((count // 50, 1), np.float32)
        )
        place = ends[chance.integers(0, len(ends), count)] + place * np.float32(0.4)
        depth = np.minimum(np.sqrt(np.einsum("ij,ij->i", place, place))[:, None], 1)
        direction = _unit(place)
    centre = place * np.asarray(radii, np.float32)
    corner = chance.standard_normal((count, 3, 3)).astype(np.float32) * size
    normal = _unit(direction / np.asarray(radii, np.float32) * max(radii) + 0.7 * _unit(corner[:, 0]))
    tint = 0.72 + 0.45 * depth[:, 0] * (0.7 + 0.5 * chance.random(count, np.float32))
    return Solid(
        (centre[:, None] + corner).astype(np.float32),
        np.repeat(normal[:, None], 3, 1),
        (corner[..., :2] + centre[:, None, :2]).astype(np.float32),
        np.full(count, paint, np.int16),
        tint.astype(np.float32),
    )


def terrain(x: Array, y: Array, height: Array, paint: int) -> Solid:
    """Return ground over a net: x has w places, y has h, the heights are h by w."""
    across, along = np.meshgrid(x, y)
    points = np.stack([across, along, height], -1)
    return grid(points, points[..., :2], paint, smooth=True)
