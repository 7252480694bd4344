"""Shading of the points that rays hit: patterns of paints, and light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planspec_pictures.rendering.light import Light, add_haze, sky_colour
from planspec_pictures.rendering.noise import cloud_noise, grain_noise, hash_to_unit, sample_texture
from planspec_pictures.rendering.paints import PaintTable, Pattern
from planspec_pictures.rendering.solids import Array, Floats, Solid, as_float32, dot_with, row_dots
from planspec_pictures.rendering.tracing import Hits, Tracer


@dataclass(frozen=True, eq=False, slots=True)
class Stage:
    """A scene with its light, prepared for tracing rays."""

    solid: Solid
    tracer: Tracer
    paints: PaintTable
    light: Light
    indoors: bool


@dataclass(eq=False, slots=True)
class _HitPoints:
    """Points hit by rays. Each attribute has a row for each point.

    Attributes:
        position: position in metres.
        direction: direction of the ray.
        normal: normal of the surface, towards the eye.
        uv: coordinates on the surface.
        paint: number of the paint.
        distance: distance from the origin of the ray, in metres.
        footprint: size of a pixel on the surface, in metres.
        colour: reflected share of the light.
        shine: strength of reflections.
        glow: emitted light.
        mirror: whether reflections are traced.
        noise: coarse noise at the point.
    """

    position: Floats
    direction: Floats
    normal: Floats
    uv: Floats
    paint: NDArray[np.int16]
    distance: Floats
    footprint: Floats
    colour: Floats
    shine: Floats
    glow: Floats
    mirror: NDArray[np.bool_]
    noise: Floats


@dataclass(frozen=True, eq=False, slots=True)
class TracedRays:
    """Results of tracing rays.

    Attributes:
        colour: light along each ray, n by 3.
        triangle: first triangle that each ray hits, n; -1 for the sky.
        distance: distance in metres, n; `FAR` for the sky.
    """

    colour: Floats
    triangle: NDArray[np.int32]
    distance: Floats


FAR = 1e5


_RAY_OFFSET = 0.012


def trace(
    stage: Stage,
    origins: Floats,
    directions: Floats,
    pixel: float,
    sky_visibility: Floats | None = None,
    depth: int = 0,
    first_hits: Hits | None = None,
) -> TracedRays:
    """Trace rays and return the light along them.

    Args:
        stage: lit scene.
        origins: origins of the rays, n by 3.
        directions: directions of the rays, n by 3, of length 1.
        pixel: angle of a pixel, in radians.
        sky_visibility: share of the sky that is visible where each ray ends, n; None for the whole sky.
        depth: number of reflections so far.
        first_hits: hits of the rays if they are already traced; None to trace them.
    """
    light = stage.light
    triangle, u, v, distance = stage.tracer.first_hits(origins, directions) if first_hits is None else first_hits
    is_hit = triangle >= 0
    colour = np.empty((len(origins), 3), np.float32)
    is_sky = ~is_hit
    if is_sky.any():
        colour[is_sky] = sky_colour(light, directions[is_sky])
    if is_hit.any():
        points = _make_hit_points(
            stage,
            origins[is_hit],
            directions[is_hit],
            triangle[is_hit],
            u[is_hit],
            v[is_hit],
            distance[is_hit],
            pixel,
        )
        _apply_paints(points, stage)
        shaded = _shade(points, stage, None if sky_visibility is None else sky_visibility[is_hit], depth)
        if depth == 0 and points.mirror.any():
            shaded = _add_reflections(shaded, points, stage, pixel)
        colour[is_hit] = add_haze(light, shaded, points.direction, points.distance)
    return TracedRays(colour, triangle, np.where(is_hit, distance, FAR).astype(np.float32))


def _make_hit_points(
    stage: Stage,
    origins: Floats,
    directions: Floats,
    triangle: NDArray[np.int32],
    u: Floats,
    v: Floats,
    distance: Floats,
    pixel: float,
) -> _HitPoints:
    solid = stage.solid
    weights = np.stack([1 - u - v, u, v], 1)
    normal = np.einsum("nij,ni->nj", solid.normals[triangle], weights)
    normal /= np.maximum(np.sqrt(row_dots(normal, normal)), 1e-6)[:, None]
    facing = row_dots(normal, directions)
    normal *= np.where(facing > 0, np.float32(-1), np.float32(1))[:, None]
    paint = solid.paints[triangle]
    table = stage.paints
    colour = table.colour[paint] * solid.tints[triangle][:, None]
    count = len(paint)
    return _HitPoints(
        position=origins + directions * distance[:, None],
        direction=directions,
        normal=normal,
        uv=np.einsum("nij,ni->nj", solid.uvs[triangle], weights),
        paint=paint,
        distance=distance,
        footprint=(distance * np.float32(pixel) / np.maximum(np.abs(facing), 0.12)).astype(np.float32),
        colour=colour.astype(np.float32),
        shine=table.shine[paint],
        glow=table.glow[paint] * np.maximum(table.glows_by_day[paint], stage.light.lit_share)[:, None],
        mirror=np.zeros(count, bool),
        noise=np.zeros(count, np.float32),
    )


# ------------------------------------------------------------------ patterns


def _apply_paints(points: _HitPoints, stage: Stage) -> None:
    """Set the colours of the points by patterns, blotches and grain. Details smaller than a pixel fade out."""
    table, light = stage.paints, stage.light
    # blotches vary along the height of walls, and in both directions on floors and hills
    flat = np.abs(points.normal[:, 2]) > 0.5
    along = np.where(flat, points.position[:, 0], points.position[:, 0] + points.position[:, 1])
    across = np.where(flat, points.position[:, 1], points.position[:, 2])
    coarse = sample_texture(cloud_noise(), along / 23, across / 23)
    fine = sample_texture(grain_noise(), along / 2.7, across / 2.7)
    points.noise = coarse
    seen_fine = np.clip(1.2 - points.footprint * 9, 0, 1)
    amount = table.blotches[points.paint]
    factor = 1 + amount * ((coarse - 0.5) * 0.9 + (fine - 0.5) * 0.9 * seen_fine)
    points.colour *= factor[:, None]
    pattern = table.pattern[points.paint]
    for kind, apply_pattern in _PATTERNS.items():
        chosen = np.flatnonzero(pattern == kind)
        if len(chosen):
            apply_pattern(points, chosen, stage)
    if light.has_snow:
        lying = np.clip((points.normal[:, 2] - 0.45) * 3, 0, 1) * np.clip(coarse * 1.5 + fine * 0.6, 0, 1)
        lying = np.where(pattern == Pattern.WATER, 0, lying)[:, None].astype(np.float32)
        points.colour += (np.float32(0.82) - points.colour) * lying
    if light.is_wet:
        ground = (
            (points.normal[:, 2] > 0.85)
            & (pattern != Pattern.LEAVES)
            & (pattern != Pattern.GRASS)
            & (points.position[:, 2] < 1)
        )
        points.colour = np.where(ground[:, None], points.colour * 0.5, points.colour * 0.85)
        puddle = np.clip((coarse - 0.35) * 3, 0.15, 1)
        points.shine = np.where(ground, 0.5 * puddle, points.shine).astype(np.float32)
        points.mirror |= ground & (points.distance < 60)


def _pattern_visibility(points: _HitPoints, rows: Array, size: Array | float) -> Floats:
    """Return the visibility of a pattern, from 0 (cells smaller than a pixel) to 1 (cells much larger than a pixel)."""
    return as_float32(np.clip(1.6 - 1.8 * points.footprint[rows] / size, 0, 1))


def _select(mask: Array, one: float, other: float) -> Floats:
    return np.where(mask, np.float32(one), np.float32(other))


def _blend(points: _HitPoints, rows: Array, colour: Array, share: Array) -> None:
    points.colour[rows] += (colour - points.colour[rows]) * share[:, None]


def _paint_bricks(points: _HitPoints, rows: Array, stage: Stage) -> None:
    paint = points.paint[rows]
    size, mortar = stage.paints.size[paint], stage.paints.second[paint]
    row = np.floor(points.uv[rows, 1] / size)
    x = points.uv[rows, 0] / (size * 2.3) + 0.5 * (row % 2)
    column = np.floor(x)
    shade = hash_to_unit(column, row)
    fade = _pattern_visibility(points, rows, size)
    points.colour[rows] *= (1 + (shade - 0.5) * 0.5 * fade)[:, None]
    joint = ((x - column) < 0.06) | ((points.uv[rows, 1] / size - row) < 0.13)
    _blend(points, rows, mortar, _select(joint, 0.75, 0.0) * fade + 0.12 * (1 - fade))


def _paint_planks(points: _HitPoints, rows: Array, stage: Stage) -> None:
    paint = points.paint[rows]
    size, joints = stage.paints.size[paint], stage.paints.second[paint]
    x = points.uv[rows, 0] / size
    column = np.floor(x)
    fade = _pattern_visibility(points, rows, size)
    points.colour[rows] *= (1 + (hash_to_unit(column, column) - 0.5) * 0.4 * fade)[:, None]
    _blend(points, rows, joints, np.where((x - column) < 0.09, 0.8, 0.0) * fade)


def _paint_tiles(points: _HitPoints, rows: Array, stage: Stage) -> None:
    paint = points.paint[rows]
    size = stage.paints.size[paint]
    x, y = points.uv[rows, 0] / size, points.uv[rows, 1] / (size * 1.2)
    fade = _pattern_visibility(points, rows, size)
    wave = np.abs((x % 1) - 0.5) * 2
    points.colour[rows] *= (1 + fade * (0.5 * wave - 0.32 + 0.22 * ((y % 1) - 0.5)))[:, None]
    points.colour[rows] *= (1 + (hash_to_unit(np.floor(x), np.floor(y)) - 0.5) * 0.35 * fade)[:, None]


def _paint_paving(points: _HitPoints, rows: Array, stage: Stage) -> None:
    paint = points.paint[rows]
    size, joints = stage.paints.size[paint], stage.paints.second[paint]
    x, y = points.uv[rows, 0] / size, points.uv[rows, 1] / size
    i, j = np.floor(x), np.floor(y)
    fade = _pattern_visibility(points, rows, size)
    points.colour[rows] *= (1 + (hash_to_unit(i, j) - 0.5) * 0.3 * fade)[:, None]
    joint = ((x - i) < 0.045) | ((y - j) < 0.045)
    _blend(points, rows, joints, _select(joint, 0.65, 0.0) * fade)


def _paint_road(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint asphalt along x with a broken line in its middle, where v is 0."""
    paint = points.paint[rows]
    mark = stage.paints.second[paint]
    u, v = points.uv[rows, 0], points.uv[rows, 1]
    width = stage.paints.size[paint]
    line = (np.abs(v) < 0.09) & ((u % 6) < 3)
    line |= np.abs(np.abs(v) - (width / 2 - 0.35)) < 0.07
    _blend(points, rows, mark, _select(line, 0.85, 0.0) * _pattern_visibility(points, rows, 0.3))


