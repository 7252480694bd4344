"""Prompts from template files: those of planspec, or replacements in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.resources.limits import FILE_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import PlanspecError

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment


class PromptTemplateError(PlanspecError, ValueError):
    """The template cannot be read, or uses an undefined variable."""


class Prompts:
    """Prompt templates, by file name.

    Args:
        folder: folder of templates that replace planspec's own of the same name.

    Raises:
        PromptTemplateError: the folder does not exist, or has a template with a name that planspec does not use.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        own = {
            entry.name: entry.read_text("utf-8")
            for entry in files("planspec.agents.prompts").iterdir()
            if entry.name.endswith(".j2")
        }
        self._texts = own | (_read_replacements(Path(folder), own) if folder is not None else {})

    def render(self, name: str, /, **variables: Any) -> str:
        """Render a prompt.

        Args:
            name: name of the template.
            variables: variables of the template.

        Raises:
            PromptTemplateError: the template fails.
        """
        from jinja2 import TemplateError

        try:
            return self._environment.get_template(name).render(variables).strip()
        except TemplateError as error:
            raise PromptTemplateError(f"the prompt `{name}`: {error}") from None

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """Return the SHA-256 of templates, by file name."""
        return {name: sha256(self._texts[name].encode()).hexdigest() for name in sorted(names)}

    @cached_property
    def _environment(self) -> SandboxedEnvironment:
        from jinja2 import DictLoader, StrictUndefined
        from jinja2.sandbox import SandboxedEnvironment

        return SandboxedEnvironment(
            loader=DictLoader(self._texts),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,  # the prompts are plain text, not HTML
        )


def _read_replacements(folder: Path, own: dict[str, str]) -> dict[str, str]:
    if not folder.is_dir():
        raise PromptTemplateError(f"there is no folder `{folder}`")
    try:
        texts = {path.name: read_text(path, FILE_BYTES) for path in sorted(folder.glob("*.j2"))}
    except (OSError, UnicodeDecodeError) as error:
        raise PromptTemplateError(f"the prompts in `{folder}` cannot be read: {error}") from None
    for name in texts.keys() - own.keys():
        raise PromptTemplateError(f"`{name}` in `{folder}` replaces no prompt; there are {', '.join(sorted(own))}")
    return texts
