"""Templates of the files of new benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Any

COMMON, FRESH = "common", "fresh"
"""Templates of every benchmark, and of one with a small world of its own."""
ENDING = ".j2"
HIDDEN = {
    PurePosixPath("gitignore"): PurePosixPath(".gitignore"),
    PurePosixPath("pre-commit-config.yaml"): PurePosixPath(".pre-commit-config.yaml"),
    PurePosixPath("workflow.yml"): PurePosixPath(".github/workflows/planspec.yml"),
}
"""Paths of files whose names begin with a dot, which packages leave out."""


def rendered(kind: str, /, *, name: str, **variables: Any) -> Mapping[PurePosixPath, bytes]:
    """Return the rendered files of a kind by path in the benchmark's folder.

    Args:
        kind: `COMMON` or `FRESH`.
        name: name of the benchmark; it replaces `NAME` in paths, too.
        variables: further template variables.
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=False,  # the output is YAML, Python and Markdown, not HTML
    )  # fmt: skip
    files_by_path = {}
    for path, text in _templates(files("planspec.scaffold") / "template" / kind, PurePosixPath()):
        place = PurePosixPath(str(path).replace("NAME", name))
        files_by_path[HIDDEN.get(place, place)] = (
            environment.from_string(text).render(name=name, **variables).encode()
        )
    return files_by_path


def _templates(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the templates below a folder, each with its path without the suffix."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, place / entry.name)
        elif entry.name.endswith(ENDING):
            yield place / entry.name.removesuffix(ENDING), entry.read_text("utf-8")
