"""What typing in a shipped document costs: `python -m benchmarks.language_server [--every N]`.

Each document is opened and then changed; CPU milliseconds of what follows a change, with libraries and worlds kept between: the
check as it is and with a misspelt name, and the first hover, completion, colours and lenses' place of the new text. A document that is
not silent as it ships is named, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from planspec.live.language.answers import answer
from planspec.live.language.desk import EditorDesk
from planspec.live.language.diagnostics import by_document
from planspec.live.language.positions import position_of
from planspec.text_table import align

TASKS = Path(__file__).parent.parent / "tasks"
QUESTIONS = ("hover", "completion", "semanticTokens/full", "inlayHint", "documentSymbol")
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU milliseconds, and the result."""
    begun = process_time()
    found = work()
    return 1000 * (process_time() - begun), found


def measured(desk: EditorDesk, path: Path) -> tuple[dict[str, float], bool]:
    """What follows a change of a document, and whether it is silent as it ships."""
    text = path.read_text(encoding="utf-8")
    uri = path.as_uri()
    document = desk.open(uri, text)
    silent = by_document(desk, document) == {uri: []}
    desk.analysis(document)
    document = desk.open(uri, f"{text}# typed\n")
    made = {"check": timed(lambda: by_document(desk, document))[0]}
    place = position_of(document.source, len(document.source.text) // 2)
    for question in QUESTIONS:
        document = desk.open(uri, f"{text}# {question}\n")
        params = {"textDocument": {"uri": uri}, "position": place, "range": WHOLE}
        made[question], _ = timed(lambda: answer(desk, f"textDocument/{question}", params))  # noqa: B023
    document = desk.open(uri, text.replace("query:", "qery:", 1))
    made["check of a mistake"] = timed(lambda: by_document(desk, document))[0]
    desk.close(uri)
    return made, silent


def main() -> None:
    """Print the median and the greatest time of each kind of document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only every Nth document")
    options = parser.parse_args()
    paths = [p for p in sorted(TASKS.rglob("*.yaml")) if "planspec:" in p.read_text(encoding="utf-8")[:2000]]
    gc.set_threshold(100_000, 20, 20)  # as the command does
    desk = EditorDesk()
    times: dict[str, list[dict[str, float]]] = {}
    loud = []
    for path in paths[:: options.every]:
        kind = next((word for word in ("library", "world", "suite") if word in path.name), "task")
        kind = "world" if path.parent.name == "world" else kind
        found, silent = measured(desk, path)
        times.setdefault(kind, []).append(found)
        if not silent:
            loud.append(path)
    columns = list(next(iter(times.values()))[0])
    rows: list[tuple[str, ...]] = [("CPU ms, median / most", "documents", *columns)]
    for kind, found_ in sorted(times.items()):
        cells = [f"{median(x[c] for x in found_):.0f} / {max(x[c] for x in found_):.0f}" for c in columns]
        rows.append((kind, str(len(found_)), *cells))
    sys.stdout.writelines(f"{line}\n" for line in align(rows))
    for path in loud:
        sys.stdout.write(f"not silent: {path}\n")
    sys.exit(1 if loud else 0)


if __name__ == "__main__":
    main()
