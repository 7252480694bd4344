"""Light along rays: paints with their patterns under the light of a view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planspec_pictures.rendering.light import Light, sky, through_air
from planspec_pictures.rendering.noise import clouds, grain, sample_texture, scattered
from planspec_pictures.rendering.paints import PaintTable, Pattern
from planspec_pictures.rendering.solids import Array, Floats, Solid, along, dots, single
from planspec_pictures.rendering.tracing import Hits, Tracer


@dataclass(frozen=True, eq=False, slots=True)
class Stage:
    """A solid with its paints under a light."""

    solid: Solid
    tracer: Tracer
    paints: PaintTable
    light: Light
    indoors: bool


@dataclass(eq=False, slots=True)
class _Spots:
    """Points hit by rays, with their properties: an array each, a row for each point."""

    at: Floats
    towards: Floats
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
        colour: n by 3, light.
        triangle: n, -1 for the sky.
        distance: n, in metres; far for the sky.
    """

    colour: Floats
    triangle: NDArray[np.int32]
    distance: Floats


FAR = 1e5


_LIFT = 0.012


def trace(
    stage: Stage, origins: Floats, directions: Floats, pixel: float, shelter: Floats | None = None, depth: int = 0,
    hits: Hits | None = None,
) -> TracedRays:  # fmt: skip
    """Trace rays.

    Args:
        stage: solid, paints and light.
        origins: n by 3.
        directions: n by 3, of length 1.
        pixel: angle of a pixel, in radians.
        shelter: n, share of the sky's light at the end of each ray; None for all of it.
        depth: number of earlier reflections.
        hits: hits of the rays, if known.
    """
    light = stage.light
    triangle, u, v, distance = stage.tracer.hits(origins, directions) if hits is None else hits
    is_hit = triangle >= 0
    colour = np.empty((len(origins), 3), np.float32)
    is_sky = ~is_hit
    if is_sky.any():
        colour[is_sky] = sky(light, directions[is_sky])
    if is_hit.any():
        spots = _spots(
            stage,
            origins[is_hit],
            directions[is_hit],
            triangle[is_hit],
            u[is_hit],
            v[is_hit],
            distance[is_hit],
            pixel,
        )
        _paint(spots, stage)
        shaded = _light(spots, stage, None if shelter is None else shelter[is_hit], depth)
        if depth == 0 and spots.mirror.any():
            shaded = _add_reflections(shaded, spots, stage, pixel)
        colour[is_hit] = through_air(light, shaded, spots.towards, spots.distance)
    return TracedRays(colour, triangle, np.where(is_hit, distance, FAR).astype(np.float32))


def _spots(
    stage: Stage, origins: Floats, directions: Floats, triangle: NDArray[np.int32], u: Floats, v: Floats,
    distance: Floats, pixel: float,
) -> _Spots:  # fmt: skip
    solid = stage.solid
    weights = np.stack([1 - u - v, u, v], 1)
    normal = np.einsum("nij,ni->nj", solid.normals[triangle], weights)
    normal /= np.maximum(np.sqrt(dots(normal, normal)), 1e-6)[:, None]
    facing = dots(normal, directions)
    normal *= np.where(facing > 0, np.float32(-1), np.float32(1))[:, None]
    paint = solid.paints[triangle]
    table = stage.paints
    colour = table.colour[paint] * solid.tints[triangle][:, None]
    count = len(paint)
    return _Spots(
        at=origins + directions * distance[:, None],
        towards=directions,
        normal=normal,
        uv=np.einsum("nij,ni->nj", solid.uvs[triangle], weights),
        paint=paint,
        distance=distance,
        footprint=(distance * np.float32(pixel) / np.maximum(np.abs(facing), 0.12)).astype(np.float32),
        colour=colour.astype(np.float32),
        shine=table.shine[paint],
        glow=table.glow[paint] * np.maximum(table.always[paint], stage.light.lit)[:, None],
        mirror=np.zeros(count, bool),
        noise=np.zeros(count, np.float32),
    )


# ------------------------------------------------------------------ patterns


