"""Pictures of places, photos of them, and the search for the one in the other."""

from planspec.veritrip.pictures.decoding import UnreadablePicture
from planspec.veritrip.pictures.drawing import draw
from planspec.veritrip.pictures.kinds import Kind, kind_of
from planspec.veritrip.pictures.matching import BrokenIndex, Match, PictureIndex
from planspec.veritrip.pictures.photos import Strength, photo

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
