"""Light of the sun, the sky and lamps, and haze, by hour and weather."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planspec_pictures.rendering.noise import cloud_noise, sample_texture
from planspec_pictures.rendering.solids import Array, Floats, as_float32, dot_with
from planspec_pictures.views import Hour, Weather

_SUN: dict[Hour, tuple[float, tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]] = {
    # by hour: elevation of the sun in degrees, and colours of the sun, the zenith and the horizon
    "dawn": (9, (2.6, 1.55, 0.85), (0.22, 0.34, 0.62), (0.95, 0.66, 0.52)),
    "morning": (28, (2.7, 2.35, 1.9), (0.32, 0.56, 0.98), (1.0, 1.08, 1.16)),
    "noon": (58, (2.9, 2.75, 2.5), (0.30, 0.55, 1.02), (0.96, 1.08, 1.22)),
    "afternoon": (34, (2.8, 2.4, 1.9), (0.31, 0.54, 0.96), (1.02, 1.06, 1.12)),
    "sunset": (5, (2.8, 1.25, 0.5), (0.20, 0.26, 0.52), (1.25, 0.62, 0.32)),
    "dusk": (-4, (0.0, 0.0, 0.0), (0.035, 0.06, 0.17), (0.26, 0.19, 0.25)),
    "night": (-20, (0.0, 0.0, 0.0), (0.004, 0.006, 0.016), (0.028, 0.024, 0.03)),
}


@dataclass(frozen=True, slots=True)
class Lamp:
    """A point light without shadows.

    Attributes:
        position: position in metres.
        colour: power in red, green and blue.
        by_day: whether the lamp is also on by day.
    """

    position: tuple[float, float, float]
    colour: tuple[float, float, float]
    by_day: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """All light of a view.

    Attributes:
        direction: direction towards the sun.
        sun: colour of the sunlight.
        zenith: colour of the sky overhead.
        horizon: colour of the sky at the horizon.
        ground: light reflected by the ground.
        lit_share: share of the windows and lamps that are on.
        cloud_cover: share of the sky that clouds cover.
        extinction: share of the light that the air absorbs per metre.
        mist: colour of the air.
        is_wet: whether the ground is wet.
        has_snow: whether there is snow on the ground.
        cloud_offset: offset of the clouds.
        lamps: positions and colours of the lamps that are on, k by 3 each.
    """

    direction: Floats
    sun: Floats
    zenith: Floats
    horizon: Floats
    ground: Floats
    lit_share: float
    cloud_cover: float
    extinction: float
    mist: Floats
    is_wet: bool
    has_snow: bool
    cloud_offset: float
    lamps: tuple[Floats, Floats]

    @property
    def darkness(self) -> float:
        """Darkness from 0 (day) to 1 (night)."""
        return self.lit_share


def make_light(
    hour: Hour,
    weather: Weather,
    bearing: float,
    cloud_offset: float,
    lamps: list[Lamp],
    view_distance: float,
    *,
    indoors: bool,
) -> Light:
    """Return the light at a given hour and in given weather.

    Args:
        hour: time of day.
        weather: weather outside.
        bearing: bearing of the sun, in radians from x towards y.
        cloud_offset: offset of the clouds.
        lamps: lamps of the scene.
        view_distance: distance of the camera from its target. Fog is thinner in wide scenes.
        indoors: whether the scene is a room.
    """
    degrees, sun, zenith, horizon = _SUN[hour]
    up = math.radians(max(degrees, 4))
    towards = np.array([math.cos(up) * math.cos(bearing), math.cos(up) * math.sin(bearing), math.sin(up)], np.float32)
    rays, above, low = (np.array(one, np.float32) for one in (sun, zenith, horizon))
    cloud_cover, extinction, grey = 0.35, 0.0006, 0.0
    match weather:
        case "clear":
            cloud_cover = 0.12
        case "cloudy":
            cloud_cover = 0.45
        case "overcast":
            cloud_cover, extinction, grey = 1.0, 0.0016, 1.0
        case "fog":
            cloud_cover, extinction, grey = 1.0, 0.013, 1.0
        case "rain":
            cloud_cover, extinction, grey = 1.0, 0.0045, 1.0
        case "snow":
            cloud_cover, extinction, grey = 1.0, 0.005, 1.0
    extinction *= min(1.0, 48 / view_distance)
    if grey:
        level = float(above.mean() * 0.55 + low.mean() * 0.45 + rays.mean() * 0.16)
        tone = np.array([0.94, 0.98, 1.06], np.float32) * level
        above, low, rays = tone * 0.95, tone * 1.05, rays * np.float32(0.06)
    if hour in ("dusk", "night") and weather in ("fog", "overcast", "rain", "snow"):
        # clouds reflect the lights of the town
        above, low = (
            above + np.array([0.02, 0.016, 0.012], np.float32),
            low + np.array([0.035, 0.027, 0.02], np.float32),
        )
    lit_share = {"dusk": 0.85, "night": 1.0, "dawn": 0.15, "sunset": 0.4}.get(hour, 0.0)
    if grey and lit_share == 0:
        lit_share = 0.12
    if indoors:
        above = low = np.array([0.16, 0.155, 0.15], np.float32)
        rays, extinction, lit_share = np.zeros(3, np.float32), 0.0, 1.0
    lit_lamps = [lamp for lamp in lamps if lamp.by_day or lit_share > 0.3]
    strength = 1.0 if indoors else lit_share
    places = np.array([lamp.position for lamp in lit_lamps], np.float32).reshape(-1, 3)
    colours = np.array([lamp.colour for lamp in lit_lamps], np.float32).reshape(-1, 3) * np.float32(strength)
    ground = (rays * np.float32(max(0.0, math.sin(up)) * 0.5) + above) * np.float32(0.22 if weather != "snow" else 0.7)
    mist = low * np.float32(0.92 if grey else 0.85)
    return Light(
        towards,
        rays,
        above,
        low,
        ground,
        lit_share,
        cloud_cover,
        extinction,
        mist.astype(np.float32),
        weather == "rain",
        weather == "snow" and not indoors,
        cloud_offset,
        (places, colours),
    )


def sky_colour(light: Light, directions: Floats) -> Floats:
    """Return the colour of the sky in each direction."""
    rise = np.clip(directions[:, 2], 0.0, 1.0)[:, None]
    colour = light.horizon + (light.zenith - light.horizon) * rise ** np.float32(0.6)
    towards = np.clip(dot_with(directions, light.direction), 0, 1)[:, None]
    glow = light.sun.max() > 0.5
    if glow:
        colour = colour + light.sun * (0.10 * towards**6 + 0.35 * towards**60) + light.sun * 6 * (towards > 0.9996)
    # the clouds lie on a horizontal plane
    scale = 0.22 / np.maximum(directions[:, 2] + 0.09, 0.04)
    u, v = directions[:, 0] * scale + light.cloud_offset, directions[:, 1] * scale + light.cloud_offset * 0.7
    puff = sample_texture(cloud_noise(), u, v)
    fine = sample_texture(cloud_noise(), u * 3.1 + 0.37, v * 3.1)
    thick = puff * 0.72 + fine * 0.28
    edge = 1 - light.cloud_cover * 0.75
    veil = np.clip((thick - edge + 0.13) / 0.26, 0, 1)[:, None] * np.clip(directions[:, 2:] * 9, 0, 1)
    bright = light.horizon * 0.85 + light.sun * (0.16 + 0.25 * towards**4) + light.zenith * 0.15
    shaded = light.horizon * 0.62 + light.zenith * 0.25
    cloud = bright + (shaded - bright) * np.clip((thick[:, None] - edge) * 1.6, 0, 1)
    if light.cloud_cover >= 1:
        return as_float32(colour * (0.82 + 0.36 * thick[:, None]))
    return as_float32(colour + (cloud - colour) * veil)


def add_haze(light: Light, colour: Floats, directions: Floats, distance: Array) -> Floats:
    """Return the colours of points as seen through the air."""
    if light.extinction <= 0:
        return colour
    transmitted = np.exp(-distance * light.extinction)[:, None].astype(np.float32)
    towards = np.clip(dot_with(directions, light.direction), 0, 1)[:, None] ** 5
    haze: NDArray[Any] = light.mist + light.sun * (0.09 * towards)
    return as_float32(colour * transmitted + haze * (1 - transmitted))
