"""Routes per second through generated cities, by mode and size of the network.

Method: for each size, one city is generated, with the same name and seed. Its networks are built beforehand. Pairs of
points of interest are drawn uniformly, the same for every mode. One thread computes one route for each pair. The
table shows the median milliseconds of a route and the routes per second, which is the inverse of the mean time.
"drive" ignores traffic (networkx), "depart" and "arrive" consider the traffic of the morning peak, and "transit" is
the fastest connection from 8:00.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

from planspec.families.mobilitybench.map import (
    Answer,
    City,
    NoRoute,
    Point,
    cycle,
    drive,
    grow_city,
    transit,
    walk,
)
from planspec.families.mobilitybench.map.network import network
from planspec.families.mobilitybench.map.transit import transit_service

PLANS: dict[str, Callable[[City, Point, Point], Answer]] = {
    "drive": drive,
    "depart": lambda city, a, b: drive(city, a, b, depart=480),
    "arrive": lambda city, a, b: drive(city, a, b, arrive_by=540),
    "walk": walk,
    "cycle": cycle,
    "transit": lambda city, a, b: transit(city, a, b, depart=480),
}


def route_seconds(
    plan: Callable[[City, Point, Point], Answer], city: City, pairs: list[tuple[Point, Point]]
) -> list[float]:
    """Return the seconds that `plan` needs for the route between each pair of points."""
    times_s = []
    for a, b in pairs:
        began = time.perf_counter()
        answer = plan(city, a, b)
        times_s.append(time.perf_counter() - began)
        assert not isinstance(answer, NoRoute) or answer.reason == "no_service", answer
    return times_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[300, 1_000, 3_000, 10_000, 20_000])
    parser.add_argument("--city", default="London")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=21)
    arguments = parser.parse_args()
    print(" ".join(__doc__.split("\n\n", 1)[1].split()))
    print(f"\n{'junctions':>9} {'grow':>8} {'networks':>9}" + "".join(f" {name:>18}" for name in PLANS))
    for size in arguments.sizes:
        began = time.perf_counter()
        city = grow_city(arguments.city, arguments.seed, size)
        grown = time.perf_counter()
        network(city)
        transit_service(city)
        ready = time.perf_counter()
        chance = random.Random(f"{arguments.seed}/{size}")
        places = [chance.sample(city.pois, 2) for _ in range(arguments.pairs)]
        pairs = [(a.point, b.point) for a, b in places]
        line = f"{len(city.junctions):>9} {grown - began:>6.2f} s {ready - grown:>7.2f} s"
        for plan in PLANS.values():
            times_s = route_seconds(plan, city, pairs)
            line += f" {statistics.median(times_s) * 1000:>7.1f} ms {1 / statistics.mean(times_s):>5.0f}/s"
        print(line, flush=True)


if __name__ == "__main__":
    main()
