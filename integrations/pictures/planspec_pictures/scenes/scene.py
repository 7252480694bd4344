"""A scene of a place, and the range of viewpoints for pictures of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planspec_pictures.rendering.light import Lamp
from planspec_pictures.rendering.paints import Paint
from planspec_pictures.rendering.solids import Solid


@dataclass(frozen=True, slots=True)
class Sight:
    """Range of viewpoints of a scene. At an azimuth of 0 degrees, the camera is in front of the target.

    Attributes:
        target: point in the centre of the picture.
        distance: horizontal distance of the camera from the target, in metres.
        max_azimuth: largest azimuth of the camera to either side, in degrees.
        min_height: least height of the camera, in metres.
        max_height: greatest height of the camera, in metres.
        angle: horizontal angle of view, in degrees.
    """

    target: tuple[float, float, float]
    distance: float
    max_azimuth: float = 38.0
    min_height: float = 1.6
    max_height: float = 4.0
    angle: float = 58.0


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """A complete scene.

    Attributes:
        solid: all triangles; those of the subject come first.
        subject: number of triangles that belong to the subject.
        paints: paints, indexed by the numbers in the solid.
        lamps: lamps, most of which are on only by night.
        sight: possible viewpoints.
        indoors: whether the scene is a room without sky.
    """

    solid: Solid
    subject: int
    paints: Sequence[Paint]
    lamps: Sequence[Lamp]
    sight: Sight
    indoors: bool = False