def _paint(spots: _Spots, stage: Stage) -> None:
    """Colour the points by patterns, blotches and grain; each fades where it is too fine to be visible."""
    table, light = stage.paints, stage.light
    # stains on walls vary along their height, on floors and hills in both directions
    flat = np.abs(spots.normal[:, 2]) > 0.5
    along = np.where(flat, spots.at[:, 0], spots.at[:, 0] + spots.at[:, 1])
    across = np.where(flat, spots.at[:, 1], spots.at[:, 2])
    coarse = sample_texture(clouds(), along / 23, across / 23)
    fine = sample_texture(grain(), along / 2.7, across / 2.7)
    spots.noise = coarse
    seen_fine = np.clip(1.2 - spots.footprint * 9, 0, 1)
    amount = table.blotches[spots.paint]
    factor = 1 + amount * ((coarse - 0.5) * 0.9 + (fine - 0.5) * 0.9 * seen_fine)
    spots.colour *= factor[:, None]
    pattern = table.pattern[spots.paint]
    for kind, lay in _PATTERNS.items():
        chosen = np.flatnonzero(pattern == kind)
        if len(chosen):
            lay(spots, chosen, stage)
    if light.snow:
        lying = np.clip((spots.normal[:, 2] - 0.45) * 3, 0, 1) * np.clip(coarse * 1.5 + fine * 0.6, 0, 1)
        lying = np.where(pattern == Pattern.WATER, 0, lying)[:, None].astype(np.float32)
        spots.colour += (np.float32(0.82) - spots.colour) * lying
    if light.wet:
        ground = (spots.normal[:, 2] > 0.85) & (pattern != Pattern.LEAVES) & (pattern != Pattern.GRASS) & (spots.at[:, 2] < 1)  # fmt: skip
        spots.colour = np.where(ground[:, None], spots.colour * 0.5, spots.colour * 0.85)
        puddle = np.clip((coarse - 0.35) * 3, 0.15, 1)
        spots.shine = np.where(ground, 0.5 * puddle, spots.shine).astype(np.float32)
        spots.mirror |= ground & (spots.distance < 60)


def _fade(spots: _Spots, at: Array, size: Array | float) -> Floats:
    """Return 1 where a cell of the pattern is much larger than a pixel, 0 where it is smaller."""
    return single(np.clip(1.6 - 1.8 * spots.footprint[at] / size, 0, 1))


def _either(which: Array, one: float, other: float) -> Floats:
    return np.where(which, np.float32(one), np.float32(other))


def _blend(spots: _Spots, at: Array, colour: Array, share: Array) -> None:
    spots.colour[at] += (colour - spots.colour[at]) * share[:, None]


def _bricks(spots: _Spots, at: Array, stage: Stage) -> None:
    paint = spots.paint[at]
    size, mortar = stage.paints.size[paint], stage.paints.second[paint]
    row = np.floor(spots.uv[at, 1] / size)
    x = spots.uv[at, 0] / (size * 2.3) + 0.5 * (row % 2)
    column = np.floor(x)
    shade = scattered(column, row)
    fade = _fade(spots, at, size)
    spots.colour[at] *= (1 + (shade - 0.5) * 0.5 * fade)[:, None]
    joint = ((x - column) < 0.06) | ((spots.uv[at, 1] / size - row) < 0.13)
    _blend(spots, at, mortar, _either(joint, 0.75, 0.0) * fade + 0.12 * (1 - fade))


def _planks(spots: _Spots, at: Array, stage: Stage) -> None:
    paint = spots.paint[at]
    size, joints = stage.paints.size[paint], stage.paints.second[paint]
    x = spots.uv[at, 0] / size
    column = np.floor(x)
    fade = _fade(spots, at, size)
    spots.colour[at] *= (1 + (scattered(column, column) - 0.5) * 0.4 * fade)[:, None]
    _blend(spots, at, joints, np.where((x - column) < 0.09, 0.8, 0.0) * fade)


