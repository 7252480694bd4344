"""Environment classes for TRL. Their methods are the tools of a task, with type hints and docstrings."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import planspec

TYPE_HINTS: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict,
}
"""Type hints keyed by JSON type. Arrays are treated separately."""
MOST_OPEN_TASKS = 1024
"""Maximum number of tasks that a process keeps open."""


class UnsuitableToolError(ValueError):
    """A tool cannot be a method of a TRL environment."""


class Episode:
    """One rollout with a task. Every public method except `reset` is a tool of the model."""

    _episode: planspec.Environment | None = None

    def reset(self, source: str, setting: str, **row: Any) -> None:
        """Begin an episode with the task of a data set row.

        The row's prompt already contains the episode's messages.
        """
        self._episode = _open_environment(source, setting).copy()

    def _submit(self, answer: str | None) -> planspec.Outcome:
        assert self._episode is not None, "TRL resets an environment before it is used"
        return self._episode.submit(answer)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        assert self._episode is not None, "TRL resets an environment before it is used"
        return json.dumps(self._episode.call(name, arguments), ensure_ascii=False)


@lru_cache(maxsize=MOST_OPEN_TASKS)
def _open_environment(source: str, setting: str) -> planspec.Environment:
    return planspec.environment(source, setting)


def episode_class(tools: Sequence[Mapping[str, Any]]) -> type[Episode]:
    """Return a subclass of `Episode` whose methods are these tools.

    Args:
        tools: value of `planspec.Environment.tools`.

    Raises:
        UnsuitableToolError: the name of a tool or of a parameter is not allowed in Python.
    """
    return type("PlanspecEpisode", (Episode,), {tool["name"]: _tool_method(tool) for tool in tools})


def _tool_method(tool: Mapping[str, Any]) -> Callable[..., str]:
    name: str = tool["name"]
    if not name.isidentifier() or name.startswith("_") or name in ("reset", "get_reward"):
        raise UnsuitableToolError(f"the tool `{name}` cannot be a method of a TRL environment")
    schema = tool["parameters"]
    properties: Mapping[str, Any] = schema.get("properties", {})
    if wrong := [each for each in properties if not each.isidentifier()]:
        raise UnsuitableToolError(f"the parameter `{wrong[0]}` of the tool `{name}` cannot be a parameter of a method")
    required = [each for each in properties if each in schema.get("required", ())]
    order = [*required, *(each for each in properties if each not in required)]
    hints = {each: _type_hint(properties[each], schema) for each in order}

    def call(self: Episode, **arguments: Any) -> str:
        return self._call(name, {key: value for key, value in arguments.items() if value is not None})

    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [
        inspect.Parameter(
            each,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=hints[each],
            default=inspect.Parameter.empty if each in required else None,
        )
        for each in order
    ]
    call.__name__ = name
    call.__qualname__ = f"PlanspecEpisode.{name}"
    call.__doc__ = _docstring(tool, order)
    call.__annotations__ = {**hints, "return": str}
    vars(call)["__signature__"] = inspect.Signature([receiver, *parameters], return_annotation=str)
    return call


def _docstring(tool: Mapping[str, Any], order: Sequence[str]) -> str:
    """Return a docstring from which `transformers` can read the descriptions, each on one line."""
    lines = [_join_lines(tool["description"]) or tool["name"]]
    if order:
        properties = tool["parameters"]["properties"]
        descriptions = {each: _join_lines(properties[each].get("description", "")) or each for each in order}
        lines += ["", "Args:", *(f"    {each}: {text}" for each, text in descriptions.items())]
    return "\n".join([*lines, "", "Returns:", "    JSON."])


def _join_lines(text: str) -> str:
    return " ".join(text.split())


def _type_hint(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return the narrowest type hint that accepts every value of a schema."""
    if reference := schema.get("$ref"):
        return _type_hint(root.get("$defs", {}).get(reference.rpartition("/")[2], {}), root)
    if values := schema.get("enum"):
        return Literal[tuple(values)]
    for union in ("anyOf", "oneOf"):
        if parts := [each for each in schema.get(union, ()) if each.get("type") != "null"]:
            return _type_hint(parts[0], root) if len(parts) == 1 else Any
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        return _type_hint({**schema, "type": kinds[0]}, root) if len(kinds) == 1 else Any
    if kind == "array":
        item = _type_hint(schema["items"], root) if isinstance(schema.get("items"), Mapping) else Any
        return list if item is Any else list[item]
    return TYPE_HINTS.get(kind, Any) if isinstance(kind, str) else Any
