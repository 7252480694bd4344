"""Pictures of places, other views of them, and the search for the one by the other."""

from planspec.families.veritrip.pictures.album import Album, Renderings, allotted, anchor, picture
from planspec.families.veritrip.pictures.decoding import UnreadablePictureError
from planspec.families.veritrip.pictures.kinds import SceneKind, kind_of
from planspec.families.veritrip.pictures.matching import (
    InvalidIndexError,
    PictureFeatures,
    PictureIndex,
    PictureMatch,
    picture_features,
)
from planspec.families.veritrip.pictures.photographs import (
    InvalidPhotographsError,
    Photographs,
    read_photographs,
)
from planspec.families.veritrip.pictures.views import Change, View

__all__ = [
    "Album",
    "Change",
    "InvalidIndexError",
    "InvalidPhotographsError",
    "Photographs",
    "PictureFeatures",
    "PictureIndex",
    "PictureMatch",
    "Renderings",
    "SceneKind",
    "UnreadablePictureError",
    "View",
    "allotted",
    "anchor",
    "kind_of",
    "picture",
    "picture_features",
    "read_photographs",
]
