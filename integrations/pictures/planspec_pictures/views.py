"""Views of a place: viewpoint, hour, weather and lens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from planspec.families.veritrip.pictures.chance import Dice

Hour: TypeAlias = Literal["dawn", "morning", "noon", "afternoon", "sunset", "dusk", "night"]
Weather: TypeAlias = Literal["clear", "cloudy", "overcast", "fog", "rain", "snow"]
Change: TypeAlias = Literal["viewpoint", "hour", "weather", "crop", "exposure", "all"]
"""Differences between a second view of a place and the first one."""

_HOURS: tuple[Hour, ...] = (
    "morning",
    "noon",
    "afternoon",
    "morning",
    "noon",
    "afternoon",
    "dawn",
    "sunset",
    "dusk",
    "night",
)
_WEATHERS: tuple[Weather, ...] = (
    "clear",
    "clear",
    "clear",
    "cloudy",
    "cloudy",
    "cloudy",
    "overcast",
    "overcast",
    "fog",
    "rain",
    "snow",
)


@dataclass(frozen=True, slots=True)
class View:
    """Parameters of one picture of a scene.

    Attributes:
        azimuth: position of the camera within the range of the scene's `Sight`, from -1 (left) to 1 (right).
        distance: distance of the camera, as a factor of the distance in the `Sight`.
        height: height of the camera within the range of the `Sight`, from 0 to 1.
        hour: time of day.
        weather: weather outside.
        crop: share of the picture's width that remains after cropping.
        aside: position of the remaining part, from -1 to 1 in each direction.
        exposure: additional exposure in stops.
        warmth: warmth of the colours; 0 is neutral.
        roll: tilt of the camera in degrees.
        blur: blur of the lens in pixels.
        grain: strength of the film grain, as a share of full white.
        quality: quality of the JPEG, from 0 to 100.
        chance: seed of passers-by, clouds and grain.
    """

    azimuth: float
    distance: float
    height: float
    hour: Hour
    weather: Weather
    crop: float
    aside: tuple[float, float]
    exposure: float
    warmth: float
    roll: float
    blur: float
    grain: float
    quality: int
    chance: int

    @classmethod
    def draw(cls, dice: Dice) -> View:
        """Draw a random view."""

        def uniform(low: float, high: float) -> float:
            return low + (high - low) * dice.integer(0, 10_000) / 10_000

        return cls(
            azimuth=uniform(-1, 1),
            distance=uniform(0.8, 1.25),
            height=uniform(0, 1),
            hour=dice.pick(_HOURS),
            weather=dice.pick(_WEATHERS),
            crop=uniform(0.82, 1.0),
            aside=(uniform(-1, 1), uniform(-1, 1)),
            exposure=uniform(-0.35, 0.35),
            warmth=uniform(-0.5, 0.5),
            roll=uniform(-1.2, 1.2),
            blur=uniform(0.3, 0.6),
            grain=uniform(0.004, 0.013),
            quality=dice.integer(78, 92),
            chance=dice.seed(),
        )

    def change_view(self, dice: Dice, change: Change = "all") -> View:
        """Return another view of the same scene, like a picture by another visitor.

        Args:
            dice: source of the choices.
            change: attribute of the view to change.
        """
        other = View.draw(dice)
        # a clearly different viewpoint, but not from behind
        step = (0.35 + 0.5 * dice.integer(0, 1000) / 1000) * dice.pick((-1, 1))
        azimuth = self.azimuth + step if abs(self.azimuth + step) <= 1 else self.azimuth - step
        hours = tuple(hour for hour in _HOURS if hour != self.hour)
        weathers = tuple(weather for weather in _WEATHERS if weather != self.weather)
        moved = replace(self, azimuth=azimuth, distance=other.distance, height=other.height, chance=other.chance)
        later, wetter = dice.pick(hours), dice.pick(weathers)
        crop = 0.62 + 0.18 * dice.integer(0, 1000) / 1000
        stops = (0.5 + 0.5 * dice.integer(0, 1000) / 1000) * dice.pick((-1, 1))
        warmth = dice.pick((-1, 1)) * (0.4 + 0.6 * dice.integer(0, 1000) / 1000)
        grain = 0.015 + 0.025 * dice.integer(0, 1000) / 1000
        quality = dice.integer(45, 75)
        match change:
            case "viewpoint":
                return moved
            case "hour":
                return replace(self, hour=later, chance=other.chance)
            case "weather":
                return replace(self, weather=wetter, chance=other.chance)
            case "crop":
                return replace(self, crop=crop * self.crop, aside=other.aside)
            case "exposure":
                return replace(self, exposure=stops, warmth=warmth, grain=grain, quality=quality)
            case "all":
                return replace(
                    moved,
                    hour=later,
                    weather=wetter,
                    crop=crop,
                    aside=other.aside,
                    exposure=stops,
                    warmth=warmth,
                    roll=other.roll * 2,
                    blur=other.blur * 1.6,
                    grain=grain,
                    quality=quality,
                )
