"""The camera: its position, its rays and its film."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image

from planspec_pictures.rendering.light import light_of
from planspec_pictures.rendering.paints import PaintTable
from planspec_pictures.rendering.shading import FAR, Stage, TracedRays, trace
from planspec_pictures.rendering.solids import Array, Floats, along, dots, single
from planspec_pictures.rendering.tracing import Hits, Tracer
from planspec_pictures.views import View

if TYPE_CHECKING:
    from planspec_pictures.scenes.scene import Scene

WIDTH = 480
_TRIES = 7
_SHELTERED = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class _Camera:
    """Position of the eye and axes of the picture; `wide` is half the picture's width at a distance of 1."""

    eye: Floats
    ahead: Floats
    right: Floats
    up: Floats
    wide: float
    shift: tuple[float, float]
    width: int
    height: int

    def rays(self, x: Array, y: Array) -> Floats:
        """Return the rays through pixels of the picture, counted from its upper left corner."""
        a = ((x / self.width * 2 - 1) * self.wide + self.shift[0])[:, None]
        b = ((1 - y / self.height * 2) * self.wide * self.height / self.width + self.shift[1])[:, None]
        rays = self.ahead + a * self.right + b * self.up
        return (rays / np.sqrt(dots(rays, rays))[:, None]).astype(np.float32)


def photograph(scene: Scene, view: View, width: int = WIDTH) -> bytes:
    """Photograph a scene as a JPEG of the given width, three quarters of it high.

    The bytes are the same for the same arguments, versions of the libraries, and kind of processor.
    """
    chance = np.random.Generator(np.random.PCG64(view.chance))
    tracer = Tracer(scene.solid)
    camera = _place_camera(scene, view, tracer, width)
    bearing = -math.pi / 2 + (chance.random() - 0.5) * 2.9
    if view.hour in ("dawn", "sunset", "dusk"):
        bearing = math.pi / 2 + (chance.random() - 0.5) * 5.2
    light = light_of(
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
    """Return the view's own camera, or one beside it that shows more of the subject."""
    best, most = None, -1.0
    for turn in range(_TRIES):
        # first at the planned position, then further and further to both sides
        camera = _camera(
            scene, view, width, (turn + 1) // 2 * (1 if turn % 2 else -1) * 0.16, 1 + 0.05 * turn
        )
        x, y = np.meshgrid(
            np.linspace(0.02, 0.98, 26) * camera.width, np.linspace(0.02, 0.98, 20) * camera.height
        )
        rays = camera.rays(x.ravel(), y.ravel())
        triangle, _, _, far = tracer.hits(np.tile(camera.eye, (len(rays), 1)), rays)
        shown = ((triangle >= 0) & (triangle < scene.subject)).mean()
        near = ((triangle >= 0) & (far < 2.5) & (rays[:, 2] > -0.25)).mean()
        worth = min(float(shown), 0.22) - float(near)
        if worth > most + 0.02:
            best, most = camera, worth
        if most >= 0.2:
            break
    assert best is not None
    return best


def _camera(scene: Scene, view: View, width: int, aside: float, closer: float) -> _Camera:
    sight = scene.sight
    azimuth = math.radians(max(-1.0, min(1.0, view.azimuth + aside)) * sight.swing)
    target = np.array(sight.target, np.float32)
    reach = sight.distance * view.distance / closer
    high = sight.low + (sight.high - sight.low) * view.height
    eye = target + np.array([math.sin(azimuth) * reach, -math.cos(azimuth) * reach, 0], np.float32)
    eye[2] = high
    ahead = target - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, np.array([0, 0, 1], np.float32))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    roll = math.radians(view.roll)
    right, up = right * math.cos(roll) + up * math.sin(roll), up * math.cos(roll) - right * math.sin(roll)
    wide = math.tan(math.radians(sight.angle / 2))
    left = wide * (1 - view.crop)
    shift = (view.aside[0] * left, view.aside[1] * left * 0.75)
    return _Camera(
        eye.astype(np.float32), ahead.astype(np.float32), right.astype(np.float32), up.astype(np.float32),
        wide * view.crop, shift, width, width * 3 // 4,
    )  # fmt: skip