def _tiles(spots: _Spots, at: Array, stage: Stage) -> None:
    paint = spots.paint[at]
    size = stage.paints.size[paint]
    x, y = spots.uv[at, 0] / size, spots.uv[at, 1] / (size * 1.2)
    fade = _fade(spots, at, size)
    wave = np.abs((x % 1) - 0.5) * 2
    spots.colour[at] *= (1 + fade * (0.5 * wave - 0.32 + 0.22 * ((y % 1) - 0.5)))[:, None]
    spots.colour[at] *= (1 + (scattered(np.floor(x), np.floor(y)) - 0.5) * 0.35 * fade)[:, None]


def _paving(spots: _Spots, at: Array, stage: Stage) -> None:
    paint = spots.paint[at]
    size, joints = stage.paints.size[paint], stage.paints.second[paint]
    x, y = spots.uv[at, 0] / size, spots.uv[at, 1] / size
    i, j = np.floor(x), np.floor(y)
    fade = _fade(spots, at, size)
    spots.colour[at] *= (1 + (scattered(i, j) - 0.5) * 0.3 * fade)[:, None]
    joint = ((x - i) < 0.045) | ((y - j) < 0.045)
    _blend(spots, at, joints, _either(joint, 0.65, 0.0) * fade)


def _road(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint asphalt along x with a broken line in its middle; v counts from the middle."""
    paint = spots.paint[at]
    mark = stage.paints.second[paint]
    u, v = spots.uv[at, 0], spots.uv[at, 1]
    wide = stage.paints.size[paint]
    line = (np.abs(v) < 0.09) & ((u % 6) < 3)
    line |= np.abs(np.abs(v) - (wide / 2 - 0.35)) < 0.07
    _blend(spots, at, mark, _either(line, 0.85, 0.0) * _fade(spots, at, 0.3))


def _grass(spots: _Spots, at: Array, stage: Stage) -> None:
    x, y = spots.at[at, 0], spots.at[at, 1]
    patch = sample_texture(clouds(), x / 61, y / 61)
    blade = sample_texture(grain(), x * 1.3, y * 1.3)
    _blend(spots, at, stage.paints.second[spots.paint[at]], np.clip((patch - 0.3) * 1.4, 0, 1))
    near = np.clip(1.3 - spots.footprint[at] * 22, 0, 1)
    spots.colour[at] *= (1 + near * (blade - 0.5) * 0.9)[:, None]


def _rock(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint stone on steep parts, the second colour where plants can grow."""
    x, y, z = spots.at[at].T
    vein = sample_texture(clouds(), (x + y * 0.4) / 37, z / 19)
    fine = sample_texture(grain(), (x + y) / 9, (z + y * 0.5) / 9)
    flat = np.clip((spots.normal[at, 2] - 0.62 + (vein - 0.5) * 0.5) * 4, 0, 1)
    spots.colour[at] *= (0.72 + 0.56 * vein * (0.5 + fine))[:, None]
    _blend(spots, at, stage.paints.second[spots.paint[at]] * (0.75 + 0.5 * fine)[:, None], flat)


def _leaves(spots: _Spots, at: Array, stage: Stage) -> None:
    leaf = sample_texture(grain(), spots.at[at, 0] / 1.3 + spots.at[at, 2] / 3, spots.at[at, 1] / 1.3)
    spots.colour[at] *= (0.7 + 0.6 * leaf)[:, None]
    _blend(spots, at, stage.paints.second[spots.paint[at]], np.clip(leaf - 0.62, 0, 1))


def _stripes(spots: _Spots, at: Array, stage: Stage) -> None:
    paint = spots.paint[at]
    x = spots.uv[at, 0] / stage.paints.size[paint]
    _blend(
        spots, at, stage.paints.second[paint], ((x % 1) < stage.paints.detail[paint, 0]).astype(np.float32)
    )


def _lattice(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint a wooden lattice before paper: u and v count panels."""
    paint = spots.paint[at]
    u, v = spots.uv[at, 0] % 1, spots.uv[at, 1] % 1
    inner = (u > 0.12) & (u < 0.88) & (v > 0.36) & (v < 0.9)
    bars = (((u - 0.12) * 8 % 1) < 0.3) | (((v - 0.36) * 11 % 1) < 0.3)
    paper = inner & ~bars
    second = stage.paints.second[paint]
    _blend(spots, at, second, np.where(paper, 0.9, _either(inner, 0.25, 0.0)))
    spots.glow[at] *= _either(paper, 1.0, 0.03)[:, None]


def _windows(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint windows in a wall: u and v count them; `second` is the frame."""
    paint = spots.paint[at]
    table, light = stage.paints, stage.light
    u, v = spots.uv[at, 0], spots.uv[at, 1]
    i, j = np.floor(u), np.floor(v)
    x, y = u - i - 0.5, v - j - 0.5
    wide, high, seed = table.detail[paint, 0] / 2, table.detail[paint, 1] / 2, table.detail[paint, 2]
    frame = np.float32(0.045)
    outer = (np.abs(x) < wide + frame) & (np.abs(y) < high + frame)
    inner = (np.abs(x) < wide) & (np.abs(y) < high) & (np.abs(x) > 0.018) & (np.abs(y - high * 0.3) > 0.02)
    sill = (np.abs(x) < wide + frame * 1.6) & (y < -high) & (y > -high - 0.09)
    fade = _fade(spots, at, table.size[paint])
    share = 4 * wide * high
    second = table.second[paint]
    _blend(spots, at, second, _either(outer & ~inner, 0.9, 0.0) * fade)
    _blend(spots, at, second * 1.15, _either(sill & ~outer, 0.8, 0.0) * fade)
    chance = scattered(i + seed * 57, j, i * 0 + 3)
    glass = _either(inner, 1.0, 0.0) * fade + share * 0.8 * (1 - fade)
    # curtains and blinds
    drawn = inner & (chance > 0.55) & (y > high * (1 - 2.2 * (chance - 0.55)))
    dark = np.stack([0.022 + 0.05 * chance, 0.026 + 0.05 * chance, 0.032 + 0.05 * chance], 1)
    dark = np.where(drawn[:, None], np.float32(0.42), dark)
    _blend(spots, at, dark, glass)
    spots.shine[at] = spots.shine[at] * (1 - glass) + glass * _either(drawn, 0.35, 0.62)
    on = scattered(i + seed * 31, j, i * 0 + 7) < 0.08 + 0.42 * light.lit
    warm = (
        np.stack([1.0 + 0 * chance, 0.68 + 0.2 * chance, 0.34 + 0.3 * chance], 1)
        * (0.35 + 0.6 * chance)[:, None]
    )
    average = _either(on, 1.0, 0.0) * _either(inner, 1.0, 0.0) * fade + 0.30 * share * (1 - fade)
    spots.glow[at] += (warm * (average * light.lit)[:, None]).astype(np.float32)


def _glazing(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint a wall of glass: u and v count panes; the colour is the glass's, the second the frames'."""
    paint = spots.paint[at]
    table, light = stage.paints, stage.light
    u, v = spots.uv[at, 0], spots.uv[at, 1]
    i, j = np.floor(u), np.floor(v)
    x, y = u - i, v - j
    seed, floors = table.detail[paint, 2], table.detail[paint, 1]
    fade = _fade(spots, at, table.size[paint])
    bar = (x < 0.05) | (y < 0.05) | (y > 1 - floors * 0.35)
    chance = scattered(i + seed * 41, j, i * 0 + 5)
    spots.colour[at] *= (0.75 + 0.5 * chance * fade)[:, None]
    _blend(spots, at, table.second[paint], _either(bar, 0.9, 0.0) * fade + 0.12 * (1 - fade))
    spots.shine[at] = _either(bar, 0.15, 0.8) * fade + 0.62 * (1 - fade)
    # each pane is slightly tilted, so that it mirrors another part of the sky
    spots.normal[at, 2] += (chance - 0.5) * 0.06 * fade
    on = (scattered(np.floor(i / 3) + seed * 13, j, i * 0 + 9) < 0.12 + 0.38 * light.lit) & ~bar
    warm = np.stack([0.9 + 0.1 * chance, 0.75 + 0.15 * chance, 0.5 + 0.3 * chance], 1) * 0.6
    level = _either(on, 1.0, 0.0) * fade + 0.25 * (1 - fade)
    spots.glow[at] += (warm * (level * light.lit)[:, None]).astype(np.float32)


def _shop(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint shop windows, lit from inside: u counts them, v is 0 to 1; the second colour is the frame's."""
    paint = spots.paint[at]
    table, light = stage.paints, stage.light
    u, v = spots.uv[at, 0], spots.uv[at, 1]
    i = np.floor(u)
    x = u - i
    chance = scattered(i + table.detail[paint, 2] * 17, i * 0, i * 0 + 11)
    pane = (x > 0.07) & (x < 0.93) & (v > 0.14) & (v < 0.94) & ~((np.abs(x - 0.5) < 0.02) & (chance > 0.4))
    _blend(spots, at, table.second[paint], _either(pane, 0.0, 0.92))
    shelf = sample_texture(clouds(), u * 0.09 + chance, v * 0.16 + chance * 3)
    goods = 0.05 + 0.3 * np.clip(shelf - 0.35, 0, 1) * (v < 0.62)
    tone = np.stack([goods * (0.9 + chance * 0.4), goods * 0.95, goods * (1.2 - chance * 0.5)], 1)
    _blend(spots, at, tone, _either(pane, 0.95, 0.0))
    spots.shine[at] = _either(pane, 0.45, 0.05)
    warm = (
        np.stack([1.0 + 0 * x, 0.72 + 0.2 * chance, 0.42 + 0.35 * chance], 1) * (0.3 + shelf * 0.9)[:, None]
    )
    level = np.where(pane, 0.16 + 0.9 * light.lit, 0.0) * (0.5 + 0.5 * v)
    spots.glow[at] += (warm * level[:, None]).astype(np.float32)


def _painting(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint a picture on a wall: u and v are 0 to 1; the second colour is the frame's."""
    paint = spots.paint[at]
    table = stage.paints
    u, v, seed = spots.uv[at, 0], spots.uv[at, 1], table.detail[paint, 2]
    framed = (u < 0.06) | (u > 0.94) | (v < 0.07) | (v > 0.93)
    one = sample_texture(clouds(), u * 0.35 + seed * 0.613, v * 0.3 + seed * 0.271)
    two = sample_texture(clouds(), u * 0.8 + seed * 0.173, v * 0.9 + seed * 0.719)
    level = np.floor(one * 5) / 5
    tone = np.stack(
        [level * (0.5 + 0.5 * two), level * 0.8 * two + 0.1, (1 - level) * 0.6 * (1 - two) + 0.1], 1
    )
    own = table.colour[paint]
    _blend(spots, at, own * 0.4 + tone.astype(np.float32) * 0.8, _either(framed, 0.0, 0.9))
    _blend(spots, at, table.second[paint], _either(framed, 1.0, 0.0))


def _water(spots: _Spots, at: Array, stage: Stage) -> None:
    """Paint ripples."""
    x, y = spots.at[at, 0], spots.at[at, 1]
    size = stage.paints.size[spots.paint[at]]
    drift = stage.light.drift
    step = np.float32(0.004)
    a, b = x / (9 * size) + drift, y / (5 * size) + drift
    height = sample_texture(clouds(), a, b)
    east, north = sample_texture(clouds(), a + step, b), sample_texture(clouds(), a, b + step)
    calm = np.clip(1.15 - spots.footprint[at] * 0.7, 0.12, 1)
    strength = 0.3 * calm
    spots.normal[at, 0] += (height - east) * strength * 4
    spots.normal[at, 1] += (height - north) * strength * 4
    normal = spots.normal[at]
    spots.normal[at] = normal / np.sqrt(dots(normal, normal))[:, None]
    spots.shine[at] = 1.0
    spots.mirror[at] = True


_PATTERNS = {
    Pattern.BRICKS: _bricks, Pattern.PLANKS: _planks, Pattern.TILES: _tiles, Pattern.PAVING: _paving,
    Pattern.ROAD: _road, Pattern.GRASS: _grass, Pattern.ROCK: _rock, Pattern.LEAVES: _leaves,
    Pattern.STRIPES: _stripes, Pattern.LATTICE: _lattice, Pattern.WINDOWS: _windows, Pattern.GLAZING: _glazing,
    Pattern.SHOP: _shop, Pattern.PAINTING: _painting, Pattern.WATER: _water,
}  # fmt: skip


# ------------------------------------------------------------------ light


def _light(spots: _Spots, stage: Stage, shelter: Floats | None, depth: int) -> Floats:
    """Return the light that the points reflect and emit."""
    light, normal = stage.light, spots.normal
    rise = normal[:, 2:]
    around = light.horizon * 0.42
    above = light.zenith * 0.55 + light.zenith.mean() * 0.45
    ambient = np.where(rise > 0, around + (above - around) * rise + above * 0.1, around + (light.ground - around) * -rise)  # fmt: skip
    ambient = ambient * 0.8 + light.ground * (0.55 * (1 - np.abs(rise)))
    if shelter is not None:
        ambient = ambient * shelter[:, None]
    received = ambient
    sparkle = np.zeros(1, np.float32)
    if light.sun.max() > 0.01:
        leafy = stage.paints.pattern[spots.paint] == Pattern.LEAVES
        facing = along(normal, light.towards)
        # leaves are translucent
        facing = np.where(leafy, np.maximum(facing * 0.75 + 0.25, 0.12), facing)
        towards = np.flatnonzero(facing > 0)
        if depth == 0 and len(towards):
            lifted = spots.at[towards] + normal[towards] * _LIFT * (1 + spots.distance[towards, None] * 0.03)
            rays = np.broadcast_to(light.towards, (len(towards), 3)).astype(np.float32)
            free = ~stage.tracer.blocked(lifted.astype(np.float32), rays)
            facing[towards] *= free
        facing = np.maximum(facing, 0)
        received = received + light.sun * facing[:, None]
        half = light.towards - spots.towards
        half = half / np.maximum(np.sqrt(dots(half, half)), 1e-6)[:, None]
        gloss = np.clip(dots(normal, half), 0, 1) ** 60 * spots.shine * (facing > 0)
        sparkle = light.sun * (gloss * 1.5)[:, None]
    places, colours = light.lamps
    for place, colour in zip(places, colours, strict=True):
        away = place - spots.at
        square = dots(away, away)
        slope = dots(away, normal) / np.sqrt(square)
        received = received + colour * (np.clip(slope * 0.85 + 0.15, 0, 1) / (square + 1.5))[:, None]
    shaded = spots.colour * received + spots.glow + sparkle
    # reflections of the sky without tracing: panes and polished stone
    polished = np.flatnonzero((spots.shine > 0.02) & ~spots.mirror)
    if len(polished) and not stage.indoors:
        back, share = _mirror(spots, polished)
        glanced = sky(light, back)
        low = np.clip(1.15 - back[:, 2] * 7, 0, 1)[:, None]
        glanced = glanced + (light.horizon * 0.28 + light.ground * 0.5 - glanced) * low * 0.85
        shaded[polished] += (glanced - shaded[polished]) * share[:, None]
    return single(shaded)


def _mirror(spots: _Spots, at: Array) -> tuple[Floats, Floats]:
    """Return the directions of reflected rays, and their shares."""
    normal, towards = spots.normal[at], spots.towards[at]
    facing = dots(normal, towards)[:, None]
    back = towards - 2 * facing * normal
    share = (0.06 + 0.94 * (1 - np.clip(-facing[:, 0], 0, 1)) ** 4) * spots.shine[at]
    return back.astype(np.float32), share.astype(np.float32)


def _add_reflections(shaded: Floats, spots: _Spots, stage: Stage, pixel: float) -> Floats:
    """Add the reflections in water and on wet ground."""
    at = np.flatnonzero(spots.mirror)
    back, share = _mirror(spots, at)
    back[:, 2] = np.maximum(back[:, 2], 0.01)
    back /= np.sqrt(dots(back, back))[:, None]
    origins = (spots.at[at] + np.array([0, 0, 0.03], np.float32)).astype(np.float32)
    image = trace(stage, origins, back, pixel * 3, depth=1)
    shaded[at] += (image.colour - shaded[at]) * share[:, None]
    return shaded
