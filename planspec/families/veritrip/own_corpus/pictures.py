"""Reader of a user's pictures, listed in a table with the places that they show."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.families.veritrip.own_corpus.documents import ANCHORS
from planspec.families.veritrip.own_corpus.mistakes import Mistakes
from planspec.families.veritrip.pictures.photographs import PICTURE_LIST
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.tools import IMAGE_ENDINGS


@dataclass(frozen=True, slots=True)
class OwnPicture:
    """A picture of a user's corpus.

    Attributes:
        id: id in the corpus.
        file: file of the picture.
        caption: name of the place that it shows.
    """

    id: str
    file: Path
    caption: str


def read_pictures(folder: Path, mistakes: Mistakes) -> list[OwnPicture]:
    """Read the pictures listed in `pictures.csv`, in the order of the file. There are none without the file.

    Args:
        folder: folder with the table, whose columns are `file`, `place` and, optionally, `city`.
        mistakes: collects the mistakes.

    Raises:
        OSError: The table cannot be read.
    """
    path = folder / PICTURE_LIST
    if not path.is_file():
        return []
    pictures: list[OwnPicture] = []
    seen: dict[str, int] = {}
    try:
        with open_text(path, RECORDS_BYTES, encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened, strict=True)
            missing = [name for name in ("file", "place") if name not in (reader.fieldnames or ())]
            if missing:
                mistakes.add(path, 1, f"there is no column `{missing[0]}`")
                return []
            for row in reader:
                picture = _parse_row(
                    folder,
                    {k: (v or "").strip() for k, v in row.items() if isinstance(k, str) and not isinstance(v, list)},
                )
                if isinstance(picture, str):
                    mistakes.add(path, reader.line_num, picture)
                elif picture.id in seen:
                    mistakes.add(
                        path,
                        reader.line_num,
                        f"the picture `{picture.id}` is already in line {seen[picture.id]}",
                    )
                else:
                    seen[picture.id] = reader.line_num
                    pictures.append(picture)
    except (csv.Error, UnicodeDecodeError) as error:
        mistakes.add(path, None, f"it is no CSV in UTF-8: {error}")
    return pictures


def _parse_row(folder: Path, row: dict[str, str]) -> OwnPicture | str:
    """Return the picture of a row, or a message on why the row is unusable."""
    name, place = row.get("file", ""), row.get("place", "")
    if not name or not place:
        return f"`{'place' if name else 'file'}` is empty"
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        return f"`{name}` is not within the folder"
    if file.suffix.lower() not in IMAGE_ENDINGS:
        return f"`{name}` is no picture: its name ends with none of {', '.join(IMAGE_ENDINGS)}"
    if not file.is_file():
        return f"there is no file `{name}`"
    picture_id = name.replace("/", "-").rsplit(".", 1)[0]
    return OwnPicture(picture_id, file, f"{place}, {row['city']}" if row.get("city") else place)


def read_anchors(folder: Path, queries: Iterable[Query], mistakes: Mistakes) -> list[Path]:
    """Return the files of the queries' pictures in the folder `anchors`. Missing ones are added to `mistakes`."""
    anchors: dict[str, Path] = {}
    for query in queries:
        for image in query.images:
            file = folder / ANCHORS / image
            if Path(image).name != image or not file.is_file():
                mistakes.add(
                    folder / ANCHORS,
                    None,
                    f"there is no picture `{image}`, which the query `{query.id}` shows",
                )
            else:
                anchors[image] = file
    return list(anchors.values())
