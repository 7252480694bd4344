"""Pictures of places, and the search for a place by another picture of the same place."""

from planspec.families.veritrip.pictures.album import Album, RenderedAlbum, allot_pictures
from planspec.families.veritrip.pictures.decoding import UnreadablePictureError
from planspec.families.veritrip.pictures.matching import (
    InvalidIndexError,
    PictureFeatures,
    PictureIndex,
    PictureMatch,
    picture_features,
)
from planspec.families.veritrip.pictures.photographs import (
    InvalidPhotographsError,
    PhotographAlbum,
    read_photographs,
)

__all__ = [
    "Album",
    "InvalidIndexError",
    "InvalidPhotographsError",
    "PhotographAlbum",
    "PictureFeatures",
    "PictureIndex",
    "PictureMatch",
    "RenderedAlbum",
    "UnreadablePictureError",
    "allot_pictures",
    "picture_features",
    "read_photographs",
]
