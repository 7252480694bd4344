"""Writer of the handwritten requests of the shipped cities into the shipped tasks of WorldTravel.

Run it as `python -m tests.families.worldtravel.city_requests`, or `make requests`, after a change of
`tasks/cities/CITY/requests.yaml`. It fills in the missing digests under `for`, each from the task with the request's
id, and rewrites `query` and `tells` of that task and the line on similar requests in the suite's README. A digest of
another specification is a mistake: the task has been drawn again, so read the request again, change it, and delete its
digest. Certificates remain valid, since they do not depend on the text. `--check` changes nothing, and reports the
files that would change.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.quality import nearest_requests_line
from planspec.families.worldtravel.generator.wording import trigrams
from planspec.families.worldtravel.generator.written_requests import (
    FILE,
    read_requests,
    request_faults,
    section_names,
    specification_digest,
    specification_of,
)
from planspec.files import replace_text
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.suite_writing.writing import query_sections
from tests.paths import ROOT


def renewed_files(city: CityFolder, suite: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that change with a city's written requests, each with its new text.

    Args:
        city: city with the requests.
        suite: folder of the suite that was generated from it.

    Raises:
        UnsuitableSuiteError: the requests have mistakes, or do not fit the tasks. The message lists these faults.
    """
    requests = read_requests(city)
    faults = list(request_faults(city))
    digests, tasks = {}, {}
    for name, request in requests.items():
        path = suite / f"{name}.task.yaml"
        if not path.is_file():
            faults.append(f"{city.location(FILE, name)}: `{suite.name}` has no such task")
            continue
        text = path.read_text("utf-8")
        specification = specification_of(text)
        digests[name] = specification_digest(specification)
        if request.digest not in ("", digests[name]):
            faults.append(f"{city.location(FILE, name, 'for')}: it was written for another specification")
        lacking = request.tells.keys() - section_names(specification)
        faults += (f"{city.location(FILE, name, 'tells', each)}: the task has no `{each}`" for each in sorted(lacking))
        worded = request.worded()
        tasks[path] = with_section(text, query_sections(worded.text, worded.tells))
    if faults:
        raise UnsuitableSuiteError("\n  ".join([f"{city.folder}:", *faults]))
    yield from tasks.items()
    if requests:
        yield city.folder / FILE, with_digests((city.folder / FILE).read_text("utf-8"), digests)
        yield suite / "README.md", _with_neighbours(suite, tasks)


def with_section(text: str, section: str) -> str:
    """Return the text of a generated task in which `section` replaces the sections `query` and `tells`."""
    start, end = (text.index(f"\n{key}:") + 1 for key in ("query", "given"))
    return text[:start] + section + text[end:]


def with_digests(text: str, digests: dict[str, str]) -> str:
    """Return the text of `requests.yaml` with a line `for` below each id that lacks it."""
    for name, digest in digests.items():
        head = re.compile(rf"^({re.escape(name)}:[^\n]*\n)(?!(?:  .*\n|\s*\n)*?  for:)", re.MULTILINE)
        text = head.sub(lambda match, digest=digest: f"{match[1]}  for: {digest}\n", text, count=1)  # type: ignore[misc]
    return text


def _with_neighbours(suite: Path, renewed: dict[Path, str]) -> str:
    """Return the README of a suite with a new line on the most similar requests."""
    paths = sorted(suite.glob("*.task.yaml"))
    texts = [renewed.get(path, path.read_text("utf-8")) for path in paths]
    queries = {
        path.name.partition(".")[0]: yaml.safe_load(text)["query"] for path, text in zip(paths, texts, strict=True)
    }
    line = nearest_requests_line({task: trigrams(query) for task, query in queries.items()})
    readme = (suite / "README.md").read_text("utf-8")
    return re.sub(r"^- Similarity of requests: .*$", lambda _: line, readme, count=1, flags=re.MULTILINE)


def main() -> int:
    """Renew the requests of the cities. Return 1 if they have mistakes, or under `--check` if a file would change."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a file would change")
    parser.add_argument("cities", nargs="*", help="names of shipped cities (default: all)")
    args = parser.parse_args()
    folders = [ROOT / "tasks" / "cities" / city for city in args.cities] or sorted(
        path.parent for path in (ROOT / "tasks" / "cities").glob(f"*/{FILE}")
    )
    status = 0
    for folder in folders:
        try:
            files = dict(renewed_files(CityFolder.read(folder), ROOT / "tasks" / f"worldtravel-{folder.name}"))
        except UnsuitableSuiteError as error:
            print(error, file=sys.stderr)
            status = 1
            continue
        changed = [path for path, text in files.items() if path.read_text("utf-8") != text]
        if not args.check:
            for path in changed:
                replace_text(path, files[path])
        status = max(status, bool(args.check and changed))
        print(f"{folder.name}: {len(changed)} files {'would change' if args.check else 'changed'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
