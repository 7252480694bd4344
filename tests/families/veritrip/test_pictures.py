"""Each place has its own scene. A view of the scene is rendered at a time of day and in certain weather."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields, replace
from io import BytesIO
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from planspec.families.veritrip.facts import AnyPlace, Attraction
from planspec.families.veritrip.pictures import RenderedAlbum, allot_pictures
from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures import Change, SceneKind, View, anchor, kind_of, picture
from planspec_pictures.rendering.camera import photograph
from planspec_pictures.rendering.solids import (
    Solid,
    boxes,
    dome,
    join_solids,
    lathe,
    leaves,
    roof,
)
from planspec_pictures.rendering.tracing import Tracer
from planspec_pictures.scenes import composing
from planspec_pictures.scenes.scene import Scene
from planspec_pictures.scenes.site import Site
from planspec_pictures.views import Hour, Weather
from tests.families.veritrip.pictured_places import (
    PLACES,
    SEED,
    decode_image,
    inn,
    pictures,
    poi,
    sight,
    table,
)
from tests.lengths import try_one_in
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pictured-places")]

SMALL = 120


def pixels(image: bytes) -> NDArray[np.float64]:
    """Return the colours of a picture's pixels."""
    return np.asarray(decode_image(image), float)


def picture_difference(one: bytes, other: bytes) -> float:
    """Return how much two pictures differ. They are blurred and normalised first, so that light has little effect."""

    def normalise(image: bytes) -> NDArray[np.float64]:
        small = np.asarray(decode_image(image).convert("L").resize((24, 18)), float)
        return (small - small.mean()) / (small.std() + 1e-6)

    return float(np.abs(normalise(one) - normalise(other)).mean())


# Pictures


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert picture(PLACES[0], 2, SEED, SMALL) == picture(PLACES[0], 2, SEED, SMALL)
    assert anchor(PLACES[0], "a", SEED, width=SMALL) == anchor(PLACES[0], "a", SEED, width=SMALL)


