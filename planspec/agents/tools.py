"""Tools that agents call: a name, a JSON schema of the arguments, and a result that is always JSON.

A call returns the result, or `{"error": {"code": ..., "message": ...}}` after a mistake of the agent, which never
raises an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from planspec.deprecation import former_names
from planspec.verifiers.environment.refusals import Code, JsonResult, RefusedCallError

__all__ = [
    "Arguments",
    "Code",
    "JsonResult",
    "ModelTool",
    "RefusedCallError",
    "Tool",
    "Toolset",
    "is_error",
    "no_calls_left",
    "read_arguments",
    "tool_definition",
]


class Arguments(BaseModel):
    """Base model for the arguments of a tool. Unknown arguments are invalid."""

    model_config = ConfigDict(extra="forbid", frozen=True)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


class Tool(Protocol):
    """A tool as agents see it."""

    @property
    def name(self) -> str:
        """Name by which agents call the tool."""

    @property
    def description(self) -> str:
        """Description in one or two sentences."""

    @property
    def parameters(self) -> JsonResult:
        """JSON schema of the arguments."""

    def run(self, arguments: object) -> JsonResult:
        """Call the tool with one JSON object of arguments, as sent by an agent."""

    def __call__(self, **arguments: object) -> JsonResult:
        """Call the tool with keyword arguments."""


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A tool with a Pydantic model that parses its arguments.

    Attributes:
        name: name by which agents call the tool.
        description: description in one or two sentences.
        model: Pydantic model of the arguments.
        answer: function from parsed arguments to the result.
    """

    name: str
    description: str
    model: type[Arguments]
    answer: Callable[[Any], JsonResult]

    @property
    def parameters(self) -> JsonResult:
        """JSON schema of the arguments, without titles, which Pydantic would derive from names."""
        return deepcopy(_schema_of(self.model))

    def run(self, arguments: object) -> JsonResult:
        """Call the tool with one JSON object of arguments, as sent by an agent."""
        try:
            return self.answer(read_arguments(self.model, arguments))
        except RefusedCallError as refusal:
            return refusal.result()

    def __call__(self, **arguments: object) -> JsonResult:
        return self.run(arguments)


@lru_cache(maxsize=1024)
def _schema_of(model: type[Arguments]) -> JsonResult:
    """Return the JSON schema of a model. It is cached because it takes milliseconds to generate."""
    schema = model.model_json_schema(by_alias=True)
    schema.pop("title", None)
    for entry in schema["properties"].values():
        entry.pop("title", None)
    return schema


class Toolset:
    """Tools by name, in the order in which agents see them."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def tools(self) -> list[Tool]:
        """Return all tools."""
        return list(self._tools.values())

    def __iter__(self) -> Iterator[Tool]:
        """Iterate over the tools."""
        return iter(self._tools.values())

    def __len__(self) -> int:
        """Return the number of tools."""
        return len(self._tools)

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool.

        Args:
            name: name of the tool.
            arguments: JSON object of the arguments, as an agent sent it.

        Returns:
            The tool's result, or an error with its code.
        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            names = ", ".join(self._tools)
            return RefusedCallError("unknown-tool", f"there is no such tool; the tools are {names}").result()
        return tool.run(arguments)


def read_arguments(model: type[ArgumentsT], arguments: object) -> ArgumentsT:
    """Parse a call's arguments with the tool's model.

    Raises:
        RefusedCallError: the arguments are invalid. The message names each fault.
    """
    if not isinstance(arguments, Mapping):
        raise RefusedCallError("invalid-arguments", "the arguments must be a JSON object")
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        faults = [f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()]
        # argument names can contain lone surrogates, which UTF-8 cannot encode
        message = "; ".join(faults).encode("utf-8", "replace").decode("utf-8")
        raise RefusedCallError("invalid-arguments", message) from error


def tool_definition(tool: Tool) -> dict[str, Any]:
    """Return a tool's name, description and parameters as JSON."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def is_error(result: JsonResult) -> bool:
    """Return whether a tool's result is an error."""
    return set(result) == {"error"} and isinstance(result["error"], dict) and "code" in result["error"]


def no_calls_left(allowed: int) -> RefusedCallError:
    """Return the error for a call beyond the setting's limit. Failed calls count towards the limit."""
    return RefusedCallError("no-calls-left", f"{allowed} calls have been made, and no more are answered")


_FORMER_NAMES = {
    "Refused": "RefusedCallError",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
