"""Small views of invented places, four of each, on which `training.network` trains.

They are stored in files of 100 places each. Existing files are kept, so that more places can be added:
`python -m training.views FOLDER --places 8000 --jobs 2`.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from planspec.parallel import map_parallel
from planspec_pictures import anchor, picture
from planspec_pictures.invented_places import invent_place

SEED, WIDTH = 7, 240
VIEWS = 4
SIZE = (160, 120)
PART = 100


def views_of(number: int) -> np.ndarray:
    """Render four views of an invented place: one as in a corpus, and three as taken by travellers.

    The result is VIEWS by height by width by 3, as bytes.
    """
    place = invent_place(number, "training")
    files = [picture(place, 1, SEED, WIDTH)]
    files += [anchor(place, str(view), SEED, width=WIDTH) for view in range(1, VIEWS)]
    return np.stack([np.asarray(Image.open(BytesIO(file)).resize(SIZE, Image.Resampling.BILINEAR)) for file in files])


def kind_of(number: int) -> str:
    """Return the kind of an invented place as seen from outside: restaurant, hotel, or kind of attraction."""
    return type(invent_place(number, "training")).__name__


def render(folder: Path, places: int, jobs: int) -> None:
    """Render the views that are not stored yet, and write them to files."""
    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, places, PART):
        path = folder / f"{begin:06}.npy"
        if not path.exists():
            part = np.stack(list(map_parallel(views_of, list(range(begin, min(places, begin + PART))), jobs)))
            np.save(path, part)
            print(f"{begin + len(part)} of {places} places", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--places", type=int, default=8000)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    render(arguments.folder, arguments.places, arguments.jobs)


if __name__ == "__main__":
    main()
