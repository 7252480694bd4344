"""Assignment of cores (groups of places), days and shapes (numbers of constraints) to the tasks of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle, islice
from math import ceil
from random import Random

from planspec.families.worldtravel.generator.calendar import Calendar, draw_calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.scenarios import Focus
from planspec.families.worldtravel.generator.shapes import TaskShape, suite_shapes
from planspec.suite_writing.options import UnsuitableSuiteError

FEWEST_PLACES = {6: 3, 9: 4, 11: 4}
"""Required number of places with start times on each day of a trip, by the minimum number of hard constraints."""
SPARE_DAYS = 30
"""Number of days in the calendar in addition to three days for each task."""
TWO_DAYS = 6
"""Every task whose number is a multiple of this value takes two days, if its numbers of constraints permit it."""


@dataclass(frozen=True, slots=True)
class TaskRequirements:
    """Requirements for a task to be generated.

    Attributes:
        number: number of the task, from 1.
        trip: days of the trip. No two tasks of the suite share a day.
        shape: required numbers of constraints and anchors.
        cores: indices of the city's groups of places, in the order in which they are tried.
        focus: kind of wish that the task must have; None for any.
    """

    number: int
    trip: tuple[date, ...]
    shape: TaskShape
    cores: tuple[int, ...]
    focus: Focus | None = None


def task_requirements(city: CityFolder, count: int, seed: int, preceding_count: int) -> Iterator[TaskRequirements]:
    """Yield the requirements for each task of a suite.

    Tasks with the same core (group of places) are consecutive. No two tasks share a day, and enough places are open
    on each day.

    Args:
        city: city with its cores and the first day of its calendar.
        count: number of tasks.
        seed: seed of the order.
        preceding_count: number of the benchmark's tasks in the cities before this one. Their shapes (numbers of
            constraints) are skipped.
    """
    random = Random(f"{seed} {city.head.id} commissions")
    task_shapes = random.sample(suite_shapes(count, preceding_count), count)
    first = random.sample(range(len(city.scenarios.cores)), len(city.scenarios.cores))
    batches = sorted(islice(cycle(first), count), key=first.index)
    day = city.head.first
    calendar = draw_calendar(city, day, 3 * count + SPARE_DAYS, seed)
    focuses = _assigned_focuses(city, task_shapes, random)
    for number, (shape, core) in enumerate(zip(task_shapes, batches, strict=True), 1):
        focus = focuses.get(number)
        length = 2 if _may_take_two_days(number, shape) else 1
        trip = tuple(_consecutive_days(day, length))
        while not any(
            _has_enough_places(city, calendar, trip, other, shape) and _permits(city, calendar, trip, other, focus)
            for other in first
        ):
            day += timedelta(days=1)
            trip = tuple(_consecutive_days(day, length))
            if trip[-1] > calendar.days[-1]:
                raise UnsuitableSuiteError(
                    f"{city.folder}: no core has enough places that are open on the same day for the shape {shape}"
                )
        others = random.sample([c for c in first if c != core], len(first) - 1)
        yield TaskRequirements(number, trip, shape, (core, *others), focus)
        day = trip[-1] + timedelta(days=1)


def _may_take_two_days(number: int, shape: TaskShape) -> bool:
    return number % TWO_DAYS == 0 and shape.hard.least > 6 and shape.timed.most < 5


def _assigned_focuses(city: CityFolder, task_shapes: Sequence[TaskShape], random: Random) -> dict[int, Focus]:
    """Return the focus (required kind of wish) of each task that has one, by the number of the task.

    Only one-day tasks that do not require a booking for every place get a focus on visits in several sessions.
    """
    count = len(task_shapes)
    free = random.sample(range(1, count + 1), count)
    assigned: dict[int, Focus] = {}
    for focus in city.scenarios.focuses:
        suitable = [
            number
            for number in free
            if "sessions" not in focus.columns
            or (task_shapes[number - 1].timed.most < 5 and not _may_take_two_days(number, task_shapes[number - 1]))
        ]
        for number in suitable[: ceil(focus.share * count)]:
            assigned[number] = focus
            free.remove(number)
    further = {number: focus for focus in city.scenarios.focuses for number in focus.further if number in free}
    return assigned | further


def _permits(city: CityFolder, calendar: Calendar, trip: tuple[date, ...], core: int, focus: Focus | None) -> bool:
    """Return whether the core has a place that is open on the trip and can have a wish of the kind `focus`.

    If the wish is for a performance, the place must have a performance on the trip.
    """
    if focus is None:
        return True
    starting = calendar.offers_on(trip)
    for place in city.scenarios.cores[core].places:
        if any(focus.includes(place, kind) for kind in city.scenarios.places[place].wishes):
            offers = [row for row in city.rows("offer") if row["place"] == place and row["id"] in starting]
            if any(row["show"] for row in offers) if "genre" in focus.columns else offers:
                return True
    return False


def _has_enough_places(
    city: CityFolder, calendar: Calendar, trip: tuple[date, ...], core: int, shape: TaskShape
) -> bool:
    """Return whether enough places of the core have start times on each day, and enough have booked start times."""
    places = city.scenarios.cores[core].places
    for day in trip:
        starting = calendar.offers_on((day,))
        offers = [row for row in city.rows("offer") if row["id"] in starting and row["place"] in places]
        booked = [row for row in offers if row["booked"] == "true"]
        if len({row["place"] for row in offers}) < FEWEST_PLACES[shape.hard.least]:
            return False
        if len({row["place"] for row in booked}) < shape.timed.least:
            return False
    return True


def _consecutive_days(first: date, length: int) -> Iterator[date]:
    for i in range(length):
        yield first + timedelta(days=i)
