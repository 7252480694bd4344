"""The camera: its position, the rays through its pixels, and the conversion of light to a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image

from planspec_pictures.rendering.light import make_light
from planspec_pictures.rendering.paints import PaintTable
from planspec_pictures.rendering.shading import FAR, Stage, TracedRays, trace
from planspec_pictures.rendering.solids import Array, Floats, as_float32, dot_with, row_dots
from planspec_pictures.rendering.tracing import Hits, Tracer
from planspec_pictures.views import View

if TYPE_CHECKING:
    from planspec_pictures.scenes.scene import Scene

WIDTH = 480
_MAX_TRIES = 7
_VISIBILITY_RANGE = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class _Camera:
    """A camera.

    Attributes:
        eye: position.
        forward: direction of view.
        right: direction of the picture's x axis.
        up: direction of the picture's y axis.
        half_width: half the width of the picture at a distance of 1.
        shift: vertical offset of the picture from the direction of view, at a distance of 1.
        width: width of the picture in pixels.
        height: height of the picture in pixels.
    """

    eye: Floats
    forward: Floats
    right: Floats
    up: Floats
    half_width: float
    shift: tuple[float, float]
    width: int
    height: int

    def rays(self, x: Array, y: Array) -> Floats:
        """Return the directions of the rays through points of the picture.

        Args:
            x: n, pixels from the left edge.
            y: n, pixels from the upper edge.
        """
        a = ((x / self.width * 2 - 1) * self.half_width + self.shift[0])[:, None]
        b = ((1 - y / self.height * 2) * self.half_width * self.height / self.width + self.shift[1])[:, None]
        rays = self.forward + a * self.right + b * self.up
        return (rays / np.sqrt(row_dots(rays, rays))[:, None]).astype(np.float32)


def photograph(scene: Scene, view: View, width: int = WIDTH) -> bytes:
    """Render a view of a scene as a JPEG.

    The same arguments give the same bytes, with the same versions of the libraries and the same kind of
    processor.

    Args:
        scene: scene to show.
        view: viewpoint, light, weather and lens.
        width: width in pixels. The height is three quarters of it.
    """
    chance = np.random.Generator(np.random.PCG64(view.chance))
    tracer = Tracer(scene.solid)
    camera = _place_camera(scene, view, tracer, width)
    bearing = -math.pi / 2 + (chance.random() - 0.5) * 2.9
    if view.hour in ("dawn", "sunset", "dusk"):
        bearing = math.pi / 2 + (chance.random() - 0.5) * 5.2
    light = make_light(
        view.hour,
        view.weather,
        bearing,
        float(chance.random()),
        list(scene.lamps),
        scene.sight.distance,
        indoors=scene.indoors,
    )
    stage = Stage(scene.solid, tracer, PaintTable.of(scene.paints), light, scene.indoors)
    colour, distance = _expose(stage, camera, chance)
    return _develop(colour, distance, view, stage, chance)


def _place_camera(scene: Scene, view: View, tracer: Tracer, width: int) -> _Camera:
    """Return the camera for a view. It moves aside if that shows more of the subject or has fewer things close by."""
    best, best_score = None, -1.0
    for turn in range(_MAX_TRIES):
        # the planned position comes first, then positions ever further to both sides
        camera = _aim_camera(scene, view, width, (turn + 1) // 2 * (1 if turn % 2 else -1) * 0.16, 1 + 0.05 * turn)
        x, y = np.meshgrid(np.linspace(0.02, 0.98, 26) * camera.width, np.linspace(0.02, 0.98, 20) * camera.height)
        rays = camera.rays(x.ravel(), y.ravel())
        triangle, _, _, distances = tracer.first_hits(np.tile(camera.eye, (len(rays), 1)), rays)
        shown = ((triangle >= 0) & (triangle < scene.subject)).mean()
        near = ((triangle >= 0) & (distances < 2.5) & (rays[:, 2] > -0.25)).mean()
        score = min(float(shown), 0.22) - float(near)
        if score > best_score + 0.02:
            best, best_score = camera, score
        if best_score >= 0.2:
            break
    assert best is not None
    return best


def _aim_camera(scene: Scene, view: View, width: int, aside: float, zoom: float) -> _Camera:
    sight = scene.sight
    azimuth = math.radians(max(-1.0, min(1.0, view.azimuth + aside)) * sight.max_azimuth)
    target = np.array(sight.target, np.float32)
    max_distance = sight.distance * view.distance / zoom
    eye_height = sight.min_height + (sight.max_height - sight.min_height) * view.height
    eye = target + np.array([math.sin(azimuth) * max_distance, -math.cos(azimuth) * max_distance, 0], np.float32)
    eye[2] = eye_height
    forward = target - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, np.array([0, 0, 1], np.float32))
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    roll = math.radians(view.roll)
    right, up = right * math.cos(roll) + up * math.sin(roll), up * math.cos(roll) - right * math.sin(roll)
    half_width = math.tan(math.radians(sight.angle / 2))
    left = half_width * (1 - view.crop)
    shift = (view.aside[0] * left, view.aside[1] * left * 0.75)
    return _Camera(
        eye.astype(np.float32),
        forward.astype(np.float32),
        right.astype(np.float32),
        up.astype(np.float32),
        half_width * view.crop,
        shift,
        width,
        width * 3 // 4,
    )


def _expose(stage: Stage, camera: _Camera, chance: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the light that reaches each pixel, and the distance of its source."""
    width, height = camera.width, camera.height
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    rays = camera.rays(x.ravel() + np.float32(0.36), y.ravel() + np.float32(0.64))
    origins = np.tile(camera.eye, (len(rays), 1))
    pixel = 2 * camera.half_width / width
    first_hits = stage.tracer.first_hits(origins, rays)
    visibility = _sky_visibility(stage, origins, rays, first_hits, (height, width), chance)
    first = trace(stage, origins, rays, pixel, visibility.ravel(), first_hits=first_hits)
    colour = first.colour.reshape(height, width, 3)
    edges = _find_edges(first, width, height)
    at = np.flatnonzero(edges)
    if len(at):
        second_samples = np.zeros((len(at), 3), np.float32)
        for dx, dy in ((0.86, 0.14),):
            aside = camera.rays(x.ravel()[at] + np.float32(dx), y.ravel()[at] + np.float32(dy))
            second_samples += trace(stage, origins[at], aside, pixel, visibility.ravel()[at]).colour
        flat = colour.reshape(-1, 3)
        flat[at] = (flat[at] + second_samples) / 2
    return colour, first.distance.reshape(height, width)


