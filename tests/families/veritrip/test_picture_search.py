"""Pictures are found by photos and crops of them, and by nothing else."""

from __future__ import annotations

import sqlite3
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import get_args

import imagehash
import numpy as np
import pytest
from PIL import Image

from planspec.families.veritrip.pictures import (
    BrokenIndex,
    PictureIndex,
    PictureMatch,
    Strength,
    UnreadablePicture,
    draw,
    photo,
)
from planspec.families.veritrip.pictures.chance import Dice
from tests.families.veritrip.pictured_places import PLACES, index, opened, picture, pictures, saved, sight
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pictured-places")]


def claimed_png(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b""))
        + chunk(b"IEND", b"")
    )


# Search


@pytest.mark.parametrize("strength", get_args(Strength))
def test_the_search_finds_the_picture_of_a_photo(strength: Strength) -> None:
    found = [index().search(photo(image, 1, strength))[0].id for image in pictures().values()]
    wrong = [(PLACES[n].name, PLACES[int(one)].name) for n, one in enumerate(found) if int(one) != n]
    assert not wrong


def test_a_picture_finds_itself_with_a_high_score() -> None:
    best = index().search(picture(7))[0]
    assert (best.id, best.distance) == ("7", 0)
    assert 0.75 < best.score < 1


def test_a_plain_crop_is_found() -> None:
    crop = opened(picture(5)).crop((120, 40, 420, 300))
    assert index().search(saved(crop, "JPEG"))[0].id == "5"


def test_a_picture_that_is_not_there_gets_no_high_score() -> None:
    for name in ("Glass Museum", "Oak Park", "Second Bridge"):
        for strength in get_args(Strength):
            matches = index().search(photo(draw(sight(name), PLACES, 0, 9), 1, strength))
            assert all(match.score < 0.5 and match.inliers < 24 for match in matches)


def test_noise_gets_no_high_score() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    assert all(match.score < 0.35 for match in index().search(saved(Image.fromarray(noise))))


def test_matches_come_best_first_and_at_most_k() -> None:
    matches = index().search(photo(picture(4), 1, "mild"), 25)
    assert len(matches) == 25
    assert len({match.id for match in matches}) == 25
    assert matches == sorted(matches, key=lambda match: -match.inliers)
    assert index().search(picture(4), 3) == index().search(picture(4), 10)[:3]
    assert index().search(picture(4), 0) == []


def test_a_saved_index_answers_alike_and_is_the_same_bytes_again(tmp_path: Path) -> None:
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    index().save(one)
    read = PictureIndex.read(one)
    read.save(two)
    assert one.read_bytes() == two.read_bytes()
    assert len(read) == len(PLACES)
    shot = photo(picture(9), 1, "strong")
    assert read.search(shot) == index().search(shot)


def test_saving_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"something else")
    PictureIndex.build([("a", picture(0))]).save(path)
    assert [match.id for match in PictureIndex.read(path).search(picture(0))] == ["a"]


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    PictureIndex.build([]).save(tmp_path / "none.sqlite")
    assert PictureIndex.read(tmp_path / "none.sqlite").search(picture(0)) == []


def test_a_blank_picture_in_the_index_matches_nothing() -> None:
    blank = saved(Image.new("RGB", (512, 384), "white"))
    assert PictureIndex.build([("blank", blank)]).search(picture(0)) == [
        PictureMatch("blank", 0.0, 0, _ones(picture(0)))
    ]


def _ones(image: bytes) -> int:
    return int(imagehash.dhash(opened(image).convert("L").resize((384, 288))).hash.sum())


def test_an_id_can_stand_for_one_picture_only() -> None:
    with pytest.raises(ValueError, match="one id"):
        PictureIndex.build([("a", picture(0)), ("a", picture(1))])


@pytest.mark.parametrize("content", [b"", b"text that is no index", b"SQLite format 3\x00" + b"x" * 200])
def test_a_file_that_is_no_index_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.sqlite"
    path.write_bytes(content)
    with pytest.raises(BrokenIndex):
        PictureIndex.read(path)


def test_a_damaged_index_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    PictureIndex.build([("a", picture(0))]).save(path)
    base = sqlite3.connect(path)
    base.execute("UPDATE pictures SET points = x'0000'")
    base.commit()
    base.close()
    with pytest.raises(BrokenIndex):
        PictureIndex.read(path)


def test_a_missing_index_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        PictureIndex.read(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


# Bad images


@pytest.mark.parametrize(
    "image",
    [
        b"",
        b"no picture",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        claimed_png(100_000, 100_000),
        claimed_png(6_000, 6_000),
        claimed_png(0, 10),
        claimed_png(50, 50),
        saved(Image.new("RGB", (64, 64)), "GIF"),
        saved(Image.new("RGB", (64, 64)), "PPM"),
    ],
)
def test_what_is_no_picture_is_unreadable_everywhere(image: bytes) -> None:
    for use in (
        lambda: index().search(image),
        lambda: photo(image, 1, "mild"),
        lambda: PictureIndex.build([("a", image)]),
    ):
        with pytest.raises(UnreadablePicture):
            use()


def test_a_picture_cut_short_is_unreadable() -> None:
    for length in range(0, len(picture(0)) - 100, 997):
        with pytest.raises(UnreadablePicture):
            index().search(picture(0)[:length])


def test_altered_bytes_are_unreadable_or_searched_but_never_crash() -> None:
    dice = Dice("alter")
    for source in (picture(0), photo(picture(0), 1, "strong")):
        for _ in range(60):
            altered = bytearray(source)
            for _ in range(dice.whole(1, 12)):
                altered[dice.whole(0, len(altered) - 1)] = dice.whole(0, 255)
            try:
                matches = index().search(bytes(altered), 3)
            except UnreadablePicture:
                continue
            assert all(0 <= match.score < 1 for match in matches)


@pytest.mark.parametrize("size", [(1, 1), (8, 8), (1, 4000), (4000, 1), (17, 17)])
def test_an_image_too_small_to_tell_finds_nothing(size: tuple[int, int]) -> None:
    assert index().search(saved(Image.new("RGB", size, (9, 200, 90)))) == []


def test_a_blank_image_finds_nothing() -> None:
    assert index().search(saved(Image.new("RGB", (640, 480), "grey"))) == []


def test_a_photo_of_a_speck_is_refused() -> None:
    with pytest.raises(UnreadablePicture, match="too few"):
        photo(saved(Image.new("RGB", (20, 20))), 1, "mild")


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_pictures_of_any_colours_can_be_searched(mode: str) -> None:
    plain = opened(picture(6)).convert("L") if mode == "I;16" else opened(picture(6)).convert(mode)
    if mode == "I;16":
        plain = Image.fromarray(np.asarray(plain).astype(np.uint16) * 257)
    matches = index().search(saved(plain))
    assert matches[0].id == "6"


def test_a_large_image_is_searched_like_a_small_one() -> None:
    large = opened(picture(8)).resize((4096, 3072))
    assert index().search(saved(large, "JPEG"))[0].id == "8"


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ModuleNotFoundError, match=r"planspec\[images\]"):
        draw(PLACES[0], (), 0, 0)


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = "import sys, planspec.families.veritrip.pictures; print({'PIL', 'cv2', 'numpy', 'imagehash'} & set(sys.modules))"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        == "set()\n"
    )
