"""The fact base as records: what is true of the places and services of a world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal, TypeAlias

Vehicle: TypeAlias = Literal["train", "airplane"]

Minutes: TypeAlias = int
"""A time of the day, or a length of time, in minutes."""


@dataclass(frozen=True, slots=True)
class Service:
    """A train or a flight on one day.

    Attributes:
        number: by which it is booked, as `G7351` or `CA1702`.
        vehicle: what it is.
        date: the day of departure; it arrives on the same day.
        origin: the station or airport where it departs.
        to: where it arrives.
        origin_city: the city of `origin`.
        to_city: the city of `to`.
        depart: when, in minutes after midnight.
        arrive: when, likewise; later than `depart`.
        price: for one person, in whole units of the currency.
    """

    number: str
    vehicle: Vehicle
    date: date
    origin: str
    to: str
    origin_city: str
    to_city: str
    depart: Minutes
    arrive: Minutes
    price: int


@dataclass(frozen=True, slots=True)
class Attraction:
    """A sight.

    Attributes:
        name: as its visitors call it; no two of a city have one name.
        city: where it is.
        latitude: in degrees.
        longitude: in degrees.
        address: the street, or the district.
        introduction: a sentence or two on what it is.
        ticket: for one person, in whole units of the currency; 0 is free.
        opens: in minutes after midnight.
        closes: likewise; 1440 is midnight.
        closed_on: weekdays on which it is closed, Monday is 0.
        least: the shortest visit that is recommended, in minutes.
        most: the longest one.
        interests: what it is for, of `Cultural history`, `Natural scenery`, `City charm`,
            `Leisure and entertainment`, `Family fun`.
    """

    name: str
    city: str
    latitude: Decimal
    longitude: Decimal
    address: str
    introduction: str
    ticket: int
    opens: Minutes
    closes: Minutes
    closed_on: frozenset[int]
    least: Minutes
    most: Minutes
    interests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restaurant:
    """A place to eat.

    Attributes:
        name: no two of a city have one name.
        city: where it is.
        latitude: in degrees.
        longitude: in degrees.
        area: the quarter.
        cuisine: as `Seafood`.
        dishes: what it is known for.
        price: of a meal for one person, in whole units of the currency.
        rating: of five.
        opens: in minutes after midnight.
        closes: likewise.
    """

    name: str
    city: str
    latitude: Decimal
    longitude: Decimal
    area: str
    cuisine: str
    dishes: tuple[str, ...]
    price: int
    rating: Decimal
    opens: Minutes
    closes: Minutes


@dataclass(frozen=True, slots=True)
class Room:
    """A kind of room that a hotel offers.

    Attributes:
        kind: as `Twin room`.
        sleeps: how many.
        price: of a night for the whole room, in whole units of the currency.
        breakfast: it is included.
    """

    kind: str
    sleeps: int
    price: int
    breakfast: bool


@dataclass(frozen=True, slots=True)
class Hotel:
    """A hotel with its rooms.

    Attributes:
        name: no two of a city have one name.
        city: where it is.
        latitude: in degrees.
        longitude: in degrees.
        address: the street, or the district.
        stars: 2 to 5.
        rooms: what it offers, each kind once.
    """

    name: str
    city: str
    latitude: Decimal
    longitude: Decimal
    address: str
    stars: int
    rooms: tuple[Room, ...]


@dataclass(frozen=True, slots=True)
class Poi:
    """A place that is none of the others: a station, a square, a bridge, a mall.

    Attributes:
        name: no two of a city have one name.
        city: where it is.
        latitude: in degrees.
        longitude: in degrees.
        kind: `railway_station`, `airport`, `square`, `street`, `mall`, `bridge`, `university`, `market`, `metro_station`, ...
        about: a sentence on it.
    """

    name: str
    city: str
    latitude: Decimal
    longitude: Decimal
    kind: str
    about: str


AnyPlace: TypeAlias = Attraction | Restaurant | Hotel | Poi


@dataclass(frozen=True)
class FactBase:
    """All facts of a world, in the order of their files.

    Attributes:
        currency: of all its prices, an ISO 4217 code.
    """

    currency: str
    services: tuple[Service, ...]
    attractions: tuple[Attraction, ...]
    restaurants: tuple[Restaurant, ...]
    hotels: tuple[Hotel, ...]
    pois: tuple[Poi, ...]

    @cached_property
    def cities(self) -> tuple[str, ...]:
        """The cities in which one can stay, in the order of the hotels."""
        return tuple(dict.fromkeys(hotel.city for hotel in self.hotels))

    @cached_property
    def places(self) -> tuple[AnyPlace, ...]:
        """Attractions, restaurants, hotels and other places."""
        return (*self.attractions, *self.restaurants, *self.hotels, *self.pois)

    def within(self, city: str) -> Iterable[AnyPlace]:
        """The places of a city."""
        return (place for place in self.places if place.city == city)
