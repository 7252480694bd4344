"""The six tools by which an agent reads the corpus, under the names of VeriTrip's Table 1.

Whatever an agent sends, a call returns what can be written as JSON: the result, or an error with a code.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, Self

from pydantic import BeforeValidator, Field, StringConstraints

from planspec.agents.pictures import Image, Pictured
from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Toolset
from planspec.families.veritrip.corpus.surface import hhmm
from planspec.families.veritrip.facts import FactBase, Restaurant
from planspec.families.veritrip.search import DocumentIndex, DocumentRanking, open_corpus

MOST_FOUND = 10
NAME_THRESHOLD, FOOD_THRESHOLD = 70, 85
"""The least similarity, of 100, of a restaurant's name, and of a dish or a cuisine."""

MOST_SEEN = 4
"""The most pictures that a search brings along; of the others it tells where they stand."""

IMAGE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
_MOST_BYTES = 32 * 2**20


class FoundPicture(Protocol):
    """A picture that was found."""

    @property
    def id(self) -> str: ...

    @property
    def score(self) -> float: ...


class Pictures(Protocol):
    """An index of pictures."""

    def search(self, image: bytes, k: int) -> Sequence[FoundPicture]:
        """The pictures that look most like an image, the best first."""


@dataclass(frozen=True, slots=True)
class CorpusPicture:
    """A picture of the corpus.

    Attributes:
        id: by which searches name it.
        caption: what it shows; the document in which it stands tells it, and a search does not.
        document: that one, if there is one.
        file: a JPEG.
    """

    id: str
    caption: str
    document: int | None
    file: Path


def _exact(value: object) -> object:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and str(int(value[:20])) == value:
        return int(value)
    return value


_Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=10_000)]
_Number = Annotated[
    int,
    BeforeValidator(_exact, json_schema_input_type=int | Annotated[str, Field(pattern="^[0-9]+$")]),
    Field(strict=True),
]


class _DocSearch(Arguments):
    query: _Text = Field(description="what to look for: keywords or a question")


class _ImgSearch(Arguments):
    path: _Text = Field(alias="imgPath", description="path or id of an image of the task")


class _GetDocument(Arguments):
    number: _Number = Field(alias="docID", description="id of the document, as the search returned it")


class _Recommend(Arguments):
    city: _Text = Field(description="name of the city")


class _ByName(_Recommend):
    name: _Text = Field(description="name of the restaurant; it need not be exact")


class _ByFood(_Recommend):
    food: _Text = Field(description="a dish or a cuisine")


