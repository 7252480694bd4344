"""Six tools with which an agent reads the corpus, named as in VeriTrip's Table 1.

Each call returns a JSON value: the result or, for any invalid input, an error with a code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, Self

from pydantic import BeforeValidator, Field, StringConstraints

from planspec.agents.pictures import Image, PicturedResult
from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset
from planspec.families.veritrip.corpus.surface import format_time
from planspec.families.veritrip.facts import FactBase, Restaurant
from planspec.families.veritrip.search import DocumentIndex, DocumentRanking, open_corpus

MOST_FOUND = 10
NAME_THRESHOLD, FOOD_THRESHOLD = 70, 85
"""Minimum similarity scores, from 0 to 100: for names of restaurants, and for dishes and cuisines."""

MOST_SEEN = 4
"""Maximum number of pictures returned by a search. Further matches are listed without their pictures."""

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_MOST_BYTES = 32 * 2**20


class FoundPicture(Protocol):
    """A picture found by a search."""

    @property
    def id(self) -> str: ...

    @property
    def score(self) -> float: ...


class PictureSearch(Protocol):
    """A searchable index of pictures."""

    def search(self, image: bytes, k: int) -> Sequence[FoundPicture]:
        """Return up to `k` pictures that look most like an image, best match first."""


@dataclass(frozen=True, slots=True)
class CorpusPicture:
    """A picture of the corpus.

    Attributes:
        id: identifier in search results.
        caption: description of the content. It is shown in the picture's document, but not in search results.
        document: id of the document with the picture, or None if it is in no document.
        file: JPEG file.
    """

    id: str
    caption: str
    document: int | None
    file: Path


def _parse_id(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and str(int(value[:20])) == value:
        return int(value)
    return value


_Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=10_000)]
_Number = Annotated[
    int,
    BeforeValidator(_parse_id, json_schema_input_type=int | Annotated[str, Field(pattern="^[0-9]+$")]),
    Field(strict=True),
]


class _DocumentQuery(Arguments):
    query: _Text = Field(description="what to look for: keywords or a question")


class _PictureQuery(Arguments):
    path: _Text = Field(alias="imgPath", description="path or id of an image of the task")


class _DocumentById(Arguments):
    number: _Number = Field(alias="docID", description="id of the document, as the search returned it")


class _CityRestaurants(Arguments):
    city: _Text = Field(description="name of the city")


class _RestaurantByName(_CityRestaurants):
    name: _Text = Field(description="name of the restaurant; it need not be exact")


class _RestaurantByFood(_CityRestaurants):
    food: _Text = Field(description="a dish or a cuisine")


class Toolbox(Toolset):
    """The six tools over one corpus. Several threads may use them.

    Args:
        documents: index of the documents.
        base: fact base for the restaurant tools.
        pictures: index of the corpus's pictures; None if the corpus has none.
        gallery: files and documents of the pictures in the index.
        images: folder of the task's images; None if the task has none.
        dense: ranking of the documents by vectors, fused with the keyword search.
    """

    def __init__(
        self,
        documents: DocumentIndex,
        base: FactBase,
        *,
        pictures: PictureSearch | None = None,
        gallery: Iterable[CorpusPicture] = (),
        images: Path | None = None,
        dense: DocumentRanking | None = None,
    ) -> None:
        self._documents = documents
        self._currency = base.currency
        self._restaurants: dict[str, list[Restaurant]] = {}
        for place in base.places:
            self._restaurants.setdefault(place.city, [])
        for restaurant in base.restaurants:
            self._restaurants[restaurant.city].append(restaurant)
        self._pictures = pictures
        self._gallery = {one.id: one for one in gallery}
        self._shown: dict[int, list[CorpusPicture]] = {}
        for one in self._gallery.values():
            if one.document is not None:
                self._shown.setdefault(one.document, []).append(one)
        self._images = None if images is None else images.resolve()
        self._dense = dense
        super().__init__(
            [
                ModelTool(
                    "docSearch",
                    f"Finds up to {MOST_FOUND} documents by keywords and returns their ids, titles and snippets.",
                    _DocumentQuery,
                    self._search_documents,
                ),
                ModelTool(
                    "imgSearch",
                    f"Finds up to {MOST_FOUND} pictures of the corpus that look like a given image, with the ids of the documents in "
                    "which they stand.",
                    _PictureQuery,
                    self._search_pictures,
                ),
                ModelTool(
                    "getDocument",
                    "Returns the full text of a document by its id, and what the pictures in it show.",
                    _DocumentById,
                    self._get_document,
                ),
                ModelTool(
                    "getRecommendRestaurant",
                    f"Lists the {MOST_FOUND} best rated restaurants of a city.",
                    _CityRestaurants,
                    self._recommend_restaurants,
                ),
                ModelTool(
                    "getRestaurantByName",
                    "Returns price, rating, cuisine, dishes, area and opening hours of a restaurant by its name.",
                    _RestaurantByName,
                    self._find_by_name,
                ),
                ModelTool(
                    "getRestaurantByFood",
                    "Finds restaurants of a city that serve a dish or a cuisine.",
                    _RestaurantByFood,
                    self._find_by_food,
                ),
            ]
        )

    @classmethod
    def open(cls, folder: Path, base: FactBase, **others: Any) -> Toolbox:
        """Open the tools over a saved corpus. The index of documents is built if it is absent.

        Args:
            folder: folder written by `save`.
            base: facts from which the corpus was made.
            others: further keyword arguments of `Toolbox`.

        Raises:
            OSError: A file cannot be read or written.
            ValueError: `documents.jsonl` was not written by `save`.
        """
        return cls(open_corpus(folder), base, **others)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index of the documents."""
        self._documents.close()

    def _search_documents(self, request: _DocumentQuery) -> JsonResult:
        matches = self._documents.search(request.query, MOST_FOUND, self._dense)
        return {"results": [{"docID": str(one.document), "title": one.title, "snippet": one.text} for one in matches]}

    def _get_document(self, request: _DocumentById) -> JsonResult:
        document = self._documents.document(request.number)
        if document is None:
            raise RefusedCallError("not-found", "there is no document of this id")
        pictures = [{"imageID": one.id, "caption": one.caption} for one in self._shown.get(request.number, ())]
        return {"docID": str(document.pop("id")), **document} | ({"pictures": pictures} if pictures else {})

    def _search_pictures(self, request: _PictureQuery) -> JsonResult:
        image = self._read_image(request.path)
        if self._pictures is None:
            raise RefusedCallError("not-found", "this corpus has no pictures")
        try:
            matches = self._pictures.search(image, MOST_FOUND)
        except ModuleNotFoundError as error:
            raise RefusedCallError("upstream", f"pictures cannot be searched here: {error}") from error
        except ValueError as error:
            raise RefusedCallError(
                "invalid-arguments", f"imgPath: the file is no image that can be read: {error}"
            ) from error
        gallery_matches = [(one, self._gallery.get(one.id)) for one in matches]
        result = {
            "results": [
                {"imageID": one.id, "score": one.score}
                | ({"docID": str(picture.document)} if picture is not None and picture.document is not None else {})
                for one, picture in gallery_matches
            ]
        }
        seen = [picture for _, picture in gallery_matches[:MOST_SEEN] if picture is not None and picture.file.is_file()]
        if not seen:
            return result
        return PicturedResult(result, [Image(one.id, one.file.read_bytes()) for one in seen])

    def _read_image(self, path: str) -> bytes:
        """Read an image of the task by its path or id. Files outside the folder are never read."""
        if self._images is None:
            raise RefusedCallError("not-found", "the task has no images")
        missing = RefusedCallError("not-found", "the task has no such image")
        try:
            # The path may begin with the folder's name, as in the corpus's file listing.
            requested = (self._images / path.removeprefix(f"{self._images.name}/")).resolve()
            if not requested.is_relative_to(self._images):
                raise RefusedCallError("invalid-arguments", "imgPath: it must lie in the folder of the task's images")
            candidates = [
                requested,
                *(requested.with_name(requested.name + ending) for ending in IMAGE_ENDINGS),
            ]
            for file in candidates:
                inside = file.resolve().is_relative_to(self._images)
                if inside and file.suffix.lower() in IMAGE_ENDINGS and file.is_file():
                    if file.stat().st_size > _MOST_BYTES:
                        raise RefusedCallError("invalid-arguments", "imgPath: the file is too large")
                    return file.read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            # The name has a NUL character or is too long, or links form a loop.
            raise missing from error
        raise missing

    def _recommend_restaurants(self, request: _CityRestaurants) -> JsonResult:
        ordered = sorted(self._restaurants_in(request.city), key=_rating_key)
        return {"results": [self._describe(place) for place in ordered[:MOST_FOUND]]}

    def _find_by_name(self, request: _RestaurantByName) -> JsonResult:
        from rapidfuzz import fuzz, utils

        scored = [
            (round(fuzz.WRatio(request.name, place.name, processor=utils.default_process)), place)
            for place in self._restaurants_in(request.city)
        ]
        matches = [(score, place) for score, place in scored if score >= NAME_THRESHOLD]
        # A partial match can score as high as a misspelt name: the similarity of whole names decides.
        matches.sort(
            key=lambda one: (
                -round(fuzz.ratio(request.name, one[1].name, processor=utils.default_process)),
                -one[0],
                one[1].name,
            )
        )
        if not matches:
            raise RefusedCallError(
                "not-found", f"no restaurant in {self._resolve_city(request.city)} has a name like this"
            )
        return {"results": [self._describe(place) | {"similarity": score} for score, place in matches[:MOST_FOUND]]}

    def _find_by_food(self, request: _RestaurantByFood) -> JsonResult:
        from rapidfuzz import fuzz, utils

        matches = []
        for place in self._restaurants_in(request.city):
            score, food = max(
                (
                    round(
                        fuzz.token_set_ratio(
                            strip_accents(request.food), strip_accents(food), processor=utils.default_process
                        )
                    ),
                    food,
                )
                for food in (place.cuisine, *place.dishes)
            )
            if score >= FOOD_THRESHOLD:
                matches.append((score, food, place))
        if not matches:
            raise RefusedCallError(
                "not-found", f"no restaurant in {self._resolve_city(request.city)} is known for this food"
            )
        matches.sort(key=lambda one: (-one[0], _rating_key(one[2])))
        return {
            "results": [
                self._describe(place) | {"matched": food, "similarity": score}
                for score, food, place in matches[:MOST_FOUND]
            ]
        }

    def _resolve_city(self, city: str) -> str:
        """Return the name of a city in the fact base.

        Longer forms such as `New York City` and `Boston, MA` also match.
        """
        requested = city.casefold()
        for stored in self._restaurants:
            name = stored.casefold()
            if requested == name or (requested.startswith(name) and not requested[len(name)].isalnum()):
                return stored
        raise RefusedCallError("not-found", f"there is no such city; the cities are {', '.join(self._restaurants)}")

    def _restaurants_in(self, city: str) -> list[Restaurant]:
        return self._restaurants[self._resolve_city(city)]

    def _describe(self, place: Restaurant) -> JsonResult:
        return {
            "name": place.name,
            "city": place.city,
            "area": place.area,
            "cuisine": place.cuisine,
            "recommended_food": list(place.dishes),
            "price_per_person": place.price,
            "currency": self._currency,
            "rating": str(place.rating),
            "opening_hours": f"{format_time(place.opens)}-{format_time(place.closes)}",
        }


def strip_accents(name: str) -> str:
    """Return a name without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def _rating_key(place: Restaurant) -> tuple[Any, ...]:
    return (-place.rating, place.price, place.name)