def _expose(stage: Stage, camera: _Camera, chance: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the light on each pixel, and the distance from which it comes."""
    width, height = camera.width, camera.height
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    rays = camera.rays(x.ravel() + np.float32(0.36), y.ravel() + np.float32(0.64))
    origins = np.tile(camera.eye, (len(rays), 1))
    pixel = 2 * camera.wide / width
    hits = stage.tracer.hits(origins, rays)
    shelter = _shelter(stage, origins, rays, hits, (height, width), chance)
    first = trace(stage, origins, rays, pixel, shelter.ravel(), hits=hits)
    colour = first.colour.reshape(height, width, 3)
    edges = _edges(first, width, height)
    at = np.flatnonzero(edges)
    if len(at):
        finer = np.zeros((len(at), 3), np.float32)
        for dx, dy in ((0.86, 0.14),):
            aside = camera.rays(x.ravel()[at] + np.float32(dx), y.ravel()[at] + np.float32(dy))
            finer += trace(stage, origins[at], aside, pixel, shelter.ravel()[at]).colour
        flat = colour.reshape(-1, 3)
        flat[at] = (flat[at] + finer) / 2
    return colour, first.distance.reshape(height, width)


def _edges(first: TracedRays, width: int, height: int) -> Array:
    """Return the pixels whose neighbours show something else."""
    triangle = first.triangle.reshape(height, width)
    depth = np.log(first.distance.reshape(height, width))
    level = np.log((along(first.colour, np.ones(3, np.float32))).reshape(height, width) + 0.02)
    other = np.zeros((height, width), bool)
    for axis in (0, 1):
        jump = np.abs(np.diff(depth, axis=axis)) > 0.06
        jump |= (np.diff(triangle, axis=axis) != 0) & (np.abs(np.diff(level, axis=axis)) > 0.16)
        if axis:
            other[:, 1:] |= jump
        else:
            other[1:] |= jump
    return other.ravel()


def _shelter(
    stage: Stage,
    origins: Floats,
    rays: Floats,
    hits: Hits,
    shape: tuple[int, int],
    chance: np.random.Generator,
) -> Floats:
    """Return the share of the sky visible from each pixel's point, sampled at every second pixel."""
    height, width = shape
    chosen = np.arange(height * width).reshape(shape)[::2, ::2].ravel()
    origins, rays = origins[chosen], rays[chosen]
    triangle, u, v, far = (one[chosen] for one in hits)
    free = np.ones(len(rays), np.float32)
    at = np.flatnonzero(triangle >= 0)
    if len(at):
        normal = np.einsum(
            "nij,ni->nj", stage.solid.normals[triangle[at]], np.stack([1 - u[at] - v[at], u[at], v[at]], 1)
        )
        normal *= np.where(dots(normal, rays[at]) > 0, np.float32(-1), np.float32(1))[:, None]
        point = origins[at] + rays[at] * far[at, None] + normal * 0.03
        share = np.zeros(len(at), np.float32)
        for _ in range(2):
            way = chance.standard_normal((len(at), 3)).astype(np.float32)
            way = normal * 1.02 + way / np.sqrt(dots(way, way))[:, None]
            way /= np.maximum(np.sqrt(dots(way, way)), 1e-6)[:, None]
            reach = np.full(len(at), _SHELTERED, np.float32) + far[at] * np.float32(0.06)
            share += ~stage.tracer.blocked(point.astype(np.float32), way.astype(np.float32), reach)
        free[at] = 0.32 + 0.68 * share / 2
    rough = cv2.blur(free.reshape(height // 2, width // 2), (5, 5))
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


# ------------------------------------------------------------------ film


def _develop(
    colour: Floats, distance: Floats, view: View, stage: Stage, chance: np.random.Generator
) -> bytes:
    light = stage.light
    height, width = distance.shape
    image = np.maximum(colour, 0)
    # glare of lamps and the sun
    bright = np.clip(image - 1.1, 0, 6)
    small = cv2.GaussianBlur(
        cv2.resize(bright, (width // 4, height // 4), interpolation=cv2.INTER_AREA), (0, 0), 2.7
    )
    image += cv2.GaussianBlur(bright, (0, 0), 2.0) * np.float32(0.5)
    image += cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR) * np.float32(0.35)
    far = np.clip((np.log(np.minimum(distance, FAR)) - 3.2) * 0.25, 0, 0.55)[..., None].astype(np.float32)
    soft = cv2.GaussianBlur(image, (0, 0), 1.1)
    image = image + (soft - image) * far
    if not stage.indoors:
        image = _add_weather(image, view, light.mist, chance)
    # the camera meters the middle more than the edges, and keeps nights dark
    down, across = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    outward = across * across + down * down
    weight = np.exp(-1.2 * outward)
    level = np.exp(
        float((np.log(along(image, np.full(3, 1 / 3, np.float32)) + 0.004) * weight).sum() / weight.sum())
    )
    aim = 0.23 if light.dark < 0.5 or stage.indoors else 0.08
    if light.cover >= 1 and light.dark < 0.5:
        aim = 0.33
    gain = min(aim / level, 24.0) * 2.0**view.exposure
    warm = np.array([1 + 0.10 * view.warmth, 1.0, 1 - 0.14 * view.warmth], np.float32)
    image = image * (gain * (1 - 0.08 * outward))[..., None].astype(np.float32) * warm
    image = cv2.GaussianBlur(image.astype(np.float32), (0, 0), view.blur * max(width / WIDTH, 0.5))
    film = _curve()[
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
def _curve() -> Floats:
    """Return a film's curve by the root of the light: a toe, a straight part, a shoulder."""
    x = (np.linspace(0, 1, 4096, dtype=np.float32) ** 2) * np.float32(_BRIGHTEST * 0.72)
    toned = np.clip(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0, 1) ** (1 / 2.2)
    return single(toned + 0.10 * (toned - 0.45) * toned * (1 - toned) * 4)


def _add_weather(image: Floats, view: View, mist: Floats, chance: np.random.Generator) -> Floats:
    """Add rain and snow in the air."""
    if view.weather not in ("rain", "snow"):
        return image
    height, width = image.shape[:2]
    layer = np.zeros((height, width), np.float32)
    raining = view.weather == "rain"
    slant = (chance.random() - 0.5) * 0.5
    for _ in range(170 if raining else 380):
        x, y = chance.random() * width, chance.random() * height
        if raining:
            long = 6 + chance.random() * 22
            end = (int(x + slant * long), int(y + long))
            cv2.line(layer, (int(x), int(y)), end, 0.15 + 0.35 * chance.random(), 1, cv2.LINE_AA)
        else:
            size = 1 if chance.random() < 0.8 else 2
            cv2.circle(layer, (int(x), int(y)), size, 0.5 + 0.5 * chance.random(), -1, cv2.LINE_AA)
    veil = cv2.GaussianBlur(layer, (0, 0), 0.7)[..., None] * np.float32(0.55 if raining else 0.9)
    return single(image + (mist * np.float32(1.25) - image) * veil)
