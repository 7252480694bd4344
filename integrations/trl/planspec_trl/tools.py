"""A class whose methods are the tools of a task, as TRL wants them: with type hints and a docstring for each."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import planspec

PYTHON: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}
"""The hint for each type of JSON that has no parts."""
OPENED = 1024
"""The most tasks that a process keeps open."""


class UnsuitableToolError(ValueError):
    """A tool that cannot be a method of an environment of TRL."""


class Episode:
    """One rollout with a task. What does not begin with `_` is a tool of the model's, but for `reset`."""

    _episode: planspec.Environment | None = None

    def reset(self, source: str, setting: str, **row: Any) -> None:
        """Begin with the task of a row; its messages are the prompt already."""
        self._episode = _opened(source, setting).copy()

    def _submit(self, answer: str | None) -> planspec.Outcome:
        """What an answer earns."""
        assert self._episode is not None, "TRL resets an environment before it is used"
        return self._episode.submit(answer)

    def _call(self, name: str, arguments: Mapping[str, Any]) -> str:
        assert self._episode is not None, "TRL resets an environment before it is used"
        return json.dumps(self._episode.call(name, arguments), ensure_ascii=False)


@lru_cache(maxsize=OPENED)
def _opened(source: str, setting: str) -> planspec.Environment:
    return planspec.environment(source, setting)


def episode_class(tools: Sequence[Mapping[str, Any]]) -> type[Episode]:
    """The class whose methods are these tools.

    Args:
        tools: `planspec.Environment.tools`.

    Raises:
        UnsuitableToolError: a name or a parameter cannot be one of a method.
    """
    return type("PlanspecEpisode", (Episode,), {tool["name"]: _method(tool) for tool in tools})


def _method(tool: Mapping[str, Any]) -> Callable[..., str]:
    name: str = tool["name"]
    if not name.isidentifier() or name.startswith("_") or name in ("reset", "get_reward"):
        raise UnsuitableToolError(f"the tool `{name}` cannot be a method of an environment of TRL")
    schema = tool["parameters"]
    properties: Mapping[str, Any] = schema.get("properties", {})
    if wrong := [each for each in properties if not each.isidentifier()]:
        raise UnsuitableToolError(
            f"the parameter `{wrong[0]}` of the tool `{name}` cannot be one of a method"
        )
    required = [each for each in properties if each in schema.get("required", ())]
    order = [*required, *(each for each in properties if each not in required)]
    hints = {each: _hint(properties[each], schema) for each in order}

    def call(self: Episode, **arguments: Any) -> str:
        return self._call(name, {key: value for key, value in arguments.items() if value is not None})

    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [
        inspect.Parameter(
            each, inspect.Parameter.KEYWORD_ONLY, annotation=hints[each],
            default=inspect.Parameter.empty if each in required else None,
        )
        for each in order
    ]  # fmt: skip
    call.__name__ = name
    call.__qualname__ = f"PlanspecEpisode.{name}"
    call.__doc__ = _docstring(tool, order)
    call.__annotations__ = {**hints, "return": str}
    vars(call)["__signature__"] = inspect.Signature([receiver, *parameters], return_annotation=str)
    return call


def _docstring(tool: Mapping[str, Any], order: Sequence[str]) -> str:
    """What `transformers` reads the descriptions from; a description is one line there."""
    lines = [_line(tool["description"]) or tool["name"]]
    if order:
        properties = tool["parameters"]["properties"]
        said = {each: _line(properties[each].get("description", "")) or each for each in order}
        lines += ["", "Args:", *(f"    {each}: {text}" for each, text in said.items())]
    return "\n".join([*lines, "", "Returns:", "    JSON."])


def _line(text: str) -> str:
    return " ".join(text.split())


def _hint(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The type hint that says what a schema says; of what hints cannot say, the nearest that takes more."""
    if reference := schema.get("$ref"):
        return _hint(root.get("$defs", {}).get(reference.rpartition("/")[2], {}), root)
    if values := schema.get("enum"):
        return Literal[tuple(values)]
    for union in ("anyOf", "oneOf"):
        if parts := [each for each in schema.get(union, ()) if each.get("type") != "null"]:
            return _hint(parts[0], root) if len(parts) == 1 else Any
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [each for each in kind if each != "null"]
        return _hint({**schema, "type": kinds[0]}, root) if len(kinds) == 1 else Any
    if kind == "array":
        item = _hint(schema["items"], root) if isinstance(schema.get("items"), Mapping) else Any
        return list if item is Any else list[item]
    return PYTHON.get(kind, Any) if isinstance(kind, str) else Any
