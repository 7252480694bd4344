"""A scene: what stands at a place, and how it may be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planspec_pictures.rendering.light import Lamp
from planspec_pictures.rendering.paints import Paint
from planspec_pictures.rendering.solids import Solid


@dataclass(frozen=True, slots=True)
class Sight:
    """From where a scene is looked at: the camera stands around the target, in front of it at azimuth 0.

    Attributes:
        target: what is in the middle of the picture.
        distance: of the camera from there, over the ground.
        swing: degrees to either side.
        low: of the eye over the ground, at least.
        high: and at most.
        angle: degrees that the picture is wide.
    """

    target: tuple[float, float, float]
    distance: float
    swing: float = 38.0
    low: float = 1.6
    high: float = 4.0
    angle: float = 58.0


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """All of it.

    Attributes:
        solid: the subject first.
        subject: the number of its triangles.
        paints: that the solid names by number.
        lamps: for the night.
        sight: from where it is looked at.
        indoors: without a sky.
    """

    solid: Solid
    subject: int
    paints: Sequence[Paint]
    lamps: Sequence[Lamp]
    sight: Sight
    indoors: bool = False
