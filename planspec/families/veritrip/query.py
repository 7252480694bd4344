"""Travel query with the fields of the VeriTrip paper."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Difficulty = Literal["Simple", "Medium", "Complex"]
Persona = Literal[
    "Solo traveler",
    "Couple",
    "Friends",
    "Family (with elderly)",
    "Family (with children)",
    "Family (with elderly and children)",
    "Two families",
]
Interest = Literal["Cultural history", "Natural scenery", "City charm", "Leisure and entertainment", "Family fun"]
Traffic = Literal["High-speed rail", "Airplane"]
Ride = Literal["Public transportation", "Taxi"]
OTHER_WORDS = {"Easy": "Simple", "Hard": "Complex"}
"""Names of difficulties in the paper's tables, by the different names in its prompts."""
MOST_DAYS = 31
MOST_PREFERRED = 10


def _canonical_difficulty(value: Any) -> Any:
    return OTHER_WORDS.get(value, value) if isinstance(value, str) else value


def _empty_as_none(value: Any) -> Any:
    """Return None for an empty preference, and other values unchanged."""
    return None if value in ("", "None", "none") else value


def _require_encodable(text: str) -> str:
    """Check that a text can be encoded in UTF-8.

    Raises:
        ValueError: The text has half of a surrogate pair, which JSON allows.
    """
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("it has half of a surrogate pair")
    return text


Text = Annotated[str, AfterValidator(_require_encodable)]
Wish = Annotated[Text | None, BeforeValidator(_empty_as_none)]


class Query(BaseModel):
    """A traveller's request, with the fields of the VeriTrip paper. `|` separates several names in one field."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: Annotated[Text, Field(min_length=1, max_length=100)]
    start_city: Text
    target_city: Text
    start_date: date
    end_date: date
    people_number: int = Field(ge=1, le=100)
    budget: Annotated[int | None, Field(ge=0, le=10**9), BeforeValidator(_empty_as_none)] = None
    persona: Wish = None
    have_pet: Annotated[bool | None, BeforeValidator(_empty_as_none)] = None
    difficulty: Annotated[Difficulty | None, BeforeValidator(_canonical_difficulty)] = None
    p_attraction: Wish = None
    p_meal: Wish = None
    p_accommodation: Wish = None
    p_interest: Annotated[Interest | None, BeforeValidator(_empty_as_none)] = None
    p_intercity_traffic: Annotated[Traffic | None, BeforeValidator(_empty_as_none)] = None
    p_innercity_traffic: Annotated[Ride | None, BeforeValidator(_empty_as_none)] = None
    nature_language: Text
    images: tuple[Text, ...] = Field(
        default=(), description="file names of pictures that show attractions instead of naming them"
    )
    shown: tuple[Text, ...] = Field(default=(), description="names of the places in the pictures, in the same order")

    @model_validator(mode="after")
    def _check_dates(self) -> Query:
        if not 0 <= (self.end_date - self.start_date).days < MOST_DAYS:
            raise ValueError("the trip ends before it begins, or is longer than a month")
        if max(len(self.attractions), len(self.meals)) > MOST_PREFERRED:
            raise ValueError(f"more than {MOST_PREFERRED} names are preferred")
        return self

    @property
    def days(self) -> int:
        """Number of days of the trip, including the first and the last."""
        return (self.end_date - self.start_date).days + 1

    @property
    def attractions(self) -> tuple[str, ...]:
        """Names of the attractions to visit."""
        return _split_names(self.p_attraction)

    @property
    def meals(self) -> tuple[str, ...]:
        """Names of the requested dishes, cuisines or restaurants."""
        return _split_names(self.p_meal)

    @property
    def preferences(self) -> int:
        """Number of preferences.

        Each name counts as one preference. The interest also counts as one, although no rule checks it.
        """
        others = (self.p_accommodation, self.p_interest, self.p_intercity_traffic, self.p_innercity_traffic)
        return len(self.attractions) + len(self.meals) + sum(wish is not None for wish in others)


def _split_names(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in (text or "").split("|") if part.strip()))
