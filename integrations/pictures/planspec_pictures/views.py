"""Views of a place: viewpoint, time, weather and lens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from planspec.families.veritrip.pictures.chance import Dice

Hour: TypeAlias = Literal["dawn", "morning", "noon", "afternoon", "sunset", "dusk", "night"]
Weather: TypeAlias = Literal["clear", "cloudy", "overcast", "fog", "rain", "snow"]
Change: TypeAlias = Literal["viewpoint", "hour", "weather", "crop", "exposure", "all"]
"""Difference of a second view of a place from the first one."""

_HOURS: tuple[Hour, ...] = ("morning", "noon", "afternoon", "morning", "noon", "afternoon", "dawn", "sunset", "dusk", "night")  # fmt: skip
_WEATHERS: tuple[Weather, ...] = ("clear", "clear", "clear", "cloudy", "cloudy", "cloudy", "overcast", "overcast", "fog", "rain", "snow")  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """A photograph to be taken.

    Attributes:
        azimuth: viewpoint, as a share of the scene's range: -1 is from the left, 1 from the right.
        distance: factor of the scene's own distance.
        height: height of the eye, as a share of the scene's range.
        hour: time of day.
        weather: weather.
        crop: share of the width that is kept.
        aside: position of the kept part, -1 to 1 in each direction.
        exposure: additional stops of exposure.
        warmth: warmth of the colours; 0 is neutral.
        roll: tilt of the camera, in degrees.
        blur: blur of the lens, in pixels.
        grain: grain of the film, in shares of full white.
        quality: quality of the JPEG.
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
    def by(cls, dice: Dice) -> View:
        """Draw a random view."""

        def share(low: float, high: float) -> float:
            return low + (high - low) * dice.whole(0, 10_000) / 10_000

        return cls(
            azimuth=share(-1, 1),
            distance=share(0.8, 1.25),
            height=share(0, 1),
            hour=dice.pick(_HOURS),
            weather=dice.pick(_WEATHERS),
            crop=share(0.82, 1.0),
            aside=(share(-1, 1), share(-1, 1)),
            exposure=share(-0.35, 0.35),
            warmth=share(-0.5, 0.5),
            roll=share(-1.2, 1.2),
            blur=share(0.3, 0.6),
            grain=share(0.004, 0.013),
            quality=dice.whole(78, 92),
            chance=dice.number(),
        )

    def changed(self, dice: Dice, change: Change = "all") -> View:
        """Return another view, as taken by a visitor with another camera.

        Args:
            dice: source of the choices.
            change: the one difference, or all of them.
        """
        other = View.by(dice)
        # a viewpoint from the other side is well apart, but not behind the place
        step = (0.35 + 0.5 * dice.whole(0, 1000) / 1000) * dice.pick((-1, 1))
        azimuth = self.azimuth + step if abs(self.azimuth + step) <= 1 else self.azimuth - step
        hours = tuple(hour for hour in _HOURS if hour != self.hour)
        weathers = tuple(weather for weather in _WEATHERS if weather != self.weather)
        moved = replace(
            self, azimuth=azimuth, distance=other.distance, height=other.height, chance=other.chance
        )
        later, wetter = dice.pick(hours), dice.pick(weathers)
        crop = 0.62 + 0.18 * dice.whole(0, 1000) / 1000
        stops = (0.5 + 0.5 * dice.whole(0, 1000) / 1000) * dice.pick((-1, 1))
        warmth = dice.pick((-1, 1)) * (0.4 + 0.6 * dice.whole(0, 1000) / 1000)
        grain = 0.015 + 0.025 * dice.whole(0, 1000) / 1000
        quality = dice.whole(45, 75)
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
                    moved, hour=later, weather=wetter, crop=crop, aside=other.aside, exposure=stops,
                    warmth=warmth, roll=other.roll * 2, blur=other.blur * 1.6, grain=grain, quality=quality,
                )  # fmt: skip
