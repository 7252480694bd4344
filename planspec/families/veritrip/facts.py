"""Records of a fact base: the true facts about the places, trains and flights of one country."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Literal, TypeAlias

Vehicle: TypeAlias = Literal["train", "airplane"]

Minutes: TypeAlias = int
"""A time of day or a duration, in minutes."""


@dataclass(frozen=True, slots=True)
class Service:
    """A train or a flight on one day.

    Attributes:
        number: booking number, such as `G7351` or `CA1702`.
        date: day of departure and of arrival.
        origin: station or airport of departure.
        to: station or airport of arrival.
        origin_city: city of `origin`.
        to_city: city of `to`.
        depart: departure, in minutes after midnight.
        arrive: arrival, in minutes after midnight; later than `depart`.
        price: fare for one person, in whole units of the currency.
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
        name: name used by visitors, unique within the city.
        latitude: degrees.
        longitude: degrees.
        address: street or district.
        introduction: description in one or two sentences.
        ticket: price for one person, in whole units of the currency; 0 is free.
        opens: opening time, in minutes after midnight.
        closes: closing time, in minutes after midnight; 1440 is midnight.
        closed_on: weekdays on which it is closed; Monday is 0.
        least: shortest recommended visit, in minutes.
        most: longest recommended visit, in minutes.
        interests: some of `Cultural history`, `Natural scenery`, `City charm`, `Leisure and
            entertainment`, `Family fun`.
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
        name: name, unique within the city.
        latitude: degrees.
        longitude: degrees.
        area: quarter of the city.
        cuisine: cuisine, such as `Seafood`.
        dishes: specialities.
        price: price of a meal for one person, in whole units of the currency.
        rating: rating out of five.
        opens: opening time, in minutes after midnight.
        closes: closing time, in minutes after midnight.
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
    """A kind of room offered by a hotel.

    Attributes:
        kind: name of the kind, such as `Twin room`.
        sleeps: number of guests.
        price: price of a night for the whole room, in whole units of the currency.
        breakfast: whether breakfast is included.
    """

    kind: str
    sleeps: int
    price: int
    breakfast: bool


@dataclass(frozen=True, slots=True)
class Hotel:
    """A hotel with its rooms.

    Attributes:
        name: name, unique within the city.
        latitude: degrees.
        longitude: degrees.
        address: street or district.
        stars: 2 to 5.
        rooms: offered rooms, each kind once.
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
    """A place other than a sight, a restaurant or a hotel: a station, a square, a bridge, a mall.

    Attributes:
        name: name, unique within the city.
        latitude: degrees.
        longitude: degrees.
        kind: `railway_station`, `airport`, `square`, `street`, `mall`, `bridge`, `university`, `market`,
            `metro_station`, ...
        about: description in one sentence.
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
    """Fact base: all facts about a country's places, trains and flights, in the order of their files.

    Attributes:
        currency: currency of all prices, an ISO 4217 code.
    """

    currency: str
    services: tuple[Service, ...]
    attractions: tuple[Attraction, ...]
    restaurants: tuple[Restaurant, ...]
    hotels: tuple[Hotel, ...]
    pois: tuple[Poi, ...]

    @cached_property
    def cities(self) -> tuple[str, ...]:
        """Cities with hotels, in the order of the hotels."""
        return tuple(dict.fromkeys(hotel.city for hotel in self.hotels))

    @cached_property
    def places(self) -> tuple[AnyPlace, ...]:
        """Attractions, restaurants, hotels and other places."""
        return (*self.attractions, *self.restaurants, *self.hotels, *self.pois)

    def within(self, city: str) -> Iterable[AnyPlace]:
        """Return the places of a city."""
        return (place for place in self.places if place.city == city)
