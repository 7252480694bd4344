"""Which task of a suite is derived from which core, on which days, and of what shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle, islice
from random import Random

from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.worldtravel.generator.calendar import Calendar, draw_calendar
from planspec.families.worldtravel.generator.city import City
from planspec.families.worldtravel.generator.shapes import Shape, shapes

FEWEST = {6: 3, 9: 4, 11: 4}
"""Places among which there is a choice for a shape, by its fewest hard constraints."""
SPARE = 30
"""Days beyond three a task within which enough has to be open."""
TWO_DAYS = 6
"""One task in so many takes two days, where its shape leaves room for them."""


@dataclass(frozen=True, slots=True)
class Commission:
    """What a task is to be.

    Attributes:
        number: of the task, from 1.
        trip: its days, which no other task has.
        cores: their places in the scenarios, in the order in which they are tried.
    """

    number: int
    trip: tuple[date, ...]
    shape: Shape
    cores: tuple[int, ...]


def commissions(city: City, count: int, seed: int, before: int) -> Iterator[Commission]:
    """What each task of a suite is to be: batches of one core, each with days of its own, on which enough is open.

    Args:
        city: with its cores and the first day of its calendar.
        count: of tasks.
        seed: of the order.
        before: tasks of the benchmark in other cities, whose shapes are given away.
    """
    random = Random(f"{seed} {city.head.id} commissions")
    wanted = random.sample(shapes(count, before), count)
    first = random.sample(range(len(city.scenarios.cores)), len(city.scenarios.cores))
    batches = sorted(islice(cycle(first), count), key=first.index)
    day = city.head.first
    calendar = draw_calendar(city, day, 3 * count + SPARE, seed)
    for number, (shape, core) in enumerate(zip(wanted, batches, strict=True), 1):
        length = 2 if number % TWO_DAYS == 0 and shape.hard.least > 6 and shape.timed.most < 5 else 1
        trip = tuple(_days(day, length))
        while not any(_enough(city, calendar, trip, other, shape) for other in first):
            day += timedelta(days=1)
            trip = tuple(_days(day, length))
            if trip[-1] > calendar.days[-1]:
                raise UnsuitableSuiteError(
                    f"{city.folder}: no core has enough that is open together for the shape {shape}"
                )
        others = random.sample([c for c in first if c != core], len(first) - 1)
        yield Commission(number, trip, shape, (core, *others))
        day = trip[-1] + timedelta(days=1)


def _enough(city: City, calendar: Calendar, trip: tuple[date, ...], core: int, shape: Shape) -> bool:
    """A core has as many places as the shape needs that begin something on each day, booked ones where it wants anchors."""
    places = city.scenarios.cores[core].places
    for day in trip:
        starting = calendar.starting((day,))
        offers = [row for row in city.rows("offer") if row["id"] in starting and row["place"] in places]
        booked = [row for row in offers if row["booked"] == "true"]
        if len({row["place"] for row in offers}) < FEWEST[shape.hard.least]:
            return False
        if len({row["place"] for row in booked}) < shape.timed.least:
            return False
    return True


def _days(first: date, length: int) -> Iterator[date]:
    for i in range(length):
        yield first + timedelta(days=i)
