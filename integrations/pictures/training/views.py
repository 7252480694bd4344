"""Views of invented places, from which `training.network` learns: four of each, small, in files of a hundred places.

Files that are there are kept, so that more places can be added: `python -m training.views FOLDER --places 8000 --jobs 2`.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from planspec.parallel import map_parallel
from planspec_pictures import anchor, picture
from planspec_pictures.invented_places import invented

SEED, WIDTH = 7, 240
VIEWS = 4
SIZE = (160, 120)
PART = 100


def views_of(number: int) -> np.ndarray:
    """Of an invented place one view as for a corpus, and three as travellers have them: VIEWS by height by width by 3, as bytes."""
    place = invented(number, "training")
    files = [picture(place, 1, SEED, WIDTH)]
    files += [anchor(place, str(view), SEED, width=WIDTH) for view in range(1, VIEWS)]
    return np.stack(
        [np.asarray(Image.open(BytesIO(file)).resize(SIZE, Image.Resampling.BILINEAR)) for file in files]
    )


def kind_of(number: int) -> str:
    """What an invented place is, as far as pictures are alike: a room to eat in, a hotel, or a sight."""
    return type(invented(number, "training")).__name__


def render(folder: Path, places: int, jobs: int) -> None:
    """Write the files that are missing."""
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
