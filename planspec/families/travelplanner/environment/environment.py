"""TravelPlanner and FlexTravelBench: searches as tools, or what they find as texts; turns come one after the other."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from planspec.agents.tools import JsonResult
from planspec.api.judging import Judge
from planspec.environments.opened import AgentTask, Setting
from planspec.families.travelplanner.environment.tools import Database

_SEARCH = """\
Plan the trip that the request asks for, with what the searches find. Where the request names a state, find its cities first.
Never use a name, a number or a price that no search found."""
_KNOWN = """\
Plan the trip that the request asks for, with the tables that stand below it: they hold all that can be known of its cities,
days and ways. Never use a name, a number or a price that they do not have."""
_RULES = """\
# When a plan works

- It has one day for each day of the trip. The first leaves the start for a city of the destination, the last ends at the start, and between
  them one goes from city to city without jumps, to exactly as many different cities as the request asks for (one, if it asks for no
  number), and comes to none of them twice. Nights are spent in cities of the destination.
- Whoever changes the city on a day takes a ride between exactly those two cities: a flight of that date, a taxi, or one's own car.
  The first day has a ride in any case. One's own car (self-driving) goes with neither flights nor taxis on the same trip. A
  way that no search finds cannot be taken.
- A day without travel has breakfast, lunch, dinner and one attraction at least; on days of travel these may be left out. Every
  night but the last day's has an accommodation.
- No restaurant and no attraction comes twice in a trip. All of them are in a city of the day, and the accommodation in the city
  where the day ends.
- An accommodation is kept for its minimum number of nights in a row, or longer.
- What is asked of rooms, house rules, cuisines and transportation holds for the whole trip. A house rule such as "No pets" says what is
  forbidden there. Each cuisine that is asked for is eaten at least once, outside of the start.
- The budget covers everything for everyone: each flight and meal for each person; as many rooms as the maximum occupancy needs, each
  night; and one's own cars for five people each, taxis for four."""
_FORMAT = """\
# The answer

A JSON list with an object for each day, of texts. "-" stands for what there is none of.

- `days`: the number of the day, from 1
- `current_city`: the city, or "from A to B" on a day of travel
- `transportation`: "Flight Number: F..., from A to B, Departure Time: HH:MM, Arrival Time: HH:MM", "Self-driving, from A to B" or "Taxi, from A to B"
- `breakfast`, `lunch`, `dinner`, `accommodation`: the name with its city, exactly as it was told
- `attraction`: names likewise, each followed by ";"

The first two days of another trip:

```json
[{"days": 1, "current_city": "from Northport to Lakewell", "transportation": "Flight Number: F1000001, from Northport to Lakewell, Departure Time: 08:15, Arrival Time: 09:40", "breakfast": "-", "attraction": "Glass Museum, Lakewell;", "lunch": "Blue Door, Lakewell", "dinner": "Noodle Yard, Lakewell", "accommodation": "Quiet room near the lake, Lakewell"},
 {"days": 2, "current_city": "Lakewell", "transportation": "-", "breakfast": "Early Bird, Lakewell", "attraction": "Old Pier, Lakewell;Rose Garden, Lakewell;", "lunch": "Corner Grill, Lakewell", "dinner": "Casa Verde, Lakewell", "accommodation": "Quiet room near the lake, Lakewell"}]
```

If nothing can be planned that does all that is asked, answer {"infeasible": true}; it is checked."""
_TURNS = """\
# A conversation

The request may go on in later messages. What was said before still holds unless a later message changes it. Answer each message with
a whole plan, and change no more of the plan before than the message makes necessary."""


def _brief(first: str, judges: tuple[Judge, ...]) -> str:
    return "\n\n".join([first, _RULES, _FORMAT, *([_TURNS] if len(judges) > 1 else [])])


def tools(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """The searches."""
    database = Database(judges[-1].task)
    return AgentTask(
        name, judges, "tools", brief=_brief(_SEARCH, judges), tools=database.tools(), folder=folder
    )


def sole_planning(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """The searches' results for the request, as tables; no tools."""
    found = Database(judges[-1].task).reference()
    materials = {title: _table(rows) for title, rows in found if rows}
    return AgentTask(
        name, judges, "sole-planning", brief=_brief(_KNOWN, judges), materials=materials, folder=folder
    )


def _table(rows: list[JsonResult]) -> str:
    """Rows as CSV; several values in one cell are parted by `; `."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow(["; ".join(cell) if isinstance(cell, list) else cell for cell in row.values()])
    return text.getvalue().rstrip("\n")


SETTINGS: Mapping[str, Setting] = {"tools": tools, "sole-planning": sole_planning}
