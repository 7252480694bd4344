"""Search for places by pictures with a changed view: recall by kind of change, speed, and size of the index.

Method: the index has one picture of each of N places: first the shipped places, then invented ones
(`planspec_pictures.invented_places.places_for_measuring`). None of them was used to train the network. For the first
`--asked` places, query pictures are rendered as a traveller would take them. In each, one attribute is changed, or all:
the viewpoint, the time of day, the weather, a crop or the exposure. Each query is searched for in indexes of `--sizes`
pictures. Recall is the share of queries whose place is the first hit, or among the first ten hits. The baseline is the
former method with hashes and ORB (`hash_and_orb`). Query pictures of places without a picture in the index show which
scores are reached by chance. Pictures are stored in FOLDER, so that an interrupted measurement can be resumed. CPU
times are for one process.

    python -m benchmarks.pictures FOLDER --sizes 1000 4146 --asked 150
"""

from __future__ import annotations

import argparse
import math
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeAlias, get_args

import numpy as np

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures import PictureIndex, picture_features
from planspec.parallel import map_parallel
from planspec_pictures import Change, anchor, picture
from planspec_pictures.invented_places import places_for_measuring

Search: TypeAlias = Callable[[bytes], list[str]]
"""Returns the ids of the indexed pictures that are most similar to a picture, best match first."""

SEED = 7
CHANGES: tuple[Change, ...] = get_args(Change)
Shot = tuple[str, AnyPlace, "Change | None"]


def render(shot: Shot) -> tuple[str, bytes, float]:
    key, place, change = shot
    began = time.process_time()
    data = picture(place, 1, SEED) if change is None else anchor(place, "measured", SEED, change)
    return key, data, time.process_time() - began


def stored_pictures(folder: Path, shots: list[Shot], jobs: int) -> Iterator[tuple[str, bytes, float]]:
    """Yield the id, the picture and the CPU seconds of rendering of each shot, rendering those not yet stored."""
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / "pictures.sqlite")) as base:
        base.execute("create table if not exists shot (id text primary key, data blob, cpu real)")
        stored = {name for (name,) in base.execute("select id from shot")}
        missing = [shot for shot in shots if shot[0] not in stored]
        for begin in range(0, len(missing), 100):
            rendered = list(map_parallel(render, missing[begin : begin + 100], jobs))
            base.executemany("insert into shot values (?, ?, ?)", rendered)
            base.commit()
            print(f"{begin + len(rendered)} of {len(missing)} pictures", flush=True)
        for key, *_ in shots:
            yield base.execute("select id, data, cpu from shot where id = ?", (key,)).fetchone()


def interval(hits: int, count: int) -> str:
    """Format a share with its 95 % Wilson interval."""
    z, share = 1.96, hits / count
    middle, half = (
        share + z * z / (2 * count),
        z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)),
    )
    return f"{share:.2f} [{(middle - half) / (1 + z * z / count):.2f}, {(middle + half) / (1 + z * z / count):.2f}]"


def _search(index: PictureIndex, picture: bytes) -> list[str]:
    return [match.id for match in index.search(picture)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 4146])
    parser.add_argument(
        "--asked", dest="queried", type=int, default=150, help="places that are searched by each kind of view"
    )
    parser.add_argument("--strangers", type=int, default=60, help="further places that have no picture in the index")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-orb", action="store_true", help="leave out the former method")
    parser.add_argument("--render", action="store_true", help="make the pictures and stop")
    arguments = parser.parse_args()
    most = max(arguments.sizes)
    places = places_for_measuring(most + arguments.strangers)
    shots: list[Shot] = [
        (f"{n}/{change}", place, change) for n, place in enumerate(places[: arguments.queried]) for change in CHANGES
    ]
    shots += [(f"{n}/all", places[n], "all") for n in range(most, most + arguments.strangers)]
    shots += [(f"{n}", place, None) for n, place in enumerate(places[:most])]
    pictures = {key: (data, cpu) for key, data, cpu in stored_pictures(arguments.folder, shots, arguments.jobs)}
    sizes = [len(data) for data, _ in pictures.values()]
    print(
        f"rendering: {statistics.mean(cpu for _, cpu in pictures.values()) * 1000:.0f} ms of CPU each, {statistics.median(sizes) / 1000:.0f} kB (median)"
    )
    if arguments.render:
        return
    began = time.process_time()
    features = [(str(n), picture_features(pictures[str(n)][0])) for n in range(most)]
    print(f"indexing: {(time.process_time() - began) * 1000 / most:.1f} ms of CPU each")
    methods: list[tuple[str, Mapping[int, Search]]] = []
    with tempfile.TemporaryDirectory() as scratch:
        indexes: dict[int, PictureIndex] = {}
        for size in arguments.sizes:
            path = Path(scratch, f"{size}.sqlite")
            PictureIndex.write(path, features[:size])
            began = time.process_time()
            indexes[size] = PictureIndex.read(path)
            print(f"index of {size}: {path.stat().st_size / 1e6:.0f} MB, opened in {time.process_time() - began:.2f} s")
        methods.append(("network and SIFT", {size: partial(_search, index) for size, index in indexes.items()}))
        if not arguments.no_orb:
            from benchmarks.hash_and_orb import HashAndOrb, orb_features

            former = [(str(n), orb_features(pictures[str(n)][0], windows=True)) for n in range(most)]
            methods.append(("hashes and ORB", {size: HashAndOrb(former[:size]).search for size in arguments.sizes}))
        print("\n| method | pictures | other | top-1 | top-10 |\n|---|--:|---|---|---|")
        for name, searches in methods:
            for size, search in searches.items():
                times = []
                for change in CHANGES:
                    first = ten = 0
                    for n in range(arguments.queried):
                        began = time.process_time()
                        hits = search(pictures[f"{n}/{change}"][0])
                        times.append(time.process_time() - began)
                        first, ten = first + (hits[:1] == [str(n)]), ten + (str(n) in hits)
                    print(
                        f"| {name} | {size:,} | {change} | {interval(first, arguments.queried)} | {interval(ten, arguments.queried)} |",
                        flush=True,
                    )
                print(
                    f"| {name} | {size:,} | *a call: {statistics.median(times) * 1000:.0f} ms of CPU, {max(times) * 1000:.0f} at most* | | |"
                )
        index = indexes[most]
        right: list[float] = []
        wrong: list[float] = []
        for n in range(arguments.queried):
            match = index.search(pictures[f"{n}/all"][0])[0]
            (right if match.id == str(n) else wrong).append(match.score)
        alone = [index.search(pictures[f"{n}/all"][0])[0].score for n in range(most, most + arguments.strangers)]
        for title, scores in (
            ("right first hits", right),
            ("wrong first hits", wrong),
            ("first hits for places without a picture", alone),
        ):
            if scores:
                print(
                    f"{title}: score {np.median(scores):.2f} (median), {np.mean(np.array(scores) >= 0.5):.2f} of {len(scores)} at 0.5 or above"
                )


if __name__ == "__main__":
    main()
