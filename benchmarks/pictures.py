"""Find pictures by photos of them: how often, how fast, how large.

Method: the first N places of both countries in `tasks/veritrip/places`, in the order of a hash of their names, are
drawn with their city's places around them, one picture each (`--variants`: several). All are put into one index, which
is saved and read back. One mild and one strong photo is taken of each picture, and the index is asked for one photo at
a time, after a warm-up: how often the first match, or one of the first ten, is the very picture. `place` counts
the first match as right when it is any picture of the place. The last lines ask for photos of pictures that are not in
the index: how high the best score gets by chance alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Literal

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures import PictureIndex, draw, photo
from planspec.families.veritrip.reading import read_places
from tests.paths import ROOT

FOLDER = ROOT / "tasks" / "veritrip" / "places"
STRENGTHS: tuple[Literal["mild", "strong"], ...] = ("mild", "strong")


def places() -> list[AnyPlace]:
    """All places of both countries, in an order that mixes their kinds and cities."""
    found = [
        place
        for folder in sorted(FOLDER.iterdir())
        if folder.is_dir()
        for place in read_places(folder).places
    ]
    return sorted(found, key=lambda one: sha256(f"{one.name}/{one.city}".encode()).digest())


def asked(
    index: PictureIndex, pictures: dict[str, bytes], strength: Literal["mild", "strong"]
) -> tuple[int, int, int, list[float], list[float], list[float]]:
    """Hits at 1, at 10, of the place; milliseconds of the photos and queries; scores of right first matches."""
    first = ten = place = 0
    taking, asking, scores = [], [], []
    for name, picture in pictures.items():
        began = time.perf_counter()
        shot = photo(picture, 1, strength)
        taken = time.perf_counter()
        matches = index.search(shot)
        asking.append((time.perf_counter() - taken) * 1000)
        taking.append((taken - began) * 1000)
        ids = [match.id for match in matches]
        first += ids[:1] == [name]
        ten += name in ids
        place += bool(ids) and ids[0].partition("#")[0] == name.partition("#")[0]
        scores.append(matches[0].score if matches else 0.0)
    return first, ten, place, taking, asking, scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--variants", type=int, default=1, help="pictures of each place")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    every = places()
    near = {city: [one for one in every if one.city == city] for city in {one.city for one in every}}
    count = -(-arguments.pictures // arguments.variants)
    if count > len(every):
        parser.error(f"there are {len(every)} places: at most {len(every) * arguments.variants} pictures")
    pictures: dict[str, bytes] = {}
    drawing = []
    for number, place in enumerate(every[:count]):
        for variant in range(arguments.variants):
            began = time.perf_counter()
            pictures[f"{number}#{variant}"] = draw(place, near[place.city], variant, arguments.seed)
            drawing.append((time.perf_counter() - began) * 1000)
    strangers = {
        f"{n}": draw(one, near[one.city], 0, arguments.seed) for n, one in enumerate(every[count:][:60])
    }
    print(f"{len(pictures)} pictures of {count} places, {len(set(pictures.values()))} of them distinct")
    sizes = [len(picture) for picture in pictures.values()]
    print(f"drawing: {statistics.median(drawing):.0f} ms each (median), {max(sizes) / 1000:.1f} kB the largest, "
          f"{sum(sizes) / 1e6:.1f} MB in all")  # fmt: skip
    began = time.perf_counter()
    built = PictureIndex.build(pictures.items())
    print(f"indexing: {(time.perf_counter() - began) * 1000 / len(pictures):.1f} ms each")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pictures.sqlite"
        built.save(path)
        began = time.perf_counter()
        index = PictureIndex.read(path)
        print(f"index: {path.stat().st_size / 1e6:.1f} MB, read in {time.perf_counter() - began:.2f} s")
    index.search(photo(next(iter(pictures.values())), 2, "mild"))
    for strength in STRENGTHS:
        first, ten, place, taking, asking, scores = asked(index, pictures, strength)
        total = len(pictures)
        print(
            f"{strength:>6}: top-1 {first / total:.3f}, top-10 {ten / total:.3f}, place {place / total:.3f}; "
            f"photo {statistics.median(taking):.0f} ms, query {statistics.median(asking):.0f} ms (median), "
            f"{max(asking):.0f} ms (slowest); median score {statistics.median(scores):.2f}"
        )
    for strength in STRENGTHS if strangers else ():
        *_, scores = asked(index, strangers, strength)
        print(
            f"{strength:>6}: best score for {len(strangers)} pictures not in the index: "
            f"{statistics.median(scores):.2f} (median), {max(scores):.2f} (highest)"
        )


if __name__ == "__main__":
    main()
