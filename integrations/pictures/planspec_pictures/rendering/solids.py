"""Solids of triangles, and the shapes from which scenes are built. Lengths are in metres; z points up."""

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
        points: positions of the corners, n by 3 by 3.
        normals: normals at the corners, n by 3 by 3. They are equal for a flat triangle.
        uvs: surface coordinates of the corners in metres or in cells of a pattern, n by 3 by 2.
        paints: number of the paint in the scene, n.
        tints: factor of the paint's brightness for each triangle, n.
    """

    points: Floats
    normals: Floats
    uvs: Floats
    paints: NDArray[np.int16]
    tints: Floats

    def __len__(self) -> int:
        return len(self.points)

    def transform(self, x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: float = 0.0, scale: float = 1.0) -> Solid:
        """Return the solid turned around the z axis by `turn` radians, scaled, and then shifted."""
        return self.copies_at([(x, y, z)], [turn], [scale])

    def copies_at(
        self, positions: ArrayLike, turns: ArrayLike = 0.0, scales: ArrayLike = 1.0, tints: ArrayLike = 1.0
    ) -> Solid:
        """Return copies of the solid at k positions, joined into one.

        Args:
            positions: positions, k by 3.
            turns: angles around the z axis in radians, k or one for all.
            scales: factors of size, k or one for all, or k by 3 for factors along each axis.
            tints: factors of brightness, k or one for all.
        """
        targets = np.asarray(positions, np.float32).reshape(-1, 3)
        k = len(targets)
        angle = np.broadcast_to(np.asarray(turns, np.float32), (k,))
        factors = np.asarray(scales, np.float32)
        factors = np.broadcast_to(factors[:, None] if factors.ndim == 1 else factors, (k, 3))
        cosine, sine = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]

        def rotate(vectors: Floats) -> Floats:
            x, y, z = vectors[..., 0], vectors[..., 1], vectors[..., 2]
            return np.stack([x * cosine - y * sine, x * sine + y * cosine, z], -1)

        points = rotate(self.points[None] * factors[:, None, None]) + targets[:, None, None]
        normals = rotate(self.normals[None] / factors[:, None, None])
        tinted = self.tints[None] * np.broadcast_to(np.asarray(tints, np.float32), (k,))[:, None]
        return Solid(
            points.reshape(-1, 3, 3),
            _normalize(normals.reshape(-1, 3, 3)),
            np.tile(self.uvs, (k, 1, 1)),
            np.tile(self.paints, k),
            tinted.reshape(-1),
        )


def join_solids(solids: Iterable[Solid]) -> Solid:
    """Join solids into one."""
    parts = list(solids)
    return Solid(
        np.concatenate([one.points for one in parts]),
        np.concatenate([one.normals for one in parts]),
        np.concatenate([one.uvs for one in parts]),
        np.concatenate([one.paints for one in parts]),
        np.concatenate([one.tints for one in parts]),
    )


def as_float32(numbers: ArrayLike) -> Floats:
    """Return numbers as an array of 32-bit floats."""
    result: Floats = np.asarray(numbers, np.float32)
    return result


def row_dots(one: Array, other: Array) -> Floats:
    """Return the dot product of each row of one array with the same row of another."""
    return as_float32(np.einsum("ij,ij->i", one, other))


def dot_with(vectors: Array, direction: Array) -> Floats:
    """Return the dot product of each vector, in the last axis, with a direction.

    Unlike `@`, it does not start threads that keep the processor busy while they wait.
    """
    return as_float32(np.einsum("...j,j->...", vectors, direction))


def shift_points(points: ArrayLike, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Return points shifted by an offset."""
    moved: Array = np.asarray(points) + np.array([x, y, z])
    return moved


