"""Pictures of places are theirs alone, and photos hide the name."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from io import BytesIO
from itertools import combinations
from typing import get_args

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw

from planspec.families.veritrip.facts import AnyPlace, Poi
from planspec.families.veritrip.pictures import SceneKind, Strength, draw, kind_of, photo
from planspec.families.veritrip.pictures import drawing as drawing_module
from planspec.families.veritrip.pictures import photos as photos_module
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.drawing import legible
from planspec.families.veritrip.pictures.scenery import neighbours
from tests.families.veritrip.pictured_places import (
    PLACES,
    SCENE_ROWS,
    bits_apart,
    inn,
    opened,
    picture,
    pictures,
    poi,
    saved,
    sight,
    table,
)
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pictured-places")]


# Drawing


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert draw(PLACES[0], PLACES, 1, 3) == draw(PLACES[0], PLACES, 1, 3)


def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from tests.families.veritrip.pictured_places import *; from planspec.families.veritrip.pictures import photo;"
        "print(hashlib.sha256(picture(2, 1) + photo(picture(2, 1), 4, 'strong')).hexdigest())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_the_order_of_the_neighbours_does_not_matter() -> None:
    assert draw(PLACES[3], PLACES[::-1], 0, 3) == picture(3)


def test_another_neighbour_shows() -> None:
    assert draw(PLACES[3], [PLACES[9]], 0, 3) != draw(PLACES[3], [], 0, 3)


def test_another_seed_gives_another_picture() -> None:
    assert draw(PLACES[0], PLACES, 0, 4) != picture(0)


def test_no_two_pictures_are_alike() -> None:
    drawn = [picture(number, variant) for number in range(len(PLACES)) for variant in range(3)]
    assert len(set(drawn)) == len(drawn)


def test_places_differ_in_the_scene_and_not_only_on_the_board() -> None:
    scenes = {opened(image).crop((0, 0, 512, SCENE_ROWS)).tobytes() for image in pictures().values()}
    assert len(scenes) == len(PLACES)


def test_two_places_of_one_kind_are_drawn_apart() -> None:
    drawn = [draw(table(f"Table {number}", "Seafood"), (), 0, 3) for number in range(8)]
    assert min(bits_apart(one, other) for one, other in combinations(drawn, 2)) >= 4


def test_variants_of_a_place_are_more_alike_than_different_places() -> None:
    within = [bits_apart(picture(number), picture(number, 1)) for number in range(len(PLACES))]
    between = [bits_apart(picture(one), picture(other)) for one, other in combinations(range(len(PLACES)), 2)]
    assert sum(within) / len(within) < 0.8 * sum(between) / len(between)


def test_a_picture_is_small_and_carries_nothing_but_pixels() -> None:
    for image in pictures().values():
        assert len(image) < 40_000
        plain = Image.open(BytesIO(image))
        assert plain.size == (512, 384)
        assert not plain.info
        kinds, at = [], 8
        while at < len(image):
            kinds.append(image[at + 4 : at + 8])
            at += 12 + int.from_bytes(image[at : at + 4], "big")
        assert set(kinds) == {b"IHDR", b"PLTE", b"IDAT", b"IEND"}


def test_every_kind_of_place_has_a_composition() -> None:
    assert set(drawing_module._COMPOSITIONS) == set(get_args(SceneKind))


@pytest.mark.parametrize("kind", get_args(SceneKind))
def test_every_composition_draws_within_the_scene(kind: SceneKind, monkeypatch: pytest.MonkeyPatch) -> None:
    def board(image: bytes) -> Image.Image:
        return opened(image).crop((10, SCENE_ROWS + 7, 502, 376))

    monkeypatch.setattr(drawing_module, "kind_of", lambda place: "park")
    park = draw(PLACES[0], (), 0, 3)
    monkeypatch.setattr(drawing_module, "kind_of", lambda place: kind)
    one, other = draw(PLACES[0], (), 0, 3), draw(PLACES[0], (), 1, 3)
    # The palette is the whole picture's, so that the board's colours differ by a little between scenes.
    assert np.abs(np.asarray(board(one), int) - np.asarray(board(park), int)).mean() < 6
    assert (
        opened(one).crop((0, 0, 512, SCENE_ROWS)).tobytes()
        != opened(other).crop((0, 0, 512, SCENE_ROWS)).tobytes()
    )
    assert (one == park) == (kind == "park")


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        (sight("Museum of the City Park"), "museum"),
        (sight("Elm Park"), "park"),
        (sight("Brooklyn Bridge"), "bridge"),
        (sight("The Bund"), "port"),
        (sight("Statue of Liberty"), "memorial"),
        (sight("Xyz", introduction="A temple on a hill."), "pagoda"),
        (table("Tower", "Cafe"), "restaurant"),
        (inn("Park Palace", 4), "hotel"),
        (poi("Bridge Road", "railway_station"), "station"),
        (poi("Elm Park", "something_new"), "park"),
    ],
)
def test_the_record_and_its_words_decide_the_kind(place: AnyPlace, kind: SceneKind) -> None:
    assert kind_of(place) == kind


def test_a_name_without_a_known_word_gets_a_kind_of_its_interest() -> None:
    assert kind_of(sight("Xyz", interests=("Natural scenery",))) in {"park", "lake", "garden", "mountain"}
    assert kind_of(sight("Xyz", interests=())) in get_args(SceneKind)


@pytest.mark.parametrize(
    ("name", "spelt"),
    [("Café Élan", "Cafe Elan"), ("O’Hara–Smith", "O'Hara-Smith"), ("Moss", "Moss"), ("a\nb", "a b")],
)
def test_the_board_spells_names_in_the_letters_of_its_font(name: str, spelt: str) -> None:
    assert legible(name) == spelt


def test_names_in_another_script_stay_apart_on_the_board() -> None:
    assert legible("故宫") != legible("天坛")


@pytest.mark.parametrize("name", ["", "x", "W" * 400, "word " * 60, "\ud800", "'\"\\"])
def test_any_name_can_be_drawn(name: str) -> None:
    assert opened(draw(sight(name), (), 0, 0)).size == (512, 384)


def test_neighbours_are_where_they_truly_are() -> None:
    here = sight("Here")
    north, east = (
        Poi("N", "Aldorf", here.latitude + Decimal("0.01"), here.longitude, "square", ""),
        Poi("E", "Aldorf", here.latitude, here.longitude + Decimal("0.02"), "square", ""),
    )
    seen = neighbours(here, [east, here, north])
    assert [(one.place.name, round(one.bearing), round(one.metres, -2)) for one in seen] == [
        ("N", 0, 1100), ("E", 90, 1900),
    ]  # fmt: skip


def test_dice_of_another_key_roll_otherwise_and_stay_in_range() -> None:
    def rolls(dice: Dice) -> list[int]:
        return [dice.whole(3, 9) for _ in range(200)]

    assert rolls(Dice("a", "bc")) != rolls(Dice("ab", "c"))
    assert set(rolls(Dice("a"))) == set(range(3, 10))


# Photos


@pytest.mark.parametrize("strength", get_args(Strength))
def test_a_photo_leaves_the_board_out(strength: Strength) -> None:
    for number in range(0, len(PLACES), 6):
        image = opened(picture(number))
        ImageDraw.Draw(image).rectangle((0, SCENE_ROWS, 512, 384), fill=(255, 0, 255))
        for seed in range(4):
            assert photo(saved(image), seed, strength) == photo(picture(number), seed, strength)


@pytest.mark.parametrize("strength", get_args(Strength))
def test_a_photo_is_the_same_for_the_same_seed_only(strength: Strength) -> None:
    assert photo(picture(0), 5, strength) == photo(picture(0), 5, strength)
    assert photo(picture(0), 5, strength) != photo(picture(0), 6, strength)


def test_a_strong_photo_is_fuzzier_than_a_mild_one() -> None:
    def sharpness(image: bytes) -> float:
        smooth = cv2.GaussianBlur(np.asarray(opened(image).convert("L")), (0, 0), 1.0)
        return float(cv2.Laplacian(smooth, cv2.CV_64F).var())

    for number in range(0, len(PLACES), 6):
        assert sharpness(photo(picture(number), 1, "strong")) < sharpness(photo(picture(number), 1, "mild"))


@pytest.mark.parametrize(("strength", "low", "high"), [("mild", 0.45, 0.60), ("strong", 0.35, 0.45)])
def test_a_photo_keeps_its_share_of_the_area(
    strength: Strength, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photos_module, "_developed", lambda image, dice, strength: image)
    # Red tells the column and green the row, so the photo tells where each of its pixels was.
    row, column = np.mgrid[0:384, 0:512] / 2
    where = saved(Image.fromarray(np.stack([column, row, row * 0], axis=2).astype(np.uint8)))
    for seed in range(6):
        taken = np.asarray(opened(photo(where, seed, strength)), dtype=float)
        v, u = np.mgrid[0:360, 0:480]
        plane = np.stack([u.ravel(), v.ravel(), np.ones(u.size)], axis=1)
        slopes = np.linalg.lstsq(plane, taken[..., :2].reshape(-1, 2) * 2, rcond=None)[0][:2]
        assert low < abs(np.linalg.det(slopes)) * 480 * 360 / (512 * 384) < high


@pytest.mark.parametrize("size", [(32, 2000), (2000, 32), (40, 40)])
def test_a_picture_of_any_proportions_has_a_photo(size: tuple[int, int]) -> None:
    plain = Image.new("RGB", size, (200, 30, 30))
    taken = np.asarray(opened(photo(saved(plain), 1, "mild")))
    assert taken.shape == (360, 480, 3)
    assert taken[..., 0].min() > taken[..., 1].max(), "nothing beyond the edge is in it"
