"""Pictures of one's own, beside a table that says of which place each is."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.families.veritrip.own_corpus.documents import ANCHORS
from planspec.families.veritrip.own_corpus.mistakes import Mistakes
from planspec.families.veritrip.pictures.photographs import LIST
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.tools import IMAGE_ENDINGS


@dataclass(frozen=True, slots=True)
class OwnPicture:
    """A picture: its id in the corpus, its file, and what the search tells of it."""

    id: str
    file: Path
    caption: str


def read_pictures(folder: Path, mistakes: Mistakes) -> list[OwnPicture]:
    """The pictures that `pictures.csv` names, in its order; none where there is no such file.

    Args:
        folder: with the table; its columns are `file`, `place` and, where it is told, `city`.
        mistakes: what is wrong goes here.

    Raises:
        OSError: the table cannot be read.
    """
    path = folder / LIST
    if not path.is_file():
        return []
    made: list[OwnPicture] = []
    seen: dict[str, int] = {}
    try:
        with open_text(path, RECORDS_BYTES, encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened, strict=True)
            missing = [name for name in ("file", "place") if name not in (reader.fieldnames or ())]
            if missing:
                mistakes.add(path, 1, f"there is no column `{missing[0]}`")
                return []
            for row in reader:
                found = _picture(
                    folder,
                    {
                        k: (v or "").strip()
                        for k, v in row.items()
                        if isinstance(k, str) and not isinstance(v, list)
                    },
                )
                if isinstance(found, str):
                    mistakes.add(path, reader.line_num, found)
                elif found.id in seen:
                    mistakes.add(
                        path,
                        reader.line_num,
                        f"the picture `{found.id}` stands in line {seen[found.id]}, too",
                    )
                else:
                    seen[found.id] = reader.line_num
                    made.append(found)
    except (csv.Error, UnicodeDecodeError) as error:
        mistakes.add(path, None, f"it is no CSV in UTF-8: {error}")
    return made


def _picture(folder: Path, row: dict[str, str]) -> OwnPicture | str:
    """The picture of a row, or what is wrong with the row."""
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
    called = name.replace("/", "-").rsplit(".", 1)[0]
    return OwnPicture(called, file, f"{place}, {row['city']}" if row.get("city") else place)


def read_anchors(folder: Path, queries: Iterable[Query], mistakes: Mistakes) -> list[Path]:
    """The pictures that queries show, as files of the folder `anchors`."""
    made: dict[str, Path] = {}
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
                made[image] = file
    return list(made.values())