def grid(points: Array, uvs: Array, paint: int, *, smooth: bool = False) -> Solid:
    """Return the surface through a grid of points.

    Args:
        points: positions, ... by h by w by 3. Leading axes are separate surfaces.
        uvs: surface coordinates, ... by h by w by 2.
        paint: number of the paint in the scene.
        smooth: whether to shade the surface smoothly instead of faceted.
    """
    p, t = np.asarray(points, np.float32), np.asarray(uvs, np.float32)
    t = np.broadcast_to(t, (*p.shape[:-1], 2))
    a, b, c, d = p[..., :-1, :-1, :], p[..., :-1, 1:, :], p[..., 1:, 1:, :], p[..., 1:, :-1, :]
    flat = _cross_product(c - a, d - b)
    if smooth:
        vertex_normals = np.zeros_like(p)
        vertex_normals[..., :-1, :-1, :] += flat
        vertex_normals[..., :-1, 1:, :] += flat
        vertex_normals[..., 1:, 1:, :] += flat
        vertex_normals[..., 1:, :-1, :] += flat
        if np.allclose(p[..., 0, :], p[..., -1, :], atol=1e-4):
            seam = vertex_normals[..., 0, :] + vertex_normals[..., -1, :]
            vertex_normals[..., 0, :], vertex_normals[..., -1, :] = seam, seam
        corners = (
            vertex_normals[..., :-1, :-1, :],
            vertex_normals[..., :-1, 1:, :],
            vertex_normals[..., 1:, 1:, :],
            vertex_normals[..., 1:, :-1, :],
        )
    else:
        corners = flat, flat, flat, flat
    ta, tb, tc, td = t[..., :-1, :-1, :], t[..., :-1, 1:, :], t[..., 1:, 1:, :], t[..., 1:, :-1, :]

    def split_quads(a: Array, b: Array, c: Array, d: Array, width: int) -> Array:
        one, other = np.stack([a, b, c], -2), np.stack([a, c, d], -2)
        return np.concatenate([one.reshape(-1, 3, width), other.reshape(-1, 3, width)])

    triangles = split_quads(a, b, c, d, 3)
    count = len(triangles)
    return Solid(
        triangles,
        _normalize(split_quads(*corners, 3)),
        split_quads(ta, tb, tc, td, 2),
        np.full(count, paint, np.int16),
        np.ones(count, np.float32),
    )


def _cross_product(a: Array, b: Array) -> Array:
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], -1)


def _normalize(vectors: Array) -> Floats:
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return as_float32(vectors / np.maximum(length, 1e-12))


def quads(corners: ArrayLike, sizes: Array | None, paint: int, cell: tuple[float, float] | None = None) -> Solid:
    """Return flat quadrilaterals.

    Args:
        corners: corners of each quadrilateral in order around it, k by 4 by 3. The first edge is the lower one.
        sizes: lengths along the first and the second edge, k by 2; None to measure them.
        paint: number of the paint in the scene.
        cell: size of a cell of the paint's pattern, rounded so that whole cells fit; None for a pattern in
            metres.
    """
    p = np.asarray(corners, np.float32).reshape(-1, 4, 3)
    if sizes is None:
        first, last = p[:, 1] - p[:, 0], p[:, 3] - p[:, 0]
        sizes = np.sqrt(np.stack([(first * first).sum(1), (last * last).sum(1)], 1))
    ends = np.maximum(1, np.round(sizes / np.asarray(cell, np.float32))) if cell else np.asarray(sizes, np.float32)
    uv = ends[:, None] * _UNIT_SQUARE
    count = len(p)
    normal = _normalize(_cross_product(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1]))
    return Solid(
        np.concatenate([p[:, _FIRST_TRIANGLE], p[:, _SECOND_TRIANGLE]]),
        np.tile(np.repeat(normal[:, None], 3, 1), (2, 1, 1)),
        np.concatenate([uv[:, _FIRST_TRIANGLE], uv[:, _SECOND_TRIANGLE]]),
        np.full(2 * count, paint, np.int16),
        np.ones(2 * count, np.float32),
    )


_UNIT_SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
_FIRST_TRIANGLE, _SECOND_TRIANGLE = [0, 1, 2], [0, 2, 3]
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
    positions: ArrayLike,
    sizes: ArrayLike,
    paint: int,
    top: int | None = None,
    cell: tuple[float, float] | None = None,
    tints: ArrayLike = 1.0,
) -> Solid:
    """Return upright boxes.

    Args:
        positions: centres of the bottom faces, k by 3.
        sizes: sizes along x, y and z, k by 3 or 3 for all.
        paint: paint of the sides.
        top: paint of the top and bottom; None to use the paint of the sides.
        cell: size of a cell of the sides' pattern; see `quads`.
        tints: factors of brightness, k or one for all.
    """
    foot = np.asarray(positions, np.float32).reshape(-1, 3)
    size = np.broadcast_to(np.asarray(sizes, np.float32), foot.shape)
    width, depth, height = size.T
    lengths = np.stack([width, height, depth, height, width, height, depth, height], 1).reshape(-1, 2)
    around = quads(foot[:, None, None] + size[:, None, None] * _AROUND, lengths, paint, cell)
    flat = np.repeat(size[:, :2], 2, axis=0)
    lids = quads(foot[:, None, None] + size[:, None, None] * _LIDS, flat, paint if top is None else top)
    tint = np.broadcast_to(np.asarray(tints, np.float32), (len(foot),))
    solid = join_solids([around, lids])
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
    """Return a solid of revolution around the z axis.

    Args:
        profile: pairs of radius and height, from the bottom up.
        paint: number of the paint in the scene.
        sides: number of sides; a small number gives a prism.
        smooth: whether to shade the solid smoothly instead of faceted.
        turn: starting angle in radians.
        cell: size of a cell of the paint's pattern; see `quads`.
    """
    radius, height = np.array(profile, np.float32).T
    angle = np.linspace(0, 2 * math.pi, sides + 1, dtype=np.float32) + turn
    points = np.stack(
        [radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle), np.repeat(height[:, None], sides + 1, 1)], -1
    )
    along = np.concatenate([[0], np.cumsum(np.hypot(np.diff(radius), np.diff(height)))])
    around = np.linspace(0, 2 * math.pi * float(radius.max()), sides + 1)
    if cell:
        along = along * max(1, round(float(along[-1]) / cell[1])) / max(float(along[-1]), 1e-6)
        around = np.linspace(0, sides * max(1, round(float(around[-1]) / sides / cell[0])), sides + 1)
    uvs = np.stack(np.broadcast_arrays(around[None], along[:, None]), -1)
    if smooth:
        return grid(points, uvs, paint, smooth=True)
    # each side is a separate surface
    strips = np.stack([points[:, :-1], points[:, 1:]], 2).transpose(1, 0, 2, 3)
    strip_uvs = np.stack([uvs[:, :-1], uvs[:, 1:]], 2).transpose(1, 0, 2, 3)
    return grid(strips, strip_uvs, paint)


