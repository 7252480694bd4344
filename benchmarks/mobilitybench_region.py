"""Route lengths, cities and days of episodes, for comparing generated suites with the public sample.

    python benchmarks/mobilitybench_region.py SUITE [SUITE ...]

A suite is a folder written by `planspec generate mobilitybench` or `planspec import mobilitybench`. The length of
an episode is the length of the first route in its recorded results. Episodes without routes have no length. For each
suite, the program prints quantiles of the lengths, the cities, the share of
the most frequent city, and the days of the week.
"""

from __future__ import annotations

import itertools
import statistics
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode
from planspec.families.mobilitybench.row_collector import rows_of_episode
from planspec.families.mobilitybench.suite import read_episodes

BOUNDS_KM = (1, 3, 10, 30, 100, 300, 1000)


def length_km(episode: Episode) -> float | None:
    """Return the length of an episode's first route in km, or None if it has none."""
    if episode.source is not None:  # the recorded call comes from the public table
        try:
            routes = rows_of_episode(episode).routes
        except ValueError:
            return None
        return routes[0].length_m / 1000 if routes else None
    for record in episode.snapshot:
        result: Any = record.result
        if record.tool in ROUTE_TOOLS and isinstance(result, dict) and result.get("routes"):
            return float(result["routes"][0]["distance"]) / 1000
    return None


def main(folders: list[Path]) -> None:
    """Print the figures of all suites."""
    for folder in folders:
        lengths, cities, weekdays, moments = list[float](), Counter[str](), Counter[str](), Counter[str]()
        count = 0
        for episode in read_episodes(folder):
            count += 1
            cities[str(episode.context.city)] += 1
            day = episode.context.extra.get("day")
            if isinstance(day, str):
                kind = "holiday" if "holiday" in episode.context.extra else date.fromisoformat(day).strftime("%a")
                weekdays[kind] += 1
                hour = int(str(episode.context.time)[:2])
                moments["rush hours" if hour in {7, 8, 17, 18} else "other hours"] += 1
            length = length_km(episode)
            if length is not None:
                lengths.append(length)
        lengths.sort()
        twentieths = statistics.quantiles(lengths, n=20) if len(lengths) > 1 else []
        print(f"{folder.name}: {count} episodes, {len(lengths)} with a way")
        if twentieths:
            quarter, median, ninth_tenth = twentieths[4], statistics.median(lengths), twentieths[17]
            print(
                f"  km: a quarter below {quarter:.1f}, median {median:.1f}, nine in ten below {ninth_tenth:.1f}, longest {lengths[-1]:.0f}"
            )
        edges = [0, *BOUNDS_KM, float("inf")]
        shares = [sum(a < x <= b for x in lengths) / len(lengths) for a, b in itertools.pairwise(edges)]
        print("  share to " + ", ".join(f"{b:g} km {100 * s:.0f} %" for b, s in zip(edges[1:], shares, strict=True)))
        most_frequent = cities.most_common(1)[0]
        once = sum(n == 1 for n in cities.values())
        print(
            f"  {len(cities)} cities; {most_frequent[0]} has {100 * most_frequent[1] / count:.1f} %, {once} have one episode"
        )
        if weekdays:
            print(f"  days: {dict(weekdays.most_common())}; {dict(moments)}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
