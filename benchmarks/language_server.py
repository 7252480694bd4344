"""Cost of typing in a shipped document: `python -m benchmarks.language_server [--every N]`.

Each document is opened and then changed. The benchmark measures CPU milliseconds of the work after a change, with
cached libraries and worlds: the check of the text, once unchanged and once with a misspelt key, and the first hover,
completion, semantic tokens, inlay hints and symbols. Shipped documents should have no diagnostics. Documents with
diagnostics are listed at the end, and the exit code is then 1.
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

from planspec.live.language.diagnostics import diagnostics_by_uri
from planspec.live.language.editor import EditorState
from planspec.live.language.positions import position_of
from planspec.live.language.requests import handle_request
from planspec.text import align

TASKS = Path(__file__).parent.parent / "tasks"
QUESTIONS = ("hover", "completion", "semanticTokens/full", "inlayHint", "documentSymbol")
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10_000, "character": 0}}


def time_call(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU time of a call in milliseconds, and its result."""
    start = process_time()
    result = work()
    return 1000 * (process_time() - start), result


def measure(editor: EditorState, path: Path) -> tuple[dict[str, float], bool]:
    """Return CPU milliseconds of the work after a change, and whether the document has no diagnostics."""
    text = path.read_text(encoding="utf-8")
    uri = path.as_uri()
    document = editor.open(uri, text)
    is_clean = diagnostics_by_uri(editor, document) == {uri: []}
    editor.analysis(document)
    document = editor.open(uri, f"{text}# typed\n")
    times = {"check": time_call(lambda: diagnostics_by_uri(editor, document))[0]}
    place = position_of(document.source, len(document.source.text) // 2)
    for question in QUESTIONS:
        document = editor.open(uri, f"{text}# {question}\n")
        params = {"textDocument": {"uri": uri}, "position": place, "range": WHOLE}
        times[question], _ = time_call(lambda: handle_request(editor, f"textDocument/{question}", params))  # noqa: B023
    document = editor.open(uri, text.replace("query:", "qery:", 1))
    times["check of a mistake"] = time_call(lambda: diagnostics_by_uri(editor, document))[0]
    editor.close(uri)
    return times, is_clean


def main() -> None:
    """Print the median and the longest times for each kind of document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="measure every Nth document only")
    options = parser.parse_args()
    paths = [p for p in sorted(TASKS.rglob("*.yaml")) if "planspec:" in p.read_text(encoding="utf-8")[:2000]]
    gc.set_threshold(100_000, 20, 20)  # as `planspec server` does
    editor = EditorState()
    times: dict[str, list[dict[str, float]]] = {}
    faulty = []
    for path in paths[:: options.every]:
        kind = next((word for word in ("library", "world", "suite") if word in path.name), "task")
        kind = "world" if path.parent.name == "world" else kind
        times_of_document, is_clean = measure(editor, path)
        times.setdefault(kind, []).append(times_of_document)
        if not is_clean:
            faulty.append(path)
    columns = list(next(iter(times.values()))[0])
    rows: list[tuple[str, ...]] = [("CPU ms, median / most", "documents", *columns)]
    for kind, samples in sorted(times.items()):
        cells = [f"{median(x[c] for x in samples):.0f} / {max(x[c] for x in samples):.0f}" for c in columns]
        rows.append((kind, str(len(samples)), *cells))
    sys.stdout.writelines(f"{line}\n" for line in align(rows))
    for path in faulty:
        sys.stdout.write(f"not silent: {path}\n")
    sys.exit(1 if faulty else 0)


if __name__ == "__main__":
    main()
