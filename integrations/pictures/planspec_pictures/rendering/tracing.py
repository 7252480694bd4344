"""Rays through a solid, traced by Embree."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

from planspec_pictures.rendering.solids import Floats, Solid

Hits: TypeAlias = tuple[NDArray[np.int32], Floats, Floats, Floats]
"""Values for each ray: triangle (-1 if none), weights of its second and third corner, and distance."""


class Tracer:
    """Index of a solid's triangles for tracing rays."""

    def __init__(self, solid: Solid) -> None:
        self._scene: Any = EmbreeScene()
        TriangleMesh(self._scene, np.ascontiguousarray(solid.points, np.float32))

    def first_hits(self, origins: Floats, directions: Floats) -> Hits:
        """Return the first triangle that each ray hits."""
        output = self._scene.run(origins, directions, output=True)
        return output["primID"], output["u"], output["v"], output["tfar"]

    def is_blocked(self, origins: Floats, directions: Floats, max_distance: Floats | None = None) -> NDArray[np.bool_]:
        """Return for each ray whether it hits something, within a distance in metres if one is given."""
        limits = np.full(len(origins), 1e6, np.float32) if max_distance is None else max_distance
        hit: NDArray[np.int32] = self._scene.run(origins, directions, limits, query="OCCLUDED")
        return hit >= 0