def cylinder(radius: float, height: float, paint: int, *, sides: int = 12, top: float | None = None) -> Solid:
    """Return a round post. `top` is its upper radius; None if that equals `radius`."""
    upper = radius if top is None else top
    return lathe([(radius, 0), (upper, height), (0, height)], paint, sides=sides)


def dome(radius: float, height: float, paint: int, *, sides: int = 20, steps: int = 7, onion: float = 0.0) -> Solid:
    """Return a dome. If `onion` is above 0, it bulges like an onion."""
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


def beams(starts: ArrayLike, ends: ArrayLike, thickness: ArrayLike, paint: int) -> Solid:
    """Return bars with a square section between pairs of points.

    Args:
        starts: starting points, k by 3.
        ends: end points, k by 3.
        thickness: width of the section, k or one for all.
        paint: number of the paint in the scene.
    """
    a, b = np.asarray(starts, np.float32).reshape(-1, 3), np.asarray(ends, np.float32).reshape(-1, 3)
    along = _normalize(b - a)
    upright = np.where(np.abs(along[:, 2:]) > 0.9, np.array([[1, 0, 0]], np.float32), np.array([[0, 0, 1]], np.float32))
    side = _normalize(_cross_product(along, upright))
    lift = _cross_product(side, along)
    half = np.broadcast_to(np.asarray(thickness, np.float32) / 2, (len(a),))[:, None]
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
    # each face is flat: a separate strip of two columns
    strips = np.stack([points[:, :, :-1], points[:, :, 1:]], 3).swapaxes(1, 2)
    strip_uvs = np.stack([uvs[:, :, :-1], uvs[:, :, 1:]], 3).swapaxes(1, 2)
    return grid(strips, strip_uvs, paint)


def roof(
    width: float,
    depth: float,
    height: float,
    paint: int,
    *,
    ridge: float = 0.5,
    curve: float = 1.0,
    lift: float = 0.0,
    steps: int = 6,
) -> Solid:
    """Return a roof over a rectangle that is centred on the origin.

    Args:
        width: size along x, including the eaves.
        depth: size along y.
        height: height of the ridge above the eaves.
        paint: number of the paint in the scene.
        ridge: length of the ridge as a share of the width; 0 makes a pyramid, 1 a gable roof.
        curve: exponent of the slope; above 1 the roof sags.
        lift: rise of the corners.
        steps: number of steps up the slope; straight roofs need few.
    """
    t = np.linspace(0, 1, steps + 1, dtype=np.float32)[:, None]
    s = np.linspace(-1, 1, 9 if lift else 3, dtype=np.float32)[None]
    x, y = width / 2 * (1 - t + ridge * t), depth / 2 * (1 - t)
    z = height * t**curve + lift * (1 - t) ** 3 * np.abs(s) ** 5
    slope = math.hypot(depth / 2, height)
    long_side, short_side = (
        (np.broadcast_arrays(x * s, -y + 0 * s, z), np.broadcast_arrays(width / 2 * s, slope * t)),
        (np.broadcast_arrays(x + 0 * s, y * s, z), np.broadcast_arrays(depth / 2 * s, slope * t)),
    )
    parts = []
    for points, strip_uvs in (long_side, short_side):
        one = grid(np.stack(points, -1), np.stack(strip_uvs, -1), paint, smooth=curve != 1)
        parts += [one, one.transform(turn=math.pi)]
    return join_solids(parts)


