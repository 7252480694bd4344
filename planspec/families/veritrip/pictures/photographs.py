"""A folder of photographs that somebody took, in the place of renderings."""

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
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.decoding import MOST_BYTES, UnreadablePictureError, decoded
from planspec.families.veritrip.pictures.extra import imported

LIST = "pictures.csv"
"""The file of a folder that says what its pictures show, here and in a corpus of one's own."""
_COLUMNS = ("file", "place", "city")
_SIDE = 640
_LEAST = 64
_MOST_TOLD = 20

Place = tuple[str, str]
"""City and name."""


class InvalidPhotographsError(UnsuitableSuiteError):
    """A folder whose list or whose photographs cannot be used; the text has a line for each mistake."""


@dataclass(frozen=True, slots=True)
class Photographs:
    """What a folder has of each place.

    Where there are several of a place, the last of them, one in three, are kept for the anchors, and the others are for the corpus.

    Attributes:
        folder: where they are.
        files: of each place, in the order of the list.
        digest: of all of them.
    """

    folder: Path
    files: Mapping[Place, tuple[str, ...]] = field(repr=False)
    digest: str

    def of_corpus(self, place: AnyPlace) -> int:
        """The number of a place's photographs for the corpus."""
        count = len(self.files.get((place.city, place.name), ()))
        return count - _kept(count)

    def can_be_asked(self, place: AnyPlace) -> bool:
        """There is a photograph of the place beside those in the corpus."""
        return len(self.files.get((place.city, place.name), ())) > 1

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """One for the corpus, from 1, as a JPEG without what the camera noted."""
        return _plain(self.folder / self.files[place.city, place.name][number - 1])

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """One by which travellers ask; which, the key decides."""
        files = self.files[place.city, place.name]
        kept = files[len(files) - _kept(len(files)) :]
        return _plain(self.folder / Dice("anchor", place.name, place.city, key).pick(kept))


def _kept(count: int) -> int:
    return max(1, count // 3) if count > 1 else 0


def read_photographs(folder: Path, places: Sequence[AnyPlace]) -> Photographs:
    """The photographs that the folder's `pictures.csv` lists.

    Args:
        folder: has `pictures.csv` with the columns `file` and `place`, and `city` for names that several cities have; files are
            named from the folder on, and are PNG, JPEG or WebP.
        places: what may be shown.

    Raises:
        InvalidPhotographsError: something cannot be used: a column is missing, a place is not known, a file is not in the folder, stands
            twice, or is no picture within bounds. Each mistake has its line.
        OSError: the list cannot be read.
    """
    path = folder / LIST
    if not path.is_file():
        raise InvalidPhotographsError(f"`{folder}` has no `{LIST}`, which says what its photographs show")
    cities: dict[str, list[str]] = {}
    for place in places:
        cities.setdefault(place.name, []).append(place.city)
    found: dict[Place, list[str]] = {}
    seen: dict[Path, int] = {}
    mistakes: list[str] = []
    digest = sha256()
    for line, cells in _lines(path):
        try:
            shown = _place(cells, cities)
            file = _file(folder, cells["file"])
            if file in seen:
                raise _UnusableLineError(f"`{cells['file']}` stands in line {seen[file]} already")
            seen[file] = line
            pixels = _plain(file)
        except _UnusableLineError as mistake:
            mistakes.append(f"{LIST}:{line}: {mistake}")
        except (UnreadablePictureError, OSError, PlanspecError) as error:
            mistakes.append(f"{LIST}:{line}: `{cells['file']}` is no picture that can be used: {error}")
        else:
            found.setdefault(shown, []).append(cells["file"])
            digest.update(pixels)
            digest.update(repr((shown, cells["file"])).encode())
    if mistakes:
        more = [f"and {len(mistakes) - _MOST_TOLD} more"] if len(mistakes) > _MOST_TOLD else []
        raise InvalidPhotographsError(
            "\n".join([f"the photographs of `{folder}` cannot be used:", *mistakes[:_MOST_TOLD], *more])
        )
    if not found:
        raise InvalidPhotographsError(f"`{path}` lists no photograph")
    return Photographs(folder, {place: tuple(files) for place, files in found.items()}, digest.hexdigest())


class _UnusableLineError(ValueError):
    """Why a line cannot be used."""


def _lines(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of the list with the numbers of their lines."""
    rows = csv.reader(
        StringIO(read_text(path, RECORDS_BYTES).removeprefix("\ufeff"), newline=""), strict=True
    )
    made: list[tuple[int, dict[str, str]]] = []
    try:
        head = [cell.strip() for cell in next(rows, [])]
        missing = [name for name in _COLUMNS[:2] if head.count(name) != 1]
        if missing:
            raise InvalidPhotographsError(
                f"{LIST}:1: the first line must name the columns `file` and `place`, each once"
            )
        for row in rows:
            if any(cell.strip() for cell in row):
                cells = {
                    name: cell.strip() for name, cell in zip(head, row, strict=False) if name in _COLUMNS
                }
                made.append((rows.line_num, {name: cells.get(name, "") for name in _COLUMNS}))
    except csv.Error as error:
        raise InvalidPhotographsError(f"{LIST}:{rows.line_num}: {error}") from error
    return made


def _place(cells: Mapping[str, str], cities: Mapping[str, Sequence[str]]) -> Place:
    name, city = cells["place"], cells["city"]
    known = cities.get(name, ())
    if not name:
        raise _UnusableLineError("the cell `place` is empty")
    if not known:
        raise _UnusableLineError(f"there is no place `{name}` in the fact base")
    if city:
        if city not in known:
            raise _UnusableLineError(f"`{name}` is not in {city} but in {', '.join(sorted(set(known)))}")
        return city, name
    if len(set(known)) > 1:
        raise _UnusableLineError(
            f"`{name}` is in {' and in '.join(sorted(set(known)))}: the column `city` must say which"
        )
    return known[0], name


def _file(folder: Path, name: str) -> Path:
    if not name or "\0" in name:
        raise _UnusableLineError("the cell `file` is empty" if not name else "the cell `file` has a NUL")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise _UnusableLineError(f"`{name}` is outside the folder")
    if not path.is_file():
        raise _UnusableLineError(f"there is no file `{name}`")
    return path


def _plain(path: Path) -> bytes:
    """The pixels alone, upright, at most 640 wide or high: what a camera notes could tell the place."""
    if path.stat().st_size > MOST_BYTES:
        raise UnreadablePictureError(f"it has more than {MOST_BYTES:,} bytes")
    image = decoded(read_bytes(path, MOST_BYTES), upright=True)
    if min(image.size) < _LEAST:
        raise UnreadablePictureError(f"{image.width} by {image.height} pixels are too few")
    image.thumbnail((_SIDE, _SIDE), imported("PIL.Image").Resampling.LANCZOS)
    out = BytesIO()
    image.save(out, "JPEG", quality=88)
    return out.getvalue()