def _find_edges(first: TracedRays, width: int, height: int) -> Array:
    """Return a mask of the pixels at edges, which need a second sample."""
    triangle = first.triangle.reshape(height, width)
    depth = np.log(first.distance.reshape(height, width))
    level = np.log((dot_with(first.colour, np.ones(3, np.float32))).reshape(height, width) + 0.02)
    other = np.zeros((height, width), bool)
    for axis in (0, 1):
        jump = np.abs(np.diff(depth, axis=axis)) > 0.06
        jump |= (np.diff(triangle, axis=axis) != 0) & (np.abs(np.diff(level, axis=axis)) > 0.16)
        if axis:
            other[:, 1:] |= jump
        else:
            other[1:] |= jump
    return other.ravel()


def _sky_visibility(
    stage: Stage,
    origins: Floats,
    rays: Floats,
    first_hits: Hits,
    shape: tuple[int, int],
    chance: np.random.Generator,
) -> Floats:
    """Return the share of the sky that is visible from the point at each pixel.

    It is sampled at every second pixel and interpolated.
    """
    height, width = shape
    chosen = np.arange(height * width).reshape(shape)[::2, ::2].ravel()
    origins, rays = origins[chosen], rays[chosen]
    triangle, u, v, distances = (one[chosen] for one in first_hits)
    visibility = np.ones(len(rays), np.float32)
    at = np.flatnonzero(triangle >= 0)
    if len(at):
        normal = np.einsum(
            "nij,ni->nj", stage.solid.normals[triangle[at]], np.stack([1 - u[at] - v[at], u[at], v[at]], 1)
        )
        normal *= np.where(row_dots(normal, rays[at]) > 0, np.float32(-1), np.float32(1))[:, None]
        point = origins[at] + rays[at] * distances[at, None] + normal * 0.03
        share = np.zeros(len(at), np.float32)
        for _ in range(2):
            direction = chance.standard_normal((len(at), 3)).astype(np.float32)
            direction = normal * 1.02 + direction / np.sqrt(row_dots(direction, direction))[:, None]
            direction /= np.maximum(np.sqrt(row_dots(direction, direction)), 1e-6)[:, None]
            max_distance = np.full(len(at), _VISIBILITY_RANGE, np.float32) + distances[at] * np.float32(0.06)
            share += ~stage.tracer.is_blocked(point.astype(np.float32), direction.astype(np.float32), max_distance)
        visibility[at] = 0.32 + 0.68 * share / 2
    rough = cv2.blur(visibility.reshape(height // 2, width // 2), (5, 5))
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


# ------------------------------------------------------------------ film


def _develop(colour: Floats, distance: Floats, view: View, stage: Stage, chance: np.random.Generator) -> bytes:
    light = stage.light
    height, width = distance.shape
    image = np.maximum(colour, 0)
    # glare of lamps and the sun
    bright = np.clip(image - 1.1, 0, 6)
    small = cv2.GaussianBlur(cv2.resize(bright, (width // 4, height // 4), interpolation=cv2.INTER_AREA), (0, 0), 2.7)
    image += cv2.GaussianBlur(bright, (0, 0), 2.0) * np.float32(0.5)
    image += cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR) * np.float32(0.35)
    distances = np.clip((np.log(np.minimum(distance, FAR)) - 3.2) * 0.25, 0, 0.55)[..., None].astype(np.float32)
    soft = cv2.GaussianBlur(image, (0, 0), 1.1)
    image = image + (soft - image) * distances
    if not stage.indoors:
        image = _add_weather(image, view, light.mist, chance)
    # the metering gives more weight to the middle, and nights stay dark
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    outward = across * across + down * down
    weight = np.exp(-1.2 * outward)
    level = np.exp(
        float((np.log(dot_with(image, np.full(3, 1 / 3, np.float32)) + 0.004) * weight).sum() / weight.sum())
    )
    target_level = 0.23 if light.darkness < 0.5 or stage.indoors else 0.08
    if light.cloud_cover >= 1 and light.darkness < 0.5:
        target_level = 0.33
    gain = min(target_level / level, 24.0) * 2.0**view.exposure
    warm = np.array([1 + 0.10 * view.warmth, 1.0, 1 - 0.14 * view.warmth], np.float32)
    image = image * (gain * (1 - 0.08 * outward))[..., None].astype(np.float32) * warm
    image = cv2.GaussianBlur(image.astype(np.float32), (0, 0), view.blur * max(width / WIDTH, 0.5))
    film = _film_curve()[
        (np.sqrt(np.clip(image * np.float32(1 / _BRIGHTEST), 0, 1)) * np.float32(4095)).astype(np.uint16)
    ]
    noise = chance.standard_normal((height, width), np.float32)
    coloured = np.stack([noise + 0.5 * np.roll(noise, 37 * n + 11, n % 2) for n in range(3)], -1)
    film = film + coloured * np.float32(view.grain) * (1.2 - film)
    out = BytesIO()
    pixels = np.clip(film * 255 + 0.5, 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(out, "JPEG", quality=view.quality)
    return out.getvalue()


_BRIGHTEST = 8.0


@cache
def _film_curve() -> Floats:
    """Return the film's response as a table, indexed by the square root of the light.

    The curve has a toe, a straight part and a shoulder.
    """
    x = (np.linspace(0, 1, 4096, dtype=np.float32) ** 2) * np.float32(_BRIGHTEST * 0.72)
    toned = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1) ** (1 / 2.2)
    return as_float32(toned + 0.10 * (toned - 0.45) * toned * (1 - toned) * 4)


def _add_weather(image: Floats, view: View, mist: Floats, chance: np.random.Generator) -> Floats:
    """Draw falling rain or snow."""
    if view.weather not in ("rain", "snow"):
        return image
    height, width = image.shape[:2]
    layer = np.zeros((height, width), np.float32)
    raining = view.weather == "rain"
    slant = (chance.random() - 0.5) * 0.5
    for _ in range(170 if raining else 380):
        x, y = chance.random() * width, chance.random() * height
        if raining:
            length = 6 + chance.random() * 22
            end = (int(x + slant * length), int(y + length))
            cv2.line(layer, (int(x), int(y)), end, 0.15 + 0.35 * chance.random(), 1, cv2.LINE_AA)
        else:
            size = 1 if chance.random() < 0.8 else 2
            cv2.circle(layer, (int(x), int(y)), size, 0.5 + 0.5 * chance.random(), -1, cv2.LINE_AA)
    veil = cv2.GaussianBlur(layer, (0, 0), 0.7)[..., None] * np.float32(0.55 if raining else 0.9)
    return as_float32(image + (mist * np.float32(1.25) - image) * veil)