class Toolbox(Toolset):
    """The tools over one corpus; it may be used by several threads.

    Args:
        documents: the index of the documents.
        base: its restaurants are what the restaurant tools know.
        pictures: an index of pictures, if there are any.
        gallery: the pictures of the index, with their files and the documents in which they stand.
        images: the folder of the task's images.
        dense: vectors of the documents, to be fused with the search by words.
    """

    def __init__(
        self,
        documents: DocumentIndex,
        base: FactBase,
        *,
        pictures: Pictures | None = None,
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
                    _DocSearch,
                    self._doc_search,
                ),
                ModelTool(
                    "imgSearch",
                    f"Finds up to {MOST_FOUND} pictures of the corpus that look like a given image, with the ids of the documents in "
                    "which they stand.",
                    _ImgSearch,
                    self._img_search,
                ),
                ModelTool(
                    "getDocument",
                    "Returns the full text of a document by its id, and what the pictures in it show.",
                    _GetDocument,
                    self._get_document,
                ),
                ModelTool(
                    "getRecommendRestaurant",
                    f"Lists the {MOST_FOUND} best rated restaurants of a city.",
                    _Recommend,
                    self._recommend,
                ),
                ModelTool(
                    "getRestaurantByName",
                    "Returns price, rating, cuisine, dishes, area and opening hours of a restaurant by its name.",
                    _ByName,
                    self._by_name,
                ),
                ModelTool(
                    "getRestaurantByFood",
                    "Finds restaurants of a city that serve a dish or a cuisine.",
                    _ByFood,
                    self._by_food,
                ),
            ]
        )

    @classmethod
    def open(cls, folder: Path, base: FactBase, **others: Any) -> Toolbox:
        """The tools over a saved corpus; its index is built where it is absent.

        Args:
            folder: as `save` wrote it.
            base: the facts it was made from.
            others: as for the class.

        Raises:
            OSError: a file cannot be read or written.
            ValueError: `documents.jsonl` is not what `save` writes.
        """
        return cls(open_corpus(folder), base, **others)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the index of the documents."""
        self._documents.close()

    def _doc_search(self, asked: _DocSearch) -> JsonResult:
        found = self._documents.search(asked.query, MOST_FOUND, self._dense)
        return {
            "results": [
                {"docID": str(one.document), "title": one.title, "snippet": one.text} for one in found
            ]
        }

    def _get_document(self, asked: _GetDocument) -> JsonResult:
        found = self._documents.document(asked.number)
        if found is None:
            raise RefusedCallError("not-found", "there is no document of this id")
        pictures = [{"imageID": one.id, "caption": one.caption} for one in self._shown.get(asked.number, ())]
        return {"docID": str(found.pop("id")), **found} | ({"pictures": pictures} if pictures else {})

    def _img_search(self, asked: _ImgSearch) -> JsonResult:
        image = self._image(asked.path)
        if self._pictures is None:
            raise RefusedCallError("not-found", "this corpus has no pictures")
        try:
            found = self._pictures.search(image, MOST_FOUND)
        except ModuleNotFoundError as error:
            raise RefusedCallError("upstream", f"pictures cannot be searched here: {error}") from error
        except ValueError as error:
            raise RefusedCallError(
                "invalid-arguments", f"imgPath: the file is no image that can be read: {error}"
            ) from error
        known = [(one, self._gallery.get(one.id)) for one in found]
        result = {
            "results": [
                {"imageID": one.id, "score": one.score}
                | (
                    {"docID": str(picture.document)}
                    if picture is not None and picture.document is not None
                    else {}
                )
                for one, picture in known
            ]
        }
        seen = [picture for _, picture in known[:MOST_SEEN] if picture is not None and picture.file.is_file()]
        if not seen:
            return result
        return Pictured(result, [Image(one.id, one.file.read_bytes()) for one in seen])

    def _image(self, path: str) -> bytes:
        """The bytes of an image of the task, by its path or its id; nothing outside the folder is looked at."""
        if self._images is None:
            raise RefusedCallError("not-found", "the task has no images")
        missing = RefusedCallError("not-found", "the task has no such image")
        try:
            # the name alone, or with the folder before it, as a listing of the corpus would show it
            asked = (self._images / path.removeprefix(f"{self._images.name}/")).resolve()
            if not asked.is_relative_to(self._images):
                raise RefusedCallError(
                    "invalid-arguments", "imgPath: it must lie in the folder of the task's images"
                )
            tries = [asked, *(asked.with_name(asked.name + ending) for ending in IMAGE_ENDINGS)]
            for file in tries:
                inside = file.resolve().is_relative_to(self._images)
                if inside and file.suffix.lower() in IMAGE_ENDINGS and file.is_file():
                    if file.stat().st_size > _MOST_BYTES:
                        raise RefusedCallError("invalid-arguments", "imgPath: the file is too large")
                    return file.read_bytes()
        except (OSError, ValueError, RuntimeError) as error:
            # A name with a NUL, one that is too long, or a loop of links.
            raise missing from error
        raise missing

    def _recommend(self, asked: _Recommend) -> JsonResult:
        ordered = sorted(self._in(asked.city), key=_by_rating)
        return {"results": [self._told(place) for place in ordered[:MOST_FOUND]]}

    def _by_name(self, asked: _ByName) -> JsonResult:
        from rapidfuzz import fuzz, utils

        scored = [
            (round(fuzz.WRatio(asked.name, place.name, processor=utils.default_process)), place)
            for place in self._in(asked.city)
        ]
        kept = [(score, place) for score, place in scored if score >= NAME_THRESHOLD]
        # A name inside a longer one scores as high as a near miss: the whole name decides between them.
        kept.sort(
            key=lambda one: (
                -round(fuzz.ratio(asked.name, one[1].name, processor=utils.default_process)),
                -one[0],
                one[1].name,
            )
        )
        if not kept:
            raise RefusedCallError(
                "not-found", f"no restaurant in {self._city(asked.city)} has a name like this"
            )
        return {"results": [self._told(place) | {"similarity": score} for score, place in kept[:MOST_FOUND]]}

    def _by_food(self, asked: _ByFood) -> JsonResult:
        from rapidfuzz import fuzz, utils

        kept = []
        for place in self._in(asked.city):
            score, food = max(
                (
                    round(
                        fuzz.token_set_ratio(plain(asked.food), plain(food), processor=utils.default_process)
                    ),
                    food,
                )
                for food in (place.cuisine, *place.dishes)
            )
            if score >= FOOD_THRESHOLD:
                kept.append((score, food, place))
        if not kept:
            raise RefusedCallError(
                "not-found", f"no restaurant in {self._city(asked.city)} is known for this food"
            )
        kept.sort(key=lambda one: (-one[0], _by_rating(one[2])))
        return {
            "results": [
                self._told(place) | {"matched": food, "similarity": score}
                for score, food, place in kept[:MOST_FOUND]
            ]
        }

    def _city(self, city: str) -> str:
        """The city as the base calls it; `New York City` and `Boston, MA` are read as the city they begin with."""
        asked = city.casefold()
        for known in self._restaurants:
            name = known.casefold()
            if asked == name or (asked.startswith(name) and not asked[len(name)].isalnum()):
                return known
        raise RefusedCallError(
            "not-found", f"there is no such city; the cities are {', '.join(self._restaurants)}"
        )

    def _in(self, city: str) -> list[Restaurant]:
        return self._restaurants[self._city(city)]

    def _told(self, place: Restaurant) -> JsonResult:
        return {
            "name": place.name,
            "city": place.city,
            "area": place.area,
            "cuisine": place.cuisine,
            "recommended_food": list(place.dishes),
            "price_per_person": place.price,
            "currency": self._currency,
            "rating": str(place.rating),
            "opening_hours": f"{hhmm(place.opens)}-{hhmm(place.closes)}",
        }


def plain(name: str) -> str:
    """A name without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))


def _by_rating(place: Restaurant) -> tuple[Any, ...]:
    return (-place.rating, place.price, place.name)