@pytest.mark.thorough
def test_another_process_with_another_hash_seed_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from tests.families.veritrip.pictured_places import *; from planspec_pictures import anchor;"
        "print(hashlib.sha256(picture(2, 1) + anchor(PLACES[2], 'k', SEED, width=WIDTH)).hexdigest())"
    )
    digests = {
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
    assert len(digests) == 1


def test_another_seed_another_number_and_another_key_give_other_pictures() -> None:
    results = [
        *(picture(PLACES[0], number, seed, SMALL) for number, seed in ((1, 3), (1, 4), (2, 3))),
        *(anchor(PLACES[0], key, SEED, width=SMALL) for key in "ab"),
    ]
    assert len(set(results)) == len(results)


@pytest.mark.thorough
def test_no_two_places_have_the_same_picture() -> None:
    assert len(set(pictures().values())) == len(PLACES)


@pytest.mark.thorough
def test_two_places_of_one_kind_look_different() -> None:
    views = [replace(View.draw(Dice("one view")), hour="noon", weather="clear")]
    for name in ("Museum", "Bridge", "Tower", "Park"):
        results = [
            composing.render(sight(f"{n} {name}"), SEED, view, SMALL, indoors=False) for n in range(4) for view in views
        ]
        assert min(picture_difference(one, other) for one, other in combinations(results, 2)) > 0.15


def test_a_picture_is_a_small_jpeg_without_metadata() -> None:
    image = picture(PLACES[1], 1, SEED)
    plain = Image.open(BytesIO(image))
    assert (plain.format, plain.size) == ("JPEG", (480, 360))
    assert set(plain.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert not plain.getexif()
    assert len(image) < 120_000


def test_every_kind_of_place_has_a_composition() -> None:
    assert set(composing.COMPOSITIONS) == set(get_args(SceneKind))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("eastern", [True, False])
@pytest.mark.parametrize("kind", try_one_in(4, [*get_args(SceneKind), "museum!", "restaurant!"]))
def test_every_composition_is_on_the_ground_and_fills_the_picture(kind: str, eastern: bool) -> None:
    site = Site(Dice("every", kind, int(eastern)), np.random.default_rng(1), eastern)
    compositions = composing.INTERIORS if kind.endswith("!") else composing.COMPOSITIONS
    scene = site.scene(compositions[kind.removesuffix("!")](site), indoors=kind.endswith("!"))  # type: ignore[index]
    solid = scene.solid
    assert all(np.isfinite(one).all() for one in (solid.points, solid.normals, solid.uvs, solid.tints))
    assert solid.paints.min() >= 0 and solid.paints.max() < len(scene.paints)
    assert 0 < scene.subject < len(solid) < 400_000
    shown = decode_image(photograph(scene, replace(View.draw(Dice("every")), hour="noon", weather="cloudy"), SMALL))
    assert np.asarray(shown, float).std() > 12
    # rays through the middle of the picture hit the subject
    target = np.array(scene.sight.target, np.float32)
    eye = target + np.array([0, -scene.sight.distance, 0], np.float32)
    eye[2] = scene.sight.max_height
    spread = np.random.default_rng(2).normal(0, 0.16, (400, 3)).astype(np.float32) * scene.sight.distance
    rays = target + spread - eye
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    triangle = Tracer(solid).first_hits(np.tile(eye, (400, 1)), rays)[0]
    assert ((triangle >= 0) & (triangle < scene.subject)).mean() > 0.09


# Views


def scene() -> Scene:
    """Return the scene of an invented square."""
    return composing.scene_of(sight("Old Square"), SEED, 5, indoors=False)


def render_pixels(hour: Hour, weather: Weather) -> NDArray[np.float64]:
    """Return the pixels of the scene at an hour and in certain weather."""
    view = replace(View.draw(Dice("square")), hour=hour, weather=weather, exposure=0.0, warmth=0.0)
    return pixels(photograph(scene(), view, SMALL))


def test_nights_are_dark_with_some_lights() -> None:
    noon, night = render_pixels("noon", "clear"), render_pixels("night", "clear")
    assert night.mean() < 0.6 * noon.mean()
    assert night.max() > 190


def test_sunsets_are_warmer_than_noons() -> None:
    def warmth(image: NDArray[np.float64]) -> float:
        return float(image[..., 0].mean() / image[..., 2].mean())

    assert warmth(render_pixels("sunset", "clear")) > 1.1 * warmth(render_pixels("noon", "clear"))


def test_fog_reduces_contrast_and_snow_whitens_the_ground() -> None:
    clear, fog, snow = (
        render_pixels("noon", "clear"),
        render_pixels("noon", "fog"),
        render_pixels("noon", "snow"),
    )
    assert fog.std() < 0.7 * clear.std()
    ground = slice(-20, None)
    assert np.ptp(snow[ground].mean((0, 1))) < 16
    assert snow[ground].mean() > snow[:20].mean() * 0.8


@pytest.mark.parametrize(
    ("change", "others"),
    [
        ("viewpoint", {"azimuth", "distance", "height", "chance"}),
        ("hour", {"hour", "chance"}),
        ("weather", {"weather", "chance"}),
        ("crop", {"crop", "aside"}),
        ("exposure", {"exposure", "warmth", "grain", "quality"}),
    ],
)
def test_a_change_of_a_view_affects_only_its_own_attributes(change: Change, others: set[str]) -> None:
    for number in range(40):
        one = View.draw(Dice("view", number))
        other = one.change_view(Dice("other", number), change)
        assert {
            field.name for field in fields(View) if getattr(one, field.name) != getattr(other, field.name)
        } <= others


def test_an_anchor_has_another_viewpoint_hour_and_weather() -> None:
    for number in range(60):
        one = View.draw(Dice("view", number))
        other = one.change_view(Dice("other", number))
        assert abs(one.azimuth - other.azimuth) >= 0.35 or abs(other.azimuth) > 1
        assert -1.01 <= other.azimuth <= 1.01 or abs(other.azimuth - one.azimuth) <= 0.86
        assert (one.hour, one.weather) != (other.hour, other.weather)
        assert one.hour != other.hour and one.weather != other.weather
        assert other.crop < one.crop


# Solid bodies


def volume(solid: Solid) -> float:
    """Return the volume of a closed solid. Its normals tell which side of a triangle is outside."""
    a, b, c = solid.points[:, 0], solid.points[:, 1], solid.points[:, 2]
    outward = np.sign((np.cross(b - a, c - a) * solid.normals[:, 0]).sum(1))
    return float(((a * np.cross(b, c)).sum(1) * outward).sum() / 6)


def test_copies_are_turned_scaled_and_shifted() -> None:
    one = boxes([(0, 0, 0)], (2, 4, 6), 0)
    results = one.copies_at([(10, 0, 0), (0, 20, 1)], [0, np.pi / 2], [1, 2])
    assert len(results) == 2 * len(one)
    second = results.points[len(one) :]
    assert np.allclose(second.min((0, 1)), (-4, 18, 1), atol=1e-4)
    assert np.allclose(second.max((0, 1)), (4, 22, 13), atol=1e-4)
    assert np.allclose(np.linalg.norm(results.normals, axis=2), 1, atol=1e-5)


def test_boxes_have_the_right_volume_and_patterns_fit_their_sides() -> None:
    results = boxes([(0, 0, 0), (9, 9, 0)], [(2, 4, 6), (1, 1, 1)], 3, 5, cell=(2, 3))
    assert np.isclose(volume(boxes([(1, 2, 0)], (2, 4, 6), 0)), 48, rtol=1e-4)
    assert set(results.paints.tolist()) == {3, 5}
    sides = results.uvs[results.paints == 3]
    assert np.allclose(sides, np.round(sides))


def test_round_bodies_have_the_right_volume() -> None:
    assert np.isclose(volume(lathe([(0, 0), (1, 0), (1, 2), (0, 2)], 0, sides=64)), 2 * np.pi, rtol=0.01)
    half = join_solids([dome(1, 1, 0, sides=48, steps=16), lathe([(1, 0), (0, 0)], 0, sides=48)])
    assert np.isclose(abs(volume(half)), 2 / 3 * np.pi, rtol=0.02)


def test_roofs_rise_from_their_eaves_to_their_ridge() -> None:
    results = roof(10, 6, 3, 0, ridge=0.5, curve=1.5, lift=0.0)
    assert np.allclose(results.points.reshape(-1, 3).min(0), (-5, -3, 0), atol=1e-4)
    assert np.allclose(results.points.reshape(-1, 3).max(0), (5, 3, 3), atol=1e-4)
    ridge = results.points.reshape(-1, 3)
    assert np.allclose(np.abs(ridge[np.isclose(ridge[:, 2], 3)][:, 1]), 0, atol=1e-4)


def test_leaves_are_within_their_crown() -> None:
    results = leaves(np.random.default_rng(1), 900, (2, 2, 3), 0.1, 0)
    assert len(results) == 900
    assert (np.abs(results.points.mean(1)) < np.array([3, 3, 4.5])).all()


# Kinds of places


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
def test_the_record_and_the_name_determine_the_kind_of_a_place(place: AnyPlace, kind: SceneKind) -> None:
    assert kind_of(place) == kind


def test_the_kind_of_a_place_follows_from_its_interest_if_its_name_has_no_known_word() -> None:
    assert kind_of(sight("Xyz", interests=("Natural scenery",))) in {"park", "lake", "garden", "mountain"}
    assert kind_of(sight("Xyz", interests=())) in get_args(SceneKind)


def test_a_place_in_east_asia_is_built_in_its_style() -> None:
    def build(longitude: str) -> Scene:
        place = replace(sight("Tin Palace"), longitude=type(sight("x").longitude)(longitude))
        assert isinstance(place, Attraction)
        return composing.scene_of(place, SEED, 1, indoors=False)

    assert len(build("110").solid) != len(build("-70").solid)


@pytest.mark.parametrize("name", ["", "x", "W" * 400, "\ud800", "'\"\\", "故宫"])
def test_any_name_can_be_rendered(name: str) -> None:
    assert decode_image(picture(sight(name), 1, 0, SMALL)).size == (SMALL, SMALL * 3 // 4)


def test_a_museum_and_a_restaurant_are_shown_from_both_sides_of_their_doors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    indoor_flags: list[bool] = []

    def record(place: AnyPlace, seed: int, view: View, width: int, *, indoors: bool) -> bytes:
        indoor_flags.append(indoors)
        return b""

    monkeypatch.setattr(composing, "render", record)
    for number in (1, 2):
        for place in (table("Table", "Seafood"), sight("Moss Museum")):
            picture(place, number, SEED)
    assert indoor_flags[:2] == [not one for one in indoor_flags[2:]]
    indoor_flags.clear()
    picture(sight("Elm Park"), 1, SEED)
    assert indoor_flags == [False]


def test_an_anchor_has_the_same_subject_as_the_first_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    indoor_flags: list[bool] = []

    def record(place: AnyPlace, seed: int, view: View, width: int, *, indoors: bool) -> bytes:
        indoor_flags.append(indoors)
        return b""

    monkeypatch.setattr(composing, "render", record)
    for number in range(8):
        picture(table(f"Table {number}", "Seafood"), 1, SEED)
        anchor(table(f"Table {number}", "Seafood"), "k", SEED)
    assert indoor_flags[::2] == indoor_flags[1::2]
    assert len(set(indoor_flags)) == 2


def test_pictures_are_allotted_to_places_in_turn() -> None:
    results = allot_pictures(PLACES[:3], RenderedAlbum(0), 7)
    assert results == [(PLACES[n % 3], 1 + n // 3) for n in range(7)]
    assert allot_pictures((), RenderedAlbum(0), 7) == []


def test_random_numbers_with_another_key_differ_and_stay_in_range() -> None:
    def rolls(dice: Dice) -> list[int]:
        return [dice.integer(3, 9) for _ in range(200)]

    assert rolls(Dice("a", "bc")) != rolls(Dice("ab", "c"))
    assert set(rolls(Dice("a"))) == set(range(3, 10))
