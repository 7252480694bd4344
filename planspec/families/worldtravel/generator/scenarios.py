"""What tasks are made of, and how travellers say it: `scenarios.yaml` of a city."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Phrases = Annotated[list[str], Field(min_length=1)]
"""Several ways to say one thing."""
Strict = ConfigDict(extra="forbid", frozen=True)


class WishKind(BaseModel):
    """A way in which a place can be wished for: columns of the library's `Wish`, and what is wanted of its parts and add-ons.

    Attributes:
        say: what follows the place's name in a request; empty texts where nothing has to be said.
        patience: as the language writes durations.
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
        """The cells of the wish, as the language writes them; defaults are left out."""
        told = self.model_dump(exclude={"say", "parts", "addons"}, exclude_defaults=True)
        return {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in told.items()
        }


class PlaceScenario(BaseModel):
    """How a place is spoken of.

    Attributes:
        named: noun phrases that name it.
        hinted: noun phrases by which it is found from what the city's guide says of it.
        wishes: the ways in which it can be wished for.
    """

    model_config = Strict
    named: Phrases
    hinted: Phrases
    wishes: list[WishKind] = Field(min_length=1)


class Person(BaseModel):
    """Who travels."""

    model_config = Strict
    age: int = Field(ge=0, le=120)
    eu: bool = True
    student: bool = False


class Party(BaseModel):
    """Those who travel together, and how they say who they are."""

    model_config = Strict
    travellers: list[Person] = Field(min_length=1, max_length=8)
    say: Phrases


class Stay(BaseModel):
    """What the hotel has to have; the cheapest such is meant."""

    model_config = Strict
    say: Phrases
    stars: int | None = None
    features: list[str] = []
    near: str | None = None


class Core(BaseModel):
    """What makes a day: places that people would see together and that hold one another.

    Attributes:
        places: three to six of them, one or two of which are restaurants.
        passes: those that a request may ask for.
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
