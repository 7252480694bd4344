"""The photographs in a folder are used instead of renderings. Unusable lines of the folder's list are reported."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures import InvalidPhotographsError, allot_pictures, read_photographs
from tests.families.veritrip.pictured_places import sight, table

PLACES: tuple[AnyPlace, ...] = (sight("Moss Museum"), sight("Elm Park"), table("Table", "Seafood"))


def photograph(seed: int, size: tuple[int, int] = (320, 240)) -> Image.Image:
    """Return a random picture."""
    noise = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    return Image.fromarray(noise).resize(size)


def write_folder(folder: Path, lines: str, count: int = 8) -> Path:
    """Write a folder of photographs with this text as its list."""
    (folder / "more").mkdir()
    for number in range(count):
        photograph(number).save(folder / f"{number}.jpg")
    photograph(99).save(folder / "more" / "inside.png")
    (folder / "pictures.csv").write_text(lines, "utf-8")
    return folder


def test_the_last_photographs_of_a_place_are_reserved_for_queries(tmp_path: Path) -> None:
    lines = (
        "file,place,city\n"
        + "".join(f"{n}.jpg,Moss Museum,\n" for n in range(6))
        + "6.jpg,Elm Park,Aldorf\nmore/inside.png,Table,\n7.jpg,Table,\n"
    )
    album = read_photographs(write_folder(tmp_path, lines), PLACES)
    assert [album.corpus_count(place) for place in PLACES] == [4, 1, 1]
    assert [album.has_query_picture(place) for place in PLACES] == [True, False, True]
    shots = allot_pictures(PLACES, album, 100)
    assert shots == [(place, 1) for place in PLACES] + [(PLACES[0], number) for number in (2, 3, 4)]
    corpus = {album.picture(place, number) for place, number in shots}
    anchors = {album.query_picture(PLACES[0], str(key)) for key in range(12)}
    assert len(corpus) == 6 and len(anchors) == 2
    assert not corpus & anchors
    assert album.query_picture(PLACES[2], "a") == album.query_picture(PLACES[2], "b")


def test_the_orientation_is_the_only_metadata_of_a_photograph_that_is_used(tmp_path: Path) -> None:
    write_folder(tmp_path, "file,place\nturned.jpg,Elm Park\n")
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "Elm Park, Aldorf"
    photograph(1, (1600, 900)).save(tmp_path / "turned.jpg", exif=exif)
    image = Image.open(BytesIO(read_photographs(tmp_path, PLACES).picture(PLACES[1], 1)))
    assert image.size == (360, 640)
    assert not image.getexif()
    assert b"Aldorf" not in image.tobytes()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0.jpg,Nowhere,", "there is no place `Nowhere`"),
        ("0.jpg,,", "the cell `place` is empty"),
        (",Elm Park,", "the cell `file` is empty"),
        ("none.jpg,Elm Park,", "there is no file `none.jpg`"),
        ("more,Elm Park,", "there is no file `more`"),
        ("../secret.jpg,Elm Park,", "`../secret.jpg` is outside the folder"),
        ("0.jpg,Elm Park,Brunn", "`Elm Park` is not in Brunn but in Aldorf"),
        (
            "pictures.csv,Elm Park,",
            "`pictures.csv` cannot be used as a picture: no readable PNG, JPEG or WebP",
        ),
        ("cut.jpg,Elm Park,", "`cut.jpg` cannot be used as a picture: no readable PNG, JPEG or WebP"),
        ("bomb.png,Elm Park,", "`bomb.png` cannot be used as a picture"),
        ("speck.png,Elm Park,", "20 by 20 pixels are too few"),
        ("1.jpg,Elm Park,", "`1.jpg` is already in line 2"),
    ],
)
def test_an_unusable_line_is_reported_with_its_position(line: str, message: str, tmp_path: Path) -> None:
    photograph(5).save(tmp_path / "secret.jpg")
    (tmp_path / "f").mkdir()
    folder = write_folder(tmp_path / "f", f"file,place,city\n1.jpg,Moss Museum,\n{line}\n")
    (folder / "cut.jpg").write_bytes((folder / "0.jpg").read_bytes()[:300])
    (folder / "bomb.png").write_bytes(_decompression_bomb())
    photograph(1, (20, 20)).save(folder / "speck.png")
    with pytest.raises(InvalidPhotographsError) as raised:
        read_photographs(folder, PLACES)
    assert "pictures.csv:3: " in str(raised.value)
    assert message in str(raised.value)


def test_all_mistakes_are_reported_at_once_up_to_a_limit(tmp_path: Path) -> None:
    lines = "file,place\n" + "".join(f"none-{n}.jpg,Elm Park\n" for n in range(30))
    with pytest.raises(InvalidPhotographsError) as raised:
        read_photographs(write_folder(tmp_path, lines), PLACES)
    messages = str(raised.value).splitlines()
    assert messages[1] == "pictures.csv:2: there is no file `none-0.jpg`"
    assert messages[-1] == "and 10 more"
    assert len(messages) == 22


def test_a_name_in_two_cities_needs_the_city(tmp_path: Path) -> None:
    from dataclasses import replace

    twice = (*PLACES, replace(sight("Elm Park"), city="Brunn"))
    with pytest.raises(InvalidPhotographsError, match="in Aldorf and in Brunn: the column `city` must say which"):
        read_photographs(write_folder(tmp_path, "file,place\n0.jpg,Elm Park\n"), twice)
    (tmp_path / "pictures.csv").write_text("city,file,place\nBrunn,0.jpg,Elm Park\n", "utf-8")
    album = read_photographs(tmp_path, twice)
    assert [album.corpus_count(place) for place in twice] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "pictures.csv:1: the first line must name"),
        ("picture,place\n0.jpg,Elm Park\n", "pictures.csv:1: the first line must name"),
        ("file,place,file\n", "pictures.csv:1: the first line must name"),
        ("file,place\n", "lists no photograph"),
        ('file,place\n"0.jpg,Elm Park\n', "pictures.csv:"),
    ],
)
def test_an_invalid_list_is_reported(lines: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidPhotographsError, match=message):
        read_photographs(write_folder(tmp_path, lines), PLACES)


def test_a_missing_list_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InvalidPhotographsError, match=r"has no `pictures\.csv`"):
        read_photographs(tmp_path, PLACES)


def _decompression_bomb() -> bytes:
    """Return a small PNG whose header declares a huge number of pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
