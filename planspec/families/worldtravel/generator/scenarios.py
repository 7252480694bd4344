"""Models of a city's `scenarios.yaml`: possible places, wishes, travellers and hotels, with phrases for requests."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Phrases = Annotated[list[str], Field(min_length=1)]
"""Alternative wordings, at least one."""
Strict = ConfigDict(extra="forbid", frozen=True)


class WishKind(BaseModel):
    """A kind of visit that travellers may wish for at a place.

    All attributes except `say`, `parts` and `addons` are columns of the library's table `Wish`.

    Attributes:
        say: words that follow the place's name in a request. They may be empty.
        patience: duration in planspec syntax, such as `30min`.
        parts: ids of the requested parts.
        addons: ids of the requested add-ons.
    """

    model_config = Strict
    say: Phrases
    style: str | None = None
    course: str | None = None
    meal: str | None = None
    language: str | None = None
    guided: bool = False
    genre: str | None = None
    introduction: bool = False
    patience: str | None = None
    photographs: bool = False
    before_closing: bool = False
    sessions: int = Field(default=1, ge=1, le=3)
    parts: list[str] = []
    addons: list[str] = []

    def non_default_cells(self) -> dict[str, str]:
        """Return the cells of this wish's row in the table `Wish` that differ from their defaults.

        They are strings in planspec syntax, by column.
        """
        values = self.model_dump(exclude={"say", "parts", "addons"}, exclude_defaults=True)
        return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}


class PlaceScenario(BaseModel):
    """Phrases and wishes for a place.

    Attributes:
        named: noun phrases that contain the name of the place.
        hinted: noun phrases that describe the place without its name. Readers can identify it by the city's guide.
        wishes: possible kinds of wish.
    """

    model_config = Strict
    named: Phrases
    hinted: Phrases
    wishes: list[WishKind] = Field(min_length=1)


class Person(BaseModel):
    """A traveller."""

    model_config = Strict
    age: int = Field(ge=0, le=120)
    eu: bool = True
    student: bool = False


class Party(BaseModel):
    """A group of travellers. `say` are phrases with which they describe themselves."""

    model_config = Strict
    travellers: list[Person] = Field(min_length=1, max_length=8)
    say: Phrases


class StayScenario(BaseModel):
    """Requirements for the hotel. The cheapest hotel that meets them is the right one.

    Attributes:
        say: phrases with which a request expresses the requirements.
        stars: required number of stars; None for any.
        features: features that the hotel must have.
        near: id of a place within 15 minutes on foot of the hotel; None for anywhere.
    """

    model_config = Strict
    say: Phrases
    stars: int | None = None
    features: list[str] = []
    near: str | None = None


class Focus(BaseModel):
    """A kind of wish that a share of the tasks must have.

    Attributes:
        title: noun phrase for READMEs.
        columns: columns of the library's table `Wish` in which the wish differs from the default.
        places: ids of the places of the wish; any place if it is empty.
        share: share of the tasks that must have such a wish.
        tries: number of drafts after which a task may be accepted without such a wish.
        further: numbers of further tasks that must have such a wish, unless they have another focus. A larger `share`
            would change other tasks as well.
    """

    model_config = Strict
    title: str
    columns: list[str] = Field(min_length=1)
    places: list[str] = []
    share: float = Field(gt=0, le=1)
    tries: int = Field(default=1200, ge=1)
    further: list[Annotated[int, Field(ge=1)]] = []

    def includes(self, place: str, kind: WishKind) -> bool:
        """Return whether a wish for a place is of this kind."""
        return self.has(place, kind.non_default_cells())

    def has(self, place: str, columns: Collection[str]) -> bool:
        """Return whether a wish is of this kind. `columns` are the columns in which it differs from the default."""
        return place in (self.places or [place]) and all(column in columns for column in self.columns)


class Core(BaseModel):
    """Group of places with interacting constraints, from which the places of a task are drawn.

    Attributes:
        title: title of tasks that have all of `promises`.
        promises: ids of the places and passes that a task with this title must have. A place may have a condition on
            its row in the library's table `Wish`: a column that differs from the default (`opera.genre`) or has a
            value (`opera.genre=ballet`). By default, all places.
        places: ids of the places. Usually one or two of them are restaurants.
        passes: ids of the city passes that a request may ask for.
    """

    model_config = Strict
    id: str = Field(pattern="^[a-z][a-z0-9_-]*$")
    title: str
    promises: list[str] = []
    places: list[str] = Field(min_length=2, max_length=6)
    passes: list[str] = []

    def promised(self) -> list[tuple[str, str, str]]:
        """Return what the core's title promises, as triples of a place or pass, a column and a value.

        Column and value may be empty.
        """
        parts = (promise.partition(".") for promise in self.promises or self.places)
        return [(subject, *cell.partition("=")[::2]) for subject, _, cell in parts]


class Scenarios(BaseModel):
    """Content of `scenarios.yaml`.

    Attributes:
        places: phrases and wishes for each place, by its id.
        parties: possible groups of travellers.
        stays: possible requirements for the hotel.
        cores: groups of places from which tasks are drawn.
        focuses: kinds of wishes that a share of the tasks must have.
    """

    model_config = Strict
    places: dict[str, PlaceScenario]
    parties: list[Party] = Field(min_length=1)
    stays: list[StayScenario] = Field(min_length=1)
    cores: list[Core] = Field(min_length=1)
    focuses: list[Focus] = []
