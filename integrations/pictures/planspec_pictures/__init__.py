"""Pictures of the places in VeriTrip's suites, drawn by a ray tracer."""

from planspec_pictures.drawing import anchor, picture
from planspec_pictures.kinds import SceneKind, kind_of
from planspec_pictures.views import Change, View

__all__ = ["Change", "SceneKind", "View", "anchor", "kind_of", "picture"]
