"""Cost of importing TravelPlanner's flights: `python -m benchmarks.importing [ROWS]`.

The data are the small shipped tables and, by default, as many invented flights as the public table has: 3,827,361,
between 312 invented cities on 181 days. The program prints:

- duration and peak memory of the import, which runs in a separate process;
- size of the database;
- time to look up the flights of one route on one day (median of 1,000 random lookups);
- time to load a task.
"""

from __future__ import annotations

import csv
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from statistics import median

import planspec
from tests.paths import ROOT

ROWS = 3_827_361
SMALL = ROOT / "tasks" / "travelplanner-small"
HEADER = (
    "Flight Number",
    "Price",
    "DepTime",
    "ArrTime",
    "ActualElapsedTime",
    "FlightDate",
    "OriginCityName",
    "DestCityName",
    "Distance",
)
IMPORT = """
import resource, sys, time
from pathlib import Path
from planspec.families.travelplanner.importing.suite import import_travelplanner
started = time.perf_counter()
summary = import_travelplanner(Path(sys.argv[1]), [Path(sys.argv[2])], Path(sys.argv[3]))
assert all(count.adds_up for count in summary.tables)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
print(f"import {time.perf_counter() - started:.1f} s, peak memory {peak:.0f} MB")
"""


def write_flights(path: Path, rows: int) -> None:
    """Append random flights to the flights of the small shipped world."""
    random_source = random.Random(17)
    cities = [f"City {n}" for n in range(312)]
    days = [(date(2022, 1, 1) + timedelta(n)).isoformat() for n in range(181)]
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for n in range(rows):
            origin, target = random_source.sample(cities, 2)
            hour, minute = random_source.randrange(22), random_source.randrange(60)
            writer.writerow(
                (
                    f"F{9_000_000 + n}",
                    random_source.randrange(30, 900),
                    f"{hour:02}:{minute:02}",
                    f"{hour + 1:02}:{minute:02}",
                    "1 hours 0 minutes",
                    random_source.choice(days),
                    origin,
                    target,
                    float(random_source.randrange(100, 3000)),
                )
            )


def lookup_milliseconds(base: Path) -> float:
    """Return the median time to look up the flights of a route on a day, in milliseconds."""
    random_source = random.Random(18)
    times = []
    connection = sqlite3.connect(base)
    for _ in range(1_000):
        origin, target = random_source.sample(range(312), 2)
        day = (date(2022, 1, 1) + timedelta(random_source.randrange(181))).isoformat()
        started = time.perf_counter()
        connection.execute(
            'select number, price from Flight where origin = ? and "to" = ? and day = ?',
            (f"City {origin}", f"City {target}", day),
        ).fetchall()
        times.append(time.perf_counter() - started)
    connection.close()
    return median(times) * 1000


def main() -> None:
    """Measure, and print the figures."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(SMALL / "database", folder / "database")
        write_flights(folder / "database" / "flights" / "clean_Flights_2022.csv", rows)
        arguments = [str(folder / "database"), str(SMALL / "queries.jsonl"), str(folder / "out")]
        subprocess.run([sys.executable, "-c", IMPORT, *arguments], check=True)
        base = folder / "out" / "travelplanner.sqlite"
        print(f"{rows:,} invented flights: base {base.stat().st_size / 1e6:.0f} MB")
        print(f"a way on a day {lookup_milliseconds(base):.3f} ms")
        started = time.perf_counter()
        planspec.load(folder / "out" / "tasks" / "1.yaml")
        print(f"a task checked {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main()
