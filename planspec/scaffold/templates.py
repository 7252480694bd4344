"""Templates of the files of new benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from typing import Any

COMMON, FRESH = "common", "fresh"
"""Names of template folders: for every benchmark, and for a benchmark with its own small world."""
SUFFIX = ".j2"
HIDDEN = {
    PurePosixPath("gitignore"): PurePosixPath(".gitignore"),
    PurePosixPath("pre-commit-config.yaml"): PurePosixPath(".pre-commit-config.yaml"),
    PurePosixPath("workflow.yml"): PurePosixPath(".github/workflows/planspec.yml"),
}
"""Path of each hidden file in the benchmark, by path of its template. Packages would leave out hidden templates."""


def render_files(kind: str, /, *, name: str, **variables: Any) -> Mapping[PurePosixPath, bytes]:
    """Return the files rendered from a kind of templates, by path in the benchmark's folder.

    Args:
        kind: `COMMON` or `FRESH`.
        name: name of the benchmark; it also replaces `NAME` in paths.
        variables: further template variables.
    """
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is YAML, Python and Markdown, not HTML
    )
    files_by_path = {}
    for template, text in _templates(files("planspec.scaffold") / "template" / kind, PurePosixPath()):
        path = PurePosixPath(str(template).replace("NAME", name))
        files_by_path[HIDDEN.get(path, path)] = environment.from_string(text).render(name=name, **variables).encode()
    return files_by_path


def _templates(folder: Traversable, path: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield path (without suffix) and text of each template in a folder and its subfolders."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _templates(entry, path / entry.name)
        elif entry.name.endswith(SUFFIX):
            yield path / entry.name.removesuffix(SUFFIX), entry.read_text("utf-8")
