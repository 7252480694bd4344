"""Rays through a solid, followed by Embree."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

from planspec_pictures.rendering.solids import Floats, Solid

Hits: TypeAlias = tuple[NDArray[np.int32], Floats, Floats, Floats]
"""For each ray the first triangle, or -1; where in it, by the weights of its second and third corner; how far."""


class Tracer:
    """The triangles of a solid, sorted for rays."""

    def __init__(self, solid: Solid) -> None:
        self._scene: Any = EmbreeScene()
        TriangleMesh(self._scene, np.ascontiguousarray(solid.points, np.float32))

    def hits(self, origins: Floats, directions: Floats) -> Hits:
        """What each ray meets first."""
        found = self._scene.run(origins, directions, output=True)
        return found["primID"], found["u"], found["v"], found["tfar"]

    def blocked(self, origins: Floats, directions: Floats, within: Floats | None = None) -> NDArray[np.bool_]:
        """Something stands in the ray's way, within so many metres."""
        far = np.full(len(origins), 1e6, np.float32) if within is None else within
        answer: NDArray[np.int32] = self._scene.run(origins, directions, far, query="OCCLUDED")
        return answer >= 0
