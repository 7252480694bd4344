"""Pictures of places, photos of them, and the search for the one in the other."""

from planspec.families.veritrip.pictures.decoding import UnreadablePicture
from planspec.families.veritrip.pictures.drawing import draw
from planspec.families.veritrip.pictures.kinds import SceneKind, kind_of
from planspec.families.veritrip.pictures.matching import BrokenIndex, PictureIndex, PictureMatch
from planspec.families.veritrip.pictures.photos import Strength, photo

__all__ = [
    "BrokenIndex",
    "PictureIndex",
    "PictureMatch",
    "SceneKind",
    "Strength",
    "UnreadablePicture",
    "draw",
    "kind_of",
    "photo",
]
