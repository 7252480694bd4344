"""The files that every new benchmark has, as templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Any

COMMON, FRESH = "common", "fresh"
"""Templates of every benchmark, and of one that starts with a small world of its own."""
ENDING = ".j2"
HIDDEN = {
    PurePosixPath("gitignore"): PurePosixPath(".gitignore"),
    PurePosixPath("pre-commit-config.yaml"): PurePosixPath(".pre-commit-config.yaml"),
    PurePosixPath("workflow.yml"): PurePosixPath(".github/workflows/planspec.yml"),
}
"""Where files stand whose names begin with a dot: packages leave such files out."""


def rendered(kind: str, /, *, name: str, **given: Any) -> Mapping[PurePosixPath, bytes]:
    """The files of a kind by their paths in the benchmark's folder.

    Args:
        kind: `COMMON` or `FRESH`.
        name: of the benchmark; it stands for `NAME` in paths, too.
        given: what else the templates are filled with.
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=False,  # of YAML, Python and Markdown, no HTML
    )  # fmt: skip
    made = {}
    for path, text in _templates(files("planspec.scaffold") / "template" / kind, PurePosixPath()):
        place = PurePosixPath(str(path).replace("NAME", name))
        made[HIDDEN.get(place, place)] = environment.from_string(text).render(name=name, **given).encode()
    return made


def _templates(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    """The templates below a folder, each with its path without the ending."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, place / entry.name)
        elif entry.name.endswith(ENDING):
            yield place / entry.name.removesuffix(ENDING), entry.read_text("utf-8")
