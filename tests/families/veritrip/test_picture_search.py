"""Pictures are found by other pictures of the same subject, and invalid files are refused."""

from __future__ import annotations

import sqlite3
import struct
import subprocess
import sys
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from planspec.families.veritrip.pictures import (
    InvalidIndexError,
    PictureIndex,
    UnreadablePictureError,
    picture_features,
)
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.extra import require_drawing, require_images
from planspec_pictures import Change, anchor
from tests.families.veritrip.pictured_places import (
    PLACES,
    WIDTH,
    decode_image,
    encode_image,
    index,
    picture,
    query_picture,
    sight,
    small_index,
    write_index,
)
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pictured-places")]


def png_with_declared_size(width: int, height: int) -> bytes:
    """Return a PNG with almost no content whose header declares a size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


# Search


@pytest.mark.thorough
def test_the_search_finds_places_by_other_views_of_them() -> None:
    results = [index().search(query_picture(number)) for number in range(len(PLACES))]
    first = sum(matches[0].id == str(n) for n, matches in enumerate(results))
    ten = sum(str(n) in {match.id for match in matches} for n, matches in enumerate(results))
    assert first >= 0.6 * len(PLACES)
    assert ten >= 0.9 * len(PLACES)


@pytest.mark.thorough
@pytest.mark.parametrize("change", ["viewpoint", "hour", "weather", "crop", "exposure"])
def test_a_picture_with_one_change_usually_finds_its_place(change: Change) -> None:
    chosen = range(0, len(PLACES), 5)
    first = sum(index().search(query_picture(n, change))[0].id == str(n) for n in chosen)
    assert first >= 0.75 * len(chosen)


def test_a_picture_finds_itself_with_a_high_score() -> None:
    best = small_index().search(picture(7))[0]
    assert best.id == "7"
    assert best.likeness > 0.9
    assert best.score > 0.9


def test_a_plain_crop_is_found() -> None:
    width, height = decode_image(picture(5)).size
    crop = decode_image(picture(5)).crop((width // 5, height // 8, width * 9 // 10, height * 9 // 10))
    assert small_index().search(encode_image(crop, "JPEG"))[0].id == "5"


@pytest.mark.thorough
def test_a_place_outside_the_index_seldom_gets_a_high_score() -> None:
    names = (
        "Glass Museum",
        "Oak Park",
        "Second Bridge",
        "Blue Tower",
        "Far House",
        "New Theatre",
        "Wide Square",
        "West Lake",
    )
    best = [index().search(anchor(sight(name), "k", 9, width=WIDTH))[0].score for name in names]
    assert sum(score >= 0.5 for score in best) <= 2


def test_an_image_of_noise_has_no_high_score() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    assert all(match.score < 0.5 for match in small_index().search(encode_image(Image.fromarray(noise))))


def test_at_most_k_matches_are_returned_best_first() -> None:
    matches = small_index().search(query_picture(4), 8)
    assert len(matches) == 8
    assert len({match.id for match in matches}) == 8
    assert [match.score for match in matches] == sorted((match.score for match in matches), reverse=True)
    assert small_index().search(picture(4), 3) == small_index().search(picture(4), 10)[:3]
    assert small_index().search(picture(4), 0) == []


def test_an_index_of_the_same_pictures_is_the_same_bytes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    for path in (one, two):
        write_index(path, {"a": picture(0), "b": picture(1)})
    assert one.read_bytes() == two.read_bytes()
    assert len(PictureIndex.read(one)) == 2


def test_writing_replaces_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(b"something else")
    write_index(path, {"a": picture(0)})
    assert [match.id for match in PictureIndex.read(path).search(picture(0))] == ["a"]


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    write_index(tmp_path / "none.sqlite", {})
    assert PictureIndex.read(tmp_path / "none.sqlite").search(picture(0)) == []


def test_a_blank_picture_in_the_index_matches_nothing(tmp_path: Path) -> None:
    write_index(tmp_path / "blank.sqlite", {"blank": encode_image(Image.new("RGB", (512, 384), "white"))})
    (match,) = PictureIndex.read(tmp_path / "blank.sqlite").search(picture(0))
    assert (match.id, match.inliers) == ("blank", 0)
    assert match.score < 0.5


def test_two_pictures_cannot_have_the_same_id(tmp_path: Path) -> None:
    features = picture_features(picture(0))
    with pytest.raises(ValueError, match="the same id"):
        PictureIndex.write(tmp_path / "index.sqlite", [("a", features), ("a", features)])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"text that is no index", b"SQLite format 3\x00" + b"x" * 200])
def test_a_file_that_is_not_an_index_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.sqlite"
    path.write_bytes(content)
    with pytest.raises(InvalidIndexError):
        PictureIndex.read(path)


@pytest.mark.parametrize("column", ["vectors", "points", "descriptors"])
def test_a_damaged_index_is_refused(column: str, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    write_index(path, {"a": picture(0)})
    base = sqlite3.connect(path)
    base.execute(f"UPDATE pictures SET {column} = x'00000000'")
    base.commit()
    base.close()
    with pytest.raises(InvalidIndexError):
        PictureIndex.read(path).search(picture(0))


def test_an_index_of_another_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    write_index(path, {"a": picture(0)})
    with closing(sqlite3.connect(path)) as base:
        number = base.execute("PRAGMA user_version").fetchone()[0]
        base.execute(f"PRAGMA user_version = {number - 1}")
        base.commit()
    with pytest.raises(InvalidIndexError, match="another version of planspec: generate or import the corpus again"):
        PictureIndex.read(path)


def test_a_removed_index_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    write_index(path, {"a": picture(0)})
    read = PictureIndex.read(path)
    path.unlink()
    with pytest.raises(InvalidIndexError):
        read.search(picture(0))


def test_a_missing_index_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        PictureIndex.read(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


# Invalid images


@pytest.mark.parametrize(
    "image",
    [
        b"",
        b"no picture",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        png_with_declared_size(100_000, 100_000),
        png_with_declared_size(6_000, 6_000),
        png_with_declared_size(0, 10),
        png_with_declared_size(50, 50),
        encode_image(Image.new("RGB", (64, 64)), "GIF"),
        encode_image(Image.new("RGB", (64, 64)), "PPM"),
    ],
)
def test_invalid_pictures_are_refused_everywhere(image: bytes) -> None:
    for use in (
        lambda: small_index().search(image),
        lambda: picture_features(image),
    ):
        with pytest.raises(UnreadablePictureError):
            use()


def test_a_picture_cut_short_is_unreadable() -> None:
    for length in range(0, len(picture(0)) - 100, 997):
        with pytest.raises(UnreadablePictureError):
            small_index().search(picture(0)[:length])


@pytest.mark.thorough
def test_altered_bytes_are_unreadable_or_searched_but_never_crash() -> None:
    dice = Dice("alter")
    for source in (picture(0), query_picture(0)):
        for _ in range(20):
            altered = bytearray(source)
            for _ in range(dice.integer(1, 12)):
                altered[dice.integer(0, len(altered) - 1)] = dice.integer(0, 255)
            try:
                matches = small_index().search(bytes(altered), 3)
            except UnreadablePictureError:
                continue
            assert all(0 <= match.score <= 1 for match in matches)


@pytest.mark.parametrize("size", [(1, 1), (8, 8), (1, 4000), (4000, 1)])
def test_a_too_small_image_finds_nothing(size: tuple[int, int]) -> None:
    assert small_index().search(encode_image(Image.new("RGB", size, (9, 200, 90)))) == []


def test_a_blank_image_has_no_high_score() -> None:
    assert all(match.score < 0.5 for match in small_index().search(encode_image(Image.new("RGB", (640, 480), "grey"))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_pictures_of_any_colours_can_be_searched(mode: str) -> None:
    plain = decode_image(picture(6)).convert("L") if mode == "I;16" else decode_image(picture(6)).convert(mode)
    if mode == "I;16":
        plain = Image.fromarray(np.asarray(plain).astype(np.uint16) * 257)
    assert "6" in {match.id for match in small_index().search(encode_image(plain))[:3]}


@pytest.mark.thorough
def test_a_large_image_is_searched_like_a_small_one() -> None:
    large = decode_image(picture(8)).resize((4096, 3072))
    assert small_index().search(encode_image(large, "JPEG"))[0].id == "8"


def test_a_missing_drawing_distribution_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "planspec_pictures.scenes.composing", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install planspec-pictures.*`--images 0` draws none"):
        require_drawing()


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ModuleNotFoundError, match=r"planspec\[images\]"):
        require_images()


def test_importing_the_package_loads_no_heavy_library() -> None:
    code = (
        "import sys, planspec.families.veritrip.pictures; print({'PIL', 'cv2', 'numpy', 'embreex'} & set(sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        == "set()\n"
    )
