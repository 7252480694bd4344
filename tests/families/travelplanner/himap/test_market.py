from __future__ import annotations

from typing import Any

import pytest

from planspec.api.loading import load
from planspec.dsl.model.rows import Row
from planspec.errors import UnsuitableTaskError
from planspec.families.travelplanner.himap.market import Market
from tests.families.travelplanner.himap.small_trips import market


def cell(row: Row, column: str) -> Any:
    return getattr(row, column)


def test_destinations_are_the_cities_of_the_state_without_the_origin() -> None:
    assert market(1).destinations == ("Brindle",)
    assert market(3).org not in market(3).destinations
    assert len(market(3).destinations) >= market(3).cities == 2


def test_a_bed_is_priced_for_the_party_and_all_nights() -> None:
    trip = market(9)
    hotels = {o.name: o for o in trip.hotels("Orla", 2)}
    for bed in trip.beds("Orla"):
        if bed.minimum_nights <= 2:
            assert hotels[bed.name].cost == 2 * bed.cost
        else:
            assert bed.name not in hotels


def test_hotels_that_ban_the_party_are_not_offered() -> None:
    trip = market(9)
    banned = {row._key[0] for row in trip.task.facts["Hotel"].rows if trip.task.givens["rule"] in cell(row, "bans")}
    assert banned
    assert not banned & {bed.name for city in trip.destinations for bed in trip.beds(city)}


def test_only_rooms_of_the_requested_type_are_offered() -> None:
    trip = market(5)
    rooms = {row._key[0]: cell(row, "room") for row in trip.task.facts["Hotel"].rows}
    beds = [bed for city in trip.destinations for bed in trip.beds(city)]
    assert beds and {rooms[bed.name] for bed in beds} == {"private_room"}


def test_a_meal_is_priced_for_the_party() -> None:
    trip = market(9)
    prices = {row._key[0]: cell(row, "price") for row in trip.task.facts["Restaurant"].rows}
    meals = trip.restaurants("Orla")
    assert meals and all(meal.cost == 5 * prices[meal.name] for meal in meals)


def test_excluded_modes_of_transport_are_not_offered() -> None:
    by = {
        ride.cells["mode"]
        for origin in (market(8).org, *market(8).destinations)
        for to in (market(8).org, *market(8).destinations)
        for date in market(8).dates
        for ride in market(8).rides(date, origin, to)
    }
    assert by and "flight" not in by


def test_taxis_and_cars_are_priced_by_distance() -> None:
    trip = market(2)
    destination = trip.destinations[0]
    rides = {ride.cells["mode"]: ride.cost for ride in trip.rides(trip.dates[0], trip.org, destination)}
    length = next(
        cell(row, "length") // 1000
        for row in trip.task.facts["Road"].rows
        if (cell(row, "origin")._key[0], cell(row, "to")._key[0]) == (trip.org, destination)
    )
    assert rides["taxi"] == length * 100 and rides["self_driving"] == length // 20 * 100


def test_a_task_that_is_not_a_trip_is_refused() -> None:
    with pytest.raises(UnsuitableTaskError, match="no trip"):
        Market(load("meetings"))
