"""Photographs in a folder, used instead of renderings."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO, StringIO
from pathlib import Path

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes, read_text
from planspec.errors import PlanspecError
from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.decoding import (
    MOST_BYTES,
    UnreadablePictureError,
    decode_picture,
)
from planspec.families.veritrip.pictures.extra import import_extra
from planspec.suite_writing.options import UnsuitableSuiteError

PICTURE_LIST = "pictures.csv"
"""File that lists the pictures of a folder and the places that they show."""
_COLUMNS = ("file", "place", "city")
_MAX_SIDE = 640
_MIN_SIDE = 64
_MOST_SHOWN = 20

CityAndName = tuple[str, str]
"""City and name."""


class InvalidPhotographsError(UnsuitableSuiteError):
    """The list or the photographs of a folder cannot be used. The message has a line for each mistake."""


@dataclass(frozen=True, slots=True)
class PhotographAlbum:
    """Photographs in a folder, by place.

    If a place has several photographs, the last third (at least one) is reserved for queries. The other
    photographs are for the corpus.

    Attributes:
        folder: folder of the files.
        files: file names by city and name of the place, in the order of the list.
        digest: SHA-256 of all photographs and their places.
    """

    folder: Path
    files: Mapping[CityAndName, tuple[str, ...]] = field(repr=False)
    digest: str

    def corpus_count(self, place: AnyPlace) -> int:
        """Return the number of photographs of a place for the corpus."""
        count = len(self.files.get((place.city, place.name), ()))
        return count - _reserved_count(count)

    def has_query_picture(self, place: AnyPlace) -> bool:
        """Return whether a photograph of the place is reserved for queries."""
        return len(self.files.get((place.city, place.name), ())) > 1

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a photograph for the corpus, numbered from 1, as a JPEG without metadata."""
        return _read_as_jpeg(self.folder / self.files[place.city, place.name][number - 1])

    def query_picture(self, place: AnyPlace, key: str) -> bytes:
        """Return a photograph for a query, as a JPEG without metadata. The key selects one of several."""
        files = self.files[place.city, place.name]
        reserved = files[len(files) - _reserved_count(len(files)) :]
        return _read_as_jpeg(self.folder / Dice("anchor", place.name, place.city, key).pick(reserved))


def _reserved_count(count: int) -> int:
    return max(1, count // 3) if count > 1 else 0


def read_photographs(folder: Path, places: Sequence[AnyPlace]) -> PhotographAlbum:
    """Read the photographs listed in the folder's `pictures.csv`.

    Args:
        folder: folder with `pictures.csv` and PNG, JPEG or WebP files. The columns are `file` (relative to
            the folder), `place`, and `city`. The city is only needed if several cities have the name.
        places: places that photographs may show.

    Raises:
        InvalidPhotographsError: A column is missing, a place is unknown, or a file is missing, repeated, or
            not a picture within the limits. The message has a line for each mistake.
        OSError: The list cannot be read.
    """
    path = folder / PICTURE_LIST
    if not path.is_file():
        raise InvalidPhotographsError(f"`{folder}` has no `{PICTURE_LIST}`, which says what its photographs show")
    cities: dict[str, list[str]] = {}
    for place in places:
        cities.setdefault(place.name, []).append(place.city)
    files_by_place: dict[CityAndName, list[str]] = {}
    seen: dict[Path, int] = {}
    mistakes: list[str] = []
    digest = sha256()
    for line, cells in _read_rows(path):
        try:
            shown = _find_place(cells, cities)
            file = _find_file(folder, cells["file"])
            if file in seen:
                raise _UnusableLineError(f"`{cells['file']}` is already in line {seen[file]}")
            seen[file] = line
            pixels = _read_as_jpeg(file)
        except _UnusableLineError as mistake:
            mistakes.append(f"{PICTURE_LIST}:{line}: {mistake}")
        except (UnreadablePictureError, OSError, PlanspecError) as error:
            mistakes.append(f"{PICTURE_LIST}:{line}: `{cells['file']}` cannot be used as a picture: {error}")
        else:
            files_by_place.setdefault(shown, []).append(cells["file"])
            digest.update(pixels)
            digest.update(repr((shown, cells["file"])).encode())
    if mistakes:
        more = [f"and {len(mistakes) - _MOST_SHOWN} more"] if len(mistakes) > _MOST_SHOWN else []
        raise InvalidPhotographsError(
            "\n".join([f"the photographs of `{folder}` cannot be used:", *mistakes[:_MOST_SHOWN], *more])
        )
    if not files_by_place:
        raise InvalidPhotographsError(f"`{path}` lists no photograph")
    return PhotographAlbum(folder, {place: tuple(files) for place, files in files_by_place.items()}, digest.hexdigest())


class _UnusableLineError(ValueError):
    """The line cannot be used, for the reason in the message."""


def _read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of the list as pairs of line number and cells."""
    rows = csv.reader(StringIO(read_text(path, RECORDS_BYTES).removeprefix("\ufeff"), newline=""), strict=True)
    numbered: list[tuple[int, dict[str, str]]] = []
    try:
        head = [cell.strip() for cell in next(rows, [])]
        missing = [name for name in _COLUMNS[:2] if head.count(name) != 1]
        if missing:
            raise InvalidPhotographsError(
                f"{PICTURE_LIST}:1: the first line must name the columns `file` and `place`, each once"
            )
        for row in rows:
            if any(cell.strip() for cell in row):
                cells = {name: cell.strip() for name, cell in zip(head, row, strict=False) if name in _COLUMNS}
                numbered.append((rows.line_num, {name: cells.get(name, "") for name in _COLUMNS}))
    except csv.Error as error:
        raise InvalidPhotographsError(f"{PICTURE_LIST}:{rows.line_num}: {error}") from error
    return numbered


def _find_place(cells: Mapping[str, str], cities: Mapping[str, Sequence[str]]) -> CityAndName:
    name, city = cells["place"], cells["city"]
    place_cities = cities.get(name, ())
    if not name:
        raise _UnusableLineError("the cell `place` is empty")
    if not place_cities:
        raise _UnusableLineError(f"there is no place `{name}` in the fact base")
    if city:
        if city not in place_cities:
            raise _UnusableLineError(f"`{name}` is not in {city} but in {', '.join(sorted(set(place_cities)))}")
        return city, name
    if len(set(place_cities)) > 1:
        raise _UnusableLineError(
            f"`{name}` is in {' and in '.join(sorted(set(place_cities)))}: the column `city` must say which"
        )
    return place_cities[0], name


def _find_file(folder: Path, name: str) -> Path:
    if not name or "\0" in name:
        raise _UnusableLineError("the cell `file` is empty" if not name else "the cell `file` has a NUL")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise _UnusableLineError(f"`{name}` is outside the folder")
    if not path.is_file():
        raise _UnusableLineError(f"there is no file `{name}`")
    return path


def _read_as_jpeg(path: Path) -> bytes:
    """Return a picture as an upright JPEG without metadata, which could reveal the place.

    It is at most 640 pixels wide and high.
    """
    if path.stat().st_size > MOST_BYTES:
        raise UnreadablePictureError(f"it has more than {MOST_BYTES:,} bytes")
    image = decode_picture(read_bytes(path, MOST_BYTES), upright=True)
    if min(image.size) < _MIN_SIDE:
        raise UnreadablePictureError(f"{image.width} by {image.height} pixels are too few")
    image.thumbnail((_MAX_SIDE, _MAX_SIDE), import_extra("PIL.Image").Resampling.LANCZOS)
    out = BytesIO()
    image.save(out, "JPEG", quality=88)
    return out.getvalue()
