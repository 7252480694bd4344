"""Rays through a solid, traced by Embree."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

from planspec_pictures.rendering.solids import Floats, Solid

Hits: TypeAlias = tuple[NDArray[np.int32], Floats, Floats, Floats]
"""First triangle of each ray, or -1; the weights of its second and third corner; the distance."""


class Tracer:
    """Triangles of a solid, indexed for rays."""

    def __init__(self, solid: Solid) -> None:
        self._scene: Any = EmbreeScene()
        TriangleMesh(self._scene, np.ascontiguousarray(solid.points, np.float32))

    def hits(self, origins: Floats, directions: Floats) -> Hits:
        """Return the first hit of each ray."""
        found = self._scene.run(origins, directions, output=True)
        return found["primID"], found["u"], found["v"], found["tfar"]

    def blocked(self, origins: Floats, directions: Floats, within: Floats | None = None) -> NDArray[np.bool_]:
        """Return whether something blocks each ray, within a number of metres."""
        far = np.full(len(origins), 1e6, np.float32) if within is None else within
        answer: NDArray[np.int32] = self._scene.run(origins, directions, far, query="OCCLUDED")
        return answer >= 0
