"""Pictures of places, photos of them, and the search for the one in the other."""

from planspec.families.veritrip.pictures.decoding import UnreadablePicture
from planspec.families.veritrip.pictures.drawing import draw
from planspec.families.veritrip.pictures.kinds import Kind, kind_of
from planspec.families.veritrip.pictures.matching import BrokenIndex, Match, PictureIndex
from planspec.families.veritrip.pictures.photos import Strength, photo

__all__ = [
    "BrokenIndex",
    "Kind",
    "Match",
    "PictureIndex",
    "Strength",
    "UnreadablePicture",
    "draw",
    "kind_of",
    "photo",
]
