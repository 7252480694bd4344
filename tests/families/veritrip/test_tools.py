"""The six tools accept any arguments, and return JSON, including errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.agents.pictures import images_of
from planspec.families.veritrip.corpus import Corpus, save, write_corpus
from planspec.families.veritrip.tools import CorpusPicture, Toolbox
from tests.families.veritrip.small_base import small_base

BASE = small_base()
NAMES = (
    "docSearch",
    "imgSearch",
    "getDocument",
    "getRecommendRestaurant",
    "getRestaurantByName",
    "getRestaurantByFood",
)


@cache
def small_corpus() -> Corpus:
    return write_corpus(BASE, 1, 500, False)


def short_text(value: object) -> str:
    return ascii(value)[:20]


@dataclass(frozen=True)
class ScriptedMatch:
    id: str
    score: float


class Gallery:
    """An index of two pictures that records its queries."""

    def __init__(self) -> None:
        self.queries: list[bytes] = []

    def search(self, image: bytes, k: int) -> list[ScriptedMatch]:
        if image.startswith(b"broken"):
            raise ValueError("no picture")
        self.queries.append(image)
        return [ScriptedMatch("p1", 0.75), ScriptedMatch("p2", 0.25)][:k]


@dataclass
class ToolFixture:
    """The six tools with the objects on which they depend."""

    box: Toolbox
    gallery: Gallery
    images: Path


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolFixture]:
    """Yield the six tools with a small corpus and some images."""
    folder = tmp_path_factory.mktemp("tools")
    save(small_corpus(), folder / "corpus")
    images = folder / "images"
    (images / "more").mkdir(parents=True)
    (images / "anchor-1.png").write_bytes(b"first")
    (images / "more" / "second.jpg").write_bytes(b"second")
    (images / "bad.png").write_bytes(b"broken")
    (images / "notes.txt").write_bytes(b"text")
    (folder / "secret.png").write_bytes(b"secret")
    (images / "link.png").symlink_to(folder / "secret.png")
    (folder / "p1.jpg").write_bytes(b"\xff\xd8 a museum")
    gallery = Gallery()
    box = Toolbox.open(
        folder / "corpus",
        BASE,
        pictures=gallery,
        gallery=[CorpusPicture("p1", "Moss Museum", 1, folder / "p1.jpg")],
        images=images,
    )
    yield ToolFixture(box, gallery, images)
    box.close()


def error_code(result: dict) -> str:
    """Return the code of an error that a tool returned."""
    assert set(result) == {"error"}
    assert set(result["error"]) == {"code", "message"}
    assert result["error"]["message"]
    return result["error"]["code"]


def test_the_tools_are_those_of_the_paper_with_its_arguments(bench: ToolFixture) -> None:
    tools = bench.box.tools()
    assert [tool.name for tool in tools] == list(NAMES)
    required = {tool.name: tool.parameters["required"] for tool in tools}
    assert required == {
        "docSearch": ["query"],
        "imgSearch": ["imgPath"],
        "getDocument": ["docID"],
        "getRecommendRestaurant": ["city"],
        "getRestaurantByName": ["city", "name"],
        "getRestaurantByFood": ["city", "food"],
    }
    for tool in tools:
        assert tool.parameters["type"] == "object"
        assert tool.parameters["additionalProperties"] is False
        assert tool.description
        json.dumps(tool.parameters)


def test_a_tool_may_be_called_with_keyword_arguments(bench: ToolFixture) -> None:
    search = bench.box.tools()[0]
    assert search(query="Moss Museum") == bench.box.call("docSearch", {"query": "Moss Museum"})
    assert error_code(search(words="Moss")) == "invalid-arguments"


def test_a_found_document_can_be_fetched(bench: ToolFixture) -> None:
    results = bench.box.call("docSearch", {"query": "ticket price of the Amber Palace"})["results"]
    assert len(results) == 10
    assert set(results[0]) == {"docID", "title", "snippet"}
    document = bench.box.call("getDocument", {"docID": results[0]["docID"]})
    assert set(document) == {"docID", "title", "text", "city", "published", "origin"}
    assert document["title"] == results[0]["title"]
    assert document["text"] == small_corpus().documents[int(results[0]["docID"]) - 1].text


def test_a_search_without_hits_finds_nothing(bench: ToolFixture) -> None:
    assert bench.box.call("docSearch", {"query": "xylophonist"}) == {"results": []}


@pytest.mark.parametrize("number", [7, "7"], ids=short_text)
def test_an_id_may_be_a_number_or_its_exact_text(bench: ToolFixture, number: object) -> None:
    assert bench.box.call("getDocument", {"docID": number})["docID"] == "7"


@pytest.mark.parametrize(
    "number",
    ["07", " 7", "7.0", "+7", "-7", "seven", "", "[7]", "٧", "9" * 5000, 7.5, 7.0, True, None, [7], {}],
    ids=short_text,
)
def test_an_inexact_id_is_an_invalid_argument(bench: ToolFixture, number: object) -> None:
    assert error_code(bench.box.call("getDocument", {"docID": number})) == "invalid-arguments"


@pytest.mark.parametrize("number", [0, -1, 501, 10**30, "501"], ids=short_text)
def test_an_unknown_id_is_not_found(bench: ToolFixture, number: object) -> None:
    assert error_code(bench.box.call("getDocument", {"docID": number})) == "not-found"


@pytest.mark.parametrize(
    "name", ["", "docsearch", "call", "__init__", None, 3, ["docSearch"], "\ud800"], ids=short_text
)
def test_the_error_for_an_unknown_tool_lists_the_tools(bench: ToolFixture, name: object) -> None:
    result = bench.box.call(name, {})
    assert error_code(result) == "unknown-tool"
    assert "getRestaurantByFood" in result["error"]["message"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "arguments",
    [
        None,
        [],
        "query",
        3,
        {},
        {"extra": 1},
        {1: 2},
        {"\ud800": "x"},
        {"query": None, "imgPath": 1, "docID": "x"},
        {"query": "", "city": "  ", "name": "a", "food": "a"},
        {"query": {"a": 1}, "city": ["Aldorf"]},
    ],
)
def test_bad_arguments_return_an_error_and_never_raise_one(bench: ToolFixture, name: str, arguments: object) -> None:
    result = bench.box.call(name, arguments)
    assert error_code(result) == "invalid-arguments"
    json.dumps(result, ensure_ascii=False).encode("utf-8")


def test_an_extra_argument_is_named(bench: ToolFixture) -> None:
    result = bench.box.call("docSearch", {"query": "Moss", "k": 50})
    assert error_code(result) == "invalid-arguments"
    assert "k" in result["error"]["message"]


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)
_keys = st.sampled_from(["query", "imgPath", "docID", "city", "name", "food", "x"])


@given(name=st.sampled_from(NAMES), arguments=_json | st.dictionaries(_keys, _json, max_size=4))
def test_every_result_is_json(bench: ToolFixture, name: str, arguments: object) -> None:
    result = bench.box.call(name, arguments)
    json.dumps(result, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(city=st.sampled_from(["Aldorf", "brunn"]), text=st.text(min_size=1, max_size=20))
def test_searches_for_any_text_have_results_or_an_error_code(bench: ToolFixture, city: str, text: str) -> None:
    for result in (
        bench.box.call("getRestaurantByName", {"city": city, "name": text}),
        bench.box.call("getRestaurantByFood", {"city": city, "food": text}),
        bench.box.call("docSearch", {"query": text}),
        bench.box.call("imgSearch", {"imgPath": text}),
    ):
        assert "results" in result or error_code(result) in ("not-found", "invalid-arguments")


def test_results_are_ordered_by_rating(bench: ToolFixture) -> None:
    results = bench.box.call("getRecommendRestaurant", {"city": "Aldorf"})["results"]
    assert [place["rating"] for place in results] == ["4.4", "4.3", "4.2", "4.1"]
    assert results[0] == {
        "name": "Table Four Aldorf",
        "city": "Aldorf",
        "area": "Aldorf Old Town",
        "cuisine": "Cafe",
        "recommended_food": ["Cake"],
        "price_per_person": 125,
        "currency": "CNY",
        "rating": "4.4",
        "opening_hours": "11:45-21:45",
    }


@pytest.mark.parametrize("city", ["aldorf", "ALDORF", " Aldorf ", "Aldorf City", "Aldorf, AD"])
def test_a_city_is_recognised_by_its_first_words(bench: ToolFixture, city: str) -> None:
    assert bench.box.call("getRecommendRestaurant", {"city": city})["results"][0]["city"] == "Aldorf"


@pytest.mark.parametrize("city", ["Paris", "Al", "Aldorfer"])
def test_the_error_for_an_unknown_city_lists_the_cities(bench: ToolFixture, city: str) -> None:
    for name, more in (
        ("getRecommendRestaurant", {}),
        ("getRestaurantByName", {"name": "Table"}),
        ("getRestaurantByFood", {"food": "Pizza"}),
    ):
        result = bench.box.call(name, {"city": city, **more})
        assert error_code(result) == "not-found"
        assert "Castle Bay" in result["error"]["message"]


def test_a_name_need_not_be_exact_and_its_similarity_is_returned(bench: ToolFixture) -> None:
    exact = bench.box.call("getRestaurantByName", {"city": "Brunn", "name": "Table Two Brunn"})["results"][0]
    assert (exact["name"], exact["similarity"]) == ("Table Two Brunn", 100)
    near = bench.box.call("getRestaurantByName", {"city": "Brunn", "name": "the tabel two brun"})["results"][0]
    assert near["name"] == "Table Two Brunn"
    assert 70 <= near["similarity"] < 100
    assert error_code(bench.box.call("getRestaurantByName", {"city": "Brunn", "name": "Zyx Quux"})) == "not-found"


def test_food_is_a_dish_or_a_cuisine(bench: ToolFixture) -> None:
    dish = bench.box.call("getRestaurantByFood", {"city": "Brunn", "food": "fish soup"})["results"]
    assert [(place["name"], place["matched"]) for place in dish] == [("Table One Brunn", "Fish Soup")]
    cuisine = bench.box.call("getRestaurantByFood", {"city": "Brunn", "food": "Hot Pot"})["results"]
    assert [(place["name"], place["matched"]) for place in cuisine] == [("Table Three Brunn", "Hot pot")]
    assert error_code(bench.box.call("getRestaurantByFood", {"city": "Brunn", "food": "Haggis"})) == "not-found"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("anchor-1.png", b"first"),
        ("anchor-1", b"first"),
        ("more/second.jpg", b"second"),
        ("more/second", b"second"),
        ("./anchor-1.png", b"first"),
        ("more/../anchor-1.png", b"first"),
    ],
)
def test_an_image_is_recognised_by_its_path_or_its_id(bench: ToolFixture, path: str, content: bytes) -> None:
    result = bench.box.call("imgSearch", {"imgPath": path})
    assert bench.gallery.queries[-1] == content
    assert result["results"] == [
        {"imageID": "p1", "score": 0.75, "docID": "1"},
        {"imageID": "p2", "score": 0.25},
    ]
    assert [(image.title, image.data) for image in images_of(result)] == [("p1", b"\xff\xd8 a museum")]
    assert "Moss" not in json.dumps(result)


def test_the_document_of_a_picture_says_what_it_shows(bench: ToolFixture) -> None:
    document = bench.box.call("getDocument", {"docID": "1"})
    assert document["pictures"] == [{"imageID": "p1", "caption": "Moss Museum"}]
    assert "pictures" not in bench.box.call("getDocument", {"docID": "2"})


def test_an_absolute_path_inside_the_folder_is_an_image_of_the_task(bench: ToolFixture) -> None:
    assert "results" in bench.box.call("imgSearch", {"imgPath": str(bench.images / "anchor-1.png")})


@pytest.mark.parametrize(
    "path", ["../secret.png", "../secret", "/etc/passwd", "more/../../secret.png", "link.png", "link"]
)
def test_nothing_outside_the_folder_is_read(bench: ToolFixture, path: str) -> None:
    before = len(bench.gallery.queries)
    assert error_code(bench.box.call("imgSearch", {"imgPath": path})) in ("invalid-arguments", "not-found")
    assert len(bench.gallery.queries) == before


@pytest.mark.parametrize("path", ["none.png", "notes.txt", "notes", "more", ".", "a\x00b", "x" * 5000], ids=short_text)
def test_a_missing_image_is_not_found(bench: ToolFixture, path: str) -> None:
    assert error_code(bench.box.call("imgSearch", {"imgPath": path})) == "not-found"


def test_an_image_that_cannot_be_read_is_an_invalid_argument(bench: ToolFixture) -> None:
    assert error_code(bench.box.call("imgSearch", {"imgPath": "bad.png"})) == "invalid-arguments"


def test_an_image_search_without_pictures_finds_nothing(tmp_path: Path) -> None:
    save(small_corpus(), tmp_path)
    with Toolbox.open(tmp_path, BASE) as box:
        assert error_code(box.call("imgSearch", {"imgPath": "anchor"})) == "not-found"
    (tmp_path / "anchor.png").write_bytes(b"first")
    with Toolbox.open(tmp_path, BASE, images=tmp_path) as box:
        assert error_code(box.call("imgSearch", {"imgPath": "anchor"})) == "not-found"