def _paint_grass(points: _HitPoints, rows: Array, stage: Stage) -> None:
    x, y = points.position[rows, 0], points.position[rows, 1]
    patch = sample_texture(cloud_noise(), x / 61, y / 61)
    blade = sample_texture(grain_noise(), x * 1.3, y * 1.3)
    _blend(points, rows, stage.paints.second[points.paint[rows]], np.clip((patch - 0.3) * 1.4, 0, 1))
    near = np.clip(1.3 - points.footprint[rows] * 22, 0, 1)
    points.colour[rows] *= (1 + near * (blade - 0.5) * 0.9)[:, None]


def _paint_rock(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint steep parts as stone, and flat parts in the second colour, as if overgrown."""
    x, y, z = points.position[rows].T
    vein = sample_texture(cloud_noise(), (x + y * 0.4) / 37, z / 19)
    fine = sample_texture(grain_noise(), (x + y) / 9, (z + y * 0.5) / 9)
    flat = np.clip((points.normal[rows, 2] - 0.62 + (vein - 0.5) * 0.5) * 4, 0, 1)
    points.colour[rows] *= (0.72 + 0.56 * vein * (0.5 + fine))[:, None]
    _blend(points, rows, stage.paints.second[points.paint[rows]] * (0.75 + 0.5 * fine)[:, None], flat)


def _paint_leaves(points: _HitPoints, rows: Array, stage: Stage) -> None:
    leaf = sample_texture(
        grain_noise(),
        points.position[rows, 0] / 1.3 + points.position[rows, 2] / 3,
        points.position[rows, 1] / 1.3,
    )
    points.colour[rows] *= (0.7 + 0.6 * leaf)[:, None]
    _blend(points, rows, stage.paints.second[points.paint[rows]], np.clip(leaf - 0.62, 0, 1))


def _paint_stripes(points: _HitPoints, rows: Array, stage: Stage) -> None:
    paint = points.paint[rows]
    x = points.uv[rows, 0] / stage.paints.size[paint]
    _blend(points, rows, stage.paints.second[paint], ((x % 1) < stage.paints.detail[paint, 0]).astype(np.float32))


def _paint_lattice(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint a wooden lattice over paper. A panel has size 1 in u and v."""
    paint = points.paint[rows]
    u, v = points.uv[rows, 0] % 1, points.uv[rows, 1] % 1
    inner = (u > 0.12) & (u < 0.88) & (v > 0.36) & (v < 0.9)
    bars = (((u - 0.12) * 8 % 1) < 0.3) | (((v - 0.36) * 11 % 1) < 0.3)
    paper = inner & ~bars
    second = stage.paints.second[paint]
    _blend(points, rows, second, np.where(paper, 0.9, _select(inner, 0.25, 0.0)))
    points.glow[rows] *= _select(paper, 1.0, 0.03)[:, None]


def _paint_windows(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint a wall with windows, one per unit of u and v. The frames have the paint's second colour."""
    paint = points.paint[rows]
    table, light = stage.paints, stage.light
    u, v = points.uv[rows, 0], points.uv[rows, 1]
    i, j = np.floor(u), np.floor(v)
    x, y = u - i - 0.5, v - j - 0.5
    width, height, seed = table.detail[paint, 0] / 2, table.detail[paint, 1] / 2, table.detail[paint, 2]
    frame = np.float32(0.045)
    outer = (np.abs(x) < width + frame) & (np.abs(y) < height + frame)
    inner = (np.abs(x) < width) & (np.abs(y) < height) & (np.abs(x) > 0.018) & (np.abs(y - height * 0.3) > 0.02)
    sill = (np.abs(x) < width + frame * 1.6) & (y < -height) & (y > -height - 0.09)
    fade = _pattern_visibility(points, rows, table.size[paint])
    share = 4 * width * height
    second = table.second[paint]
    _blend(points, rows, second, _select(outer & ~inner, 0.9, 0.0) * fade)
    _blend(points, rows, second * 1.15, _select(sill & ~outer, 0.8, 0.0) * fade)
    chance = hash_to_unit(i + seed * 57, j, i * 0 + 3)
    glass = _select(inner, 1.0, 0.0) * fade + share * 0.8 * (1 - fade)
    # curtains and blinds
    drawn = inner & (chance > 0.55) & (y > height * (1 - 2.2 * (chance - 0.55)))
    dark = np.stack([0.022 + 0.05 * chance, 0.026 + 0.05 * chance, 0.032 + 0.05 * chance], 1)
    dark = np.where(drawn[:, None], np.float32(0.42), dark)
    _blend(points, rows, dark, glass)
    points.shine[rows] = points.shine[rows] * (1 - glass) + glass * _select(drawn, 0.35, 0.62)
    on = hash_to_unit(i + seed * 31, j, i * 0 + 7) < 0.08 + 0.42 * light.lit_share
    warm = np.stack([1.0 + 0 * chance, 0.68 + 0.2 * chance, 0.34 + 0.3 * chance], 1) * (0.35 + 0.6 * chance)[:, None]
    average = _select(on, 1.0, 0.0) * _select(inner, 1.0, 0.0) * fade + 0.30 * share * (1 - fade)
    points.glow[rows] += (warm * (average * light.lit_share)[:, None]).astype(np.float32)


def _paint_glazing(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint a wall of glass panes, one per unit of u and v. The frames have the paint's second colour."""
    paint = points.paint[rows]
    table, light = stage.paints, stage.light
    u, v = points.uv[rows, 0], points.uv[rows, 1]
    i, j = np.floor(u), np.floor(v)
    x, y = u - i, v - j
    seed, floors = table.detail[paint, 2], table.detail[paint, 1]
    fade = _pattern_visibility(points, rows, table.size[paint])
    bar = (x < 0.05) | (y < 0.05) | (y > 1 - floors * 0.35)
    chance = hash_to_unit(i + seed * 41, j, i * 0 + 5)
    points.colour[rows] *= (0.75 + 0.5 * chance * fade)[:, None]
    _blend(points, rows, table.second[paint], _select(bar, 0.9, 0.0) * fade + 0.12 * (1 - fade))
    points.shine[rows] = _select(bar, 0.15, 0.8) * fade + 0.62 * (1 - fade)
    # each pane is tilted slightly, so that panes reflect different parts of the sky
    points.normal[rows, 2] += (chance - 0.5) * 0.06 * fade
    on = (hash_to_unit(np.floor(i / 3) + seed * 13, j, i * 0 + 9) < 0.12 + 0.38 * light.lit_share) & ~bar
    warm = np.stack([0.9 + 0.1 * chance, 0.75 + 0.15 * chance, 0.5 + 0.3 * chance], 1) * 0.6
    level = _select(on, 1.0, 0.0) * fade + 0.25 * (1 - fade)
    points.glow[rows] += (warm * (level * light.lit_share)[:, None]).astype(np.float32)


def _paint_shop(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint shop windows that are lit from inside, one per unit of u; v is from 0 to 1.

    The frames have the paint's second colour.
    """
    paint = points.paint[rows]
    table, light = stage.paints, stage.light
    u, v = points.uv[rows, 0], points.uv[rows, 1]
    i = np.floor(u)
    x = u - i
    chance = hash_to_unit(i + table.detail[paint, 2] * 17, i * 0, i * 0 + 11)
    pane = (x > 0.07) & (x < 0.93) & (v > 0.14) & (v < 0.94) & ~((np.abs(x - 0.5) < 0.02) & (chance > 0.4))
    _blend(points, rows, table.second[paint], _select(pane, 0.0, 0.92))
    shelf = sample_texture(cloud_noise(), u * 0.09 + chance, v * 0.16 + chance * 3)
    goods = 0.05 + 0.3 * np.clip(shelf - 0.35, 0, 1) * (v < 0.62)
    tone = np.stack([goods * (0.9 + chance * 0.4), goods * 0.95, goods * (1.2 - chance * 0.5)], 1)
    _blend(points, rows, tone, _select(pane, 0.95, 0.0))
    points.shine[rows] = _select(pane, 0.45, 0.05)
    warm = np.stack([1.0 + 0 * x, 0.72 + 0.2 * chance, 0.42 + 0.35 * chance], 1) * (0.3 + shelf * 0.9)[:, None]
    level = np.where(pane, 0.16 + 0.9 * light.lit_share, 0.0) * (0.5 + 0.5 * v)
    points.glow[rows] += (warm * level[:, None]).astype(np.float32)


def _paint_framed_picture(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint the pattern `PAINTING`: a framed picture, with u and v from 0 to 1.

    The frame has the paint's second colour.
    """
    paint = points.paint[rows]
    table = stage.paints
    u, v, seed = points.uv[rows, 0], points.uv[rows, 1], table.detail[paint, 2]
    framed = (u < 0.06) | (u > 0.94) | (v < 0.07) | (v > 0.93)
    one = sample_texture(cloud_noise(), u * 0.35 + seed * 0.613, v * 0.3 + seed * 0.271)
    two = sample_texture(cloud_noise(), u * 0.8 + seed * 0.173, v * 0.9 + seed * 0.719)
    level = np.floor(one * 5) / 5
    tone = np.stack([level * (0.5 + 0.5 * two), level * 0.8 * two + 0.1, (1 - level) * 0.6 * (1 - two) + 0.1], 1)
    own = table.colour[paint]
    _blend(points, rows, own * 0.4 + tone.astype(np.float32) * 0.8, _select(framed, 0.0, 0.9))
    _blend(points, rows, table.second[paint], _select(framed, 1.0, 0.0))


def _paint_water(points: _HitPoints, rows: Array, stage: Stage) -> None:
    """Paint water with ripples."""
    x, y = points.position[rows, 0], points.position[rows, 1]
    size = stage.paints.size[points.paint[rows]]
    cloud_offset = stage.light.cloud_offset
    step = np.float32(0.004)
    a, b = x / (9 * size) + cloud_offset, y / (5 * size) + cloud_offset
    height = sample_texture(cloud_noise(), a, b)
    east, north = sample_texture(cloud_noise(), a + step, b), sample_texture(cloud_noise(), a, b + step)
    calm = np.clip(1.15 - points.footprint[rows] * 0.7, 0.12, 1)
    strength = 0.3 * calm
    points.normal[rows, 0] += (height - east) * strength * 4
    points.normal[rows, 1] += (height - north) * strength * 4
    normal = points.normal[rows]
    points.normal[rows] = normal / np.sqrt(row_dots(normal, normal))[:, None]
    points.shine[rows] = 1.0
    points.mirror[rows] = True


_PATTERNS = {
    Pattern.BRICKS: _paint_bricks,
    Pattern.PLANKS: _paint_planks,
    Pattern.TILES: _paint_tiles,
    Pattern.PAVING: _paint_paving,
    Pattern.ROAD: _paint_road,
    Pattern.GRASS: _paint_grass,
    Pattern.ROCK: _paint_rock,
    Pattern.LEAVES: _paint_leaves,
    Pattern.STRIPES: _paint_stripes,
    Pattern.LATTICE: _paint_lattice,
    Pattern.WINDOWS: _paint_windows,
    Pattern.GLAZING: _paint_glazing,
    Pattern.SHOP: _paint_shop,
    Pattern.PAINTING: _paint_framed_picture,
    Pattern.WATER: _paint_water,
}


# ------------------------------------------------------------------ light


def _shade(points: _HitPoints, stage: Stage, sky_visibility: Floats | None, depth: int) -> Floats:
    """Return the light that the points reflect and emit."""
    light, normal = stage.light, points.normal
    rise = normal[:, 2:]
    around = light.horizon * 0.42
    above = light.zenith * 0.55 + light.zenith.mean() * 0.45
    ambient = np.where(
        rise > 0, around + (above - around) * rise + above * 0.1, around + (light.ground - around) * -rise
    )
    ambient = ambient * 0.8 + light.ground * (0.55 * (1 - np.abs(rise)))
    if sky_visibility is not None:
        ambient = ambient * sky_visibility[:, None]
    received = ambient
    sparkle = np.zeros(1, np.float32)
    if light.sun.max() > 0.01:
        leafy = stage.paints.pattern[points.paint] == Pattern.LEAVES
        facing = dot_with(normal, light.direction)
        # leaves are translucent
        facing = np.where(leafy, np.maximum(facing * 0.75 + 0.25, 0.12), facing)
        towards = np.flatnonzero(facing > 0)
        if depth == 0 and len(towards):
            ray_origins = points.position[towards] + normal[towards] * _RAY_OFFSET * (
                1 + points.distance[towards, None] * 0.03
            )
            rays = np.broadcast_to(light.direction, (len(towards), 3)).astype(np.float32)
            free = ~stage.tracer.is_blocked(ray_origins.astype(np.float32), rays)
            facing[towards] *= free
        facing = np.maximum(facing, 0)
        received = received + light.sun * facing[:, None]
        half = light.direction - points.direction
        half = half / np.maximum(np.sqrt(row_dots(half, half)), 1e-6)[:, None]
        gloss = np.clip(row_dots(normal, half), 0, 1) ** 60 * points.shine * (facing > 0)
        sparkle = light.sun * (gloss * 1.5)[:, None]
    positions, colours = light.lamps
    for position, colour in zip(positions, colours, strict=True):
        to_lamp = position - points.position
        square = row_dots(to_lamp, to_lamp)
        slope = row_dots(to_lamp, normal) / np.sqrt(square)
        received = received + colour * (np.clip(slope * 0.85 + 0.15, 0, 1) / (square + 1.5))[:, None]
    shaded = points.colour * received + points.glow + sparkle
    # panes and polished stone reflect the sky; these rays are not traced
    polished = np.flatnonzero((points.shine > 0.02) & ~points.mirror)
    if len(polished) and not stage.indoors:
        reflected_rays, share = _reflect(points, polished)
        reflected = sky_colour(light, reflected_rays)
        low = np.clip(1.15 - reflected_rays[:, 2] * 7, 0, 1)[:, None]
        reflected = reflected + (light.horizon * 0.28 + light.ground * 0.5 - reflected) * low * 0.85
        shaded[polished] += (reflected - shaded[polished]) * share[:, None]
    return as_float32(shaded)


def _reflect(points: _HitPoints, rows: Array) -> tuple[Floats, Floats]:
    """Return the directions of reflected rays, and the share of the light that they contribute."""
    normal, towards = points.normal[rows], points.direction[rows]
    facing = row_dots(normal, towards)[:, None]
    reflected_rays = towards - 2 * facing * normal
    share = (0.06 + 0.94 * (1 - np.clip(-facing[:, 0], 0, 1)) ** 4) * points.shine[rows]
    return reflected_rays.astype(np.float32), share.astype(np.float32)


def _add_reflections(shaded: Floats, points: _HitPoints, stage: Stage, pixel: float) -> Floats:
    """Add traced reflections in water and on wet ground."""
    rows = np.flatnonzero(points.mirror)
    reflected_rays, share = _reflect(points, rows)
    reflected_rays[:, 2] = np.maximum(reflected_rays[:, 2], 0.01)
    reflected_rays /= np.sqrt(row_dots(reflected_rays, reflected_rays))[:, None]
    origins = (points.position[rows] + np.array([0, 0, 0.03], np.float32)).astype(np.float32)
    image = trace(stage, origins, reflected_rays, pixel * 3, depth=1)
    shaded[rows] += (image.colour - shaded[rows]) * share[:, None]
    return shaded
