"""Elements of tasks and their phrases: `scenarios.yaml` of a city."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Phrases = Annotated[list[str], Field(min_length=1)]
"""Several ways to say one thing."""
Strict = ConfigDict(extra="forbid", frozen=True)


class WishKind(BaseModel):
    """A kind of wish for a place: columns of the library's `Wish`, and requested parts and add-ons.

    Attributes:
        say: words after the place's name in a request; empty texts if none are needed.
        patience: duration, as the language writes it.
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
    parts: list[str] = []
    addons: list[str] = []

    def cells(self) -> dict[str, str]:
        """Return the cells of the wish, as the language writes them, without defaults."""
        values = self.model_dump(exclude={"say", "parts", "addons"}, exclude_defaults=True)
        return {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()
        }


class PlaceScenario(BaseModel):
    """Phrases and wishes for a place.

    Attributes:
        named: noun phrases with its name.
        hinted: noun phrases that identify it by the city's guide.
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
    """A group of travellers, and how they describe themselves."""

    model_config = Strict
    travellers: list[Person] = Field(min_length=1, max_length=8)
    say: Phrases


class Stay(BaseModel):
    """Requirements for the hotel; the cheapest match is selected."""

    model_config = Strict
    say: Phrases
    stars: int | None = None
    features: list[str] = []
    near: str | None = None


class Core(BaseModel):
    """A combination of places for a day whose constraints interact.

    Attributes:
        places: three to six places, one or two of them restaurants.
        passes: city passes that a request may ask for.
    """

    model_config = Strict
    id: str = Field(pattern="^[a-z][a-z0-9_-]*$")
    title: str
    places: list[str] = Field(min_length=2, max_length=6)
    passes: list[str] = []


class Scenarios(BaseModel):
    """`scenarios.yaml`."""

    model_config = Strict
    places: dict[str, PlaceScenario]
    parties: list[Party] = Field(min_length=1)
    stays: list[Stay] = Field(min_length=1)
    cores: list[Core] = Field(min_length=1)