def arcade(
    bays: int,
    bay: float,
    opening: float,
    spring: float,
    height: float,
    depth: float,
    paint: int,
    *,
    rise: float = 1.0,
    inside: int | None = None,
) -> Solid:
    """Return a wall with arches along x. Its centre is at the origin, its foot at z = 0.

    Args:
        bays: number of arches.
        bay: distance between the centres of two piers.
        opening: width of an arch.
        spring: height at which the curve begins.
        height: height of the wall.
        depth: depth of the wall.
        paint: paint of the faces.
        rise: height of the curve in half openings; above 1 the arch is pointed.
        inside: paint of the undersides; None to use the paint of the faces.
    """
    a = np.linspace(math.pi, 0, 11, dtype=np.float32)
    x, z = opening / 2 * np.cos(a), spring + opening / 2 * rise * np.sin(a)
    bow = np.stack([np.concatenate([[-opening / 2], x, [opening / 2]]), np.concatenate([[0], z, [0]])], -1)
    faces: list[Solid] = []
    for y in (-depth / 2, depth / 2):
        over = np.stack(
            [
                np.stack([x, np.full_like(x, y), z], -1),
                np.stack([x, np.full_like(x, y), np.full_like(x, height)], -1),
            ]
        )
        faces.append(grid(over, over[..., ::2], paint))
        pier = (bay - opening) / 2
        if pier > 0:
            left = [
                [(-bay / 2, y, 0), (-opening / 2, y, 0), (-opening / 2, y, height), (-bay / 2, y, height)],
                [(opening / 2, y, 0), (bay / 2, y, 0), (bay / 2, y, height), (opening / 2, y, height)],
            ]
            faces.append(quads(left, None, paint))
    soffit = np.stack([np.stack([bow[:, 0], np.full(len(bow), y), bow[:, 1]], -1) for y in (-depth / 2, depth / 2)])
    strip_uvs = np.stack(
        np.broadcast_arrays(np.linspace(0, spring * 2 + opening, len(bow)), np.array([[0], [depth]])), -1
    )
    faces.append(grid(soffit, strip_uvs, paint if inside is None else inside))
    top = [
        (-bay / 2, -depth / 2, height),
        (bay / 2, -depth / 2, height),
        (bay / 2, depth / 2, height),
        (-bay / 2, depth / 2, height),
    ]
    faces.append(quads([top], None, paint))
    one = join_solids(faces)
    positions = [((n - (bays - 1) / 2) * bay, 0, 0) for n in range(bays)]
    return one.copies_at(positions)


def stairs(width: float, steps: int, tread: float, rise: float, paint: int) -> Solid:
    """Return stairs that go up towards +y. The far edge of the highest step is at y = 0."""
    positions = [(0, -(steps - n - 0.5) * tread - 0.0, 0) for n in range(steps)]
    sizes = [(width, tread, rise * (n + 1)) for n in range(steps)]
    return boxes(positions, sizes, paint)


_MIN_CLUMPED = 400


def leaves(
    chance: np.random.Generator, count: int, radii: tuple[float, float, float], size: float, paint: int
) -> Solid:
    """Return leaves in an ellipsoid around the origin.

    The leaves are small triangles. Their normals make the ellipsoid look round.
    """
    direction = _normalize(chance.standard_normal((count, 3)).astype(np.float32))
    depth = chance.random((count, 1), np.float32) ** 0.45
    place = direction * depth
    if count >= _MIN_CLUMPED:
        # leaves gather around the ends of boughs
        ends = _normalize(chance.standard_normal((count // 50, 3)).astype(np.float32)) * (
            0.45 + 0.45 * chance.random((count // 50, 1), np.float32)
        )
        place = ends[chance.integers(0, len(ends), count)] + place * np.float32(0.4)
        depth = np.minimum(np.sqrt(np.einsum("ij,ij->i", place, place))[:, None], 1)
        direction = _normalize(place)
    centre = place * np.asarray(radii, np.float32)
    corner = chance.standard_normal((count, 3, 3)).astype(np.float32) * size
    normal = _normalize(direction / np.asarray(radii, np.float32) * max(radii) + 0.7 * _normalize(corner[:, 0]))
    tint = 0.72 + 0.45 * depth[:, 0] * (0.7 + 0.5 * chance.random(count, np.float32))
    return Solid(
        (centre[:, None] + corner).astype(np.float32),
        np.repeat(normal[:, None], 3, 1),
        (corner[..., :2] + centre[:, None, :2]).astype(np.float32),
        np.full(count, paint, np.int16),
        tint.astype(np.float32),
    )


def terrain(x: Array, y: Array, height: Array, paint: int) -> Solid:
    """Return hilly ground.

    Args:
        x: the w x-coordinates.
        y: the h y-coordinates.
        height: heights of the ground, an array of shape (h, w).
        paint: number of the paint in the scene.
    """
    across, along = np.meshgrid(x, y)
    points = np.stack([across, along, height], -1)
    return grid(points, points[..., :2], paint, smooth=True)
