"""Agents in a user's Python file. `python:file=mine.py` needs neither a distribution nor an entry point."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from planspec.agents.agent import Agent, UnknownAgentError


def load_agent(file: Path, name: str | None = None) -> Agent:
    """Runs a Python file and uses an agent class that it defines.

    The agent runs in planspec's own process, outside a sandbox, and could read references. Its runs are marked as such.

    Args:
        file: file with a class that takes no arguments and has a method `answer(view, desk)`.
        name: name of the class; needed only if the file has several.

    Raises:
        UnknownAgentError: the file has no such class.
    """
    module = _run_module(file)
    classes = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and callable(getattr(value, "answer", None))
    }
    if name is None and len(classes) != 1:
        problem = (
            f"has {', '.join(classes)}; choose one with name=" if classes else "has no class with a method `answer`"
        )
        raise UnknownAgentError(f"`{file}` {problem}")
    chosen = next(iter(classes)) if name is None else name
    if chosen not in classes:
        raise UnknownAgentError(f"`{file}` has no agent `{chosen}`; there is {', '.join(classes) or 'none'}")
    instance: Agent = classes[chosen]()
    return instance


def _run_module(file: Path) -> ModuleType:
    if not file.is_file():
        raise UnknownAgentError(f"there is no file `{file}`")
    spec = importlib.util.spec_from_file_location(f"planspec_own_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise UnknownAgentError(f"`{file}` is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # noqa: BLE001 the file may do anything
        raise UnknownAgentError(f"`{file}` cannot be run: {type(error).__name__}: {error}") from None
    return module
