"""Assignment of cores, days and shapes to the tasks of a suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle, islice
from random import Random

from planspec.families.worldtravel.generator.calendar import Calendar, draw_calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.shapes import TaskShape, shapes
from planspec.suite_writing.options import UnsuitableSuiteError

FEWEST = {6: 3, 9: 4, 11: 4}
"""Places required for a choice within a shape, by its fewest hard constraints."""
SPARE = 30
"""Extra days, besides three a task, within which enough places must be open."""
TWO_DAYS = 6
"""One task in this many takes two days, if its shape permits."""


@dataclass(frozen=True, slots=True)
class Commission:
    """The requirements for a task.

    Attributes:
        number: number of the task, from 1.
        trip: days of the task, which no other task has.
        cores: indices of cores in the scenarios, in the order in which they are tried.
    """

    number: int
    trip: tuple[date, ...]
    shape: TaskShape
    cores: tuple[int, ...]


def commissions(city: CityFolder, count: int, seed: int, before: int) -> Iterator[Commission]:
    """Yield the requirements for each task.

    Tasks come in batches of one core, with separate days on which enough places are open.

    Args:
        city: city with its cores and the first day of its calendar.
        count: number of tasks.
        seed: seed of the order.
        before: tasks of the benchmark in other cities, whose shapes are used up.
    """
    random = Random(f"{seed} {city.head.id} commissions")
    task_shapes = random.sample(shapes(count, before), count)
    first = random.sample(range(len(city.scenarios.cores)), len(city.scenarios.cores))
    batches = sorted(islice(cycle(first), count), key=first.index)
    day = city.head.first
    calendar = draw_calendar(city, day, 3 * count + SPARE, seed)
    for number, (shape, core) in enumerate(zip(task_shapes, batches, strict=True), 1):
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


def _enough(
    city: CityFolder, calendar: Calendar, trip: tuple[date, ...], core: int, shape: TaskShape
) -> bool:
    """Return whether enough of a core's places have starts on each day, with booked ones for the anchors."""
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
