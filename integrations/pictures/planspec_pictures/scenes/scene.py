"""A scene at a place, and the ways to look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planspec_pictures.rendering.light import Lamp
from planspec_pictures.rendering.paints import Paint
from planspec_pictures.rendering.solids import Solid


@dataclass(frozen=True, slots=True)
class Sight:
    """Viewpoints of a scene: the camera is placed around the target, in front of it at azimuth 0.

    Attributes:
        target: centre of the picture.
        distance: distance of the camera from the target, over the ground.
        swing: degrees to either side.
        low: least height of the eye over the ground.
        high: greatest height of the eye over the ground.
        angle: width of the picture in degrees.
    """

    target: tuple[float, float, float]
    distance: float
    swing: float = 38.0
    low: float = 1.6
    high: float = 4.0
    angle: float = 58.0


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """A complete scene.

    Attributes:
        solid: solid, beginning with the subject.
        subject: number of triangles of the subject.
        paints: paints that the solid names by number.
        lamps: lamps for the night.
        sight: viewpoints.
        indoors: whether there is no sky.
    """

    solid: Solid
    subject: int
    paints: Sequence[Paint]
    lamps: Sequence[Lamp]
    sight: Sight
    indoors: bool = False
