"""Tools that agents call: a name, a JSON schema of the arguments, and a result that is always JSON.

Whatever an agent sends, a call returns the result or `{"error": {"code": ..., "message": ...}}`: nothing is raised for
what an agent can do wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

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
]


class Arguments(BaseModel):
    """The arguments of a tool; no others are accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Asked = TypeVar("Asked", bound=Arguments)


class Tool(Protocol):
    """A tool as agents see it."""

    @property
    def name(self) -> str:
        """By which it is called."""

    @property
    def description(self) -> str:
        """A sentence or two."""

    @property
    def parameters(self) -> JsonResult:
        """The JSON schema of the arguments."""

    def run(self, arguments: object) -> JsonResult:
        """Call it with one JSON object, as an agent sent it."""

    def __call__(self, **arguments: object) -> JsonResult:
        """The same, with the arguments by name."""


@dataclass(frozen=True, slots=True)
class ModelTool:
    """A tool whose arguments a pydantic model reads.

    Attributes:
        name: by which it is called.
        description: a sentence or two.
        model: what its arguments are read as.
        answer: takes the arguments, read.
    """

    name: str
    description: str
    model: type[Arguments]
    answer: Callable[[Any], JsonResult]

    @property
    def parameters(self) -> JsonResult:
        """The JSON schema of the arguments, without the titles that pydantic makes of the names."""
        schema = self.model.model_json_schema(by_alias=True)
        schema.pop("title", None)
        for entry in schema["properties"].values():
            entry.pop("title", None)
        return schema

    def run(self, arguments: object) -> JsonResult:
        """Call it with one JSON object, as an agent sent it."""
        try:
            return self.answer(read_arguments(self.model, arguments))
        except RefusedCallError as refused:
            return refused.result()

    def __call__(self, **arguments: object) -> JsonResult:
        return self.run(arguments)


class Toolset:
    """Tools by their names, in the order in which agents see them."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def tools(self) -> list[Tool]:
        """All of them."""
        return list(self._tools.values())

    def __iter__(self) -> Iterator[Tool]:
        """The tools, one after the other."""
        return iter(self._tools.values())

    def __len__(self) -> int:
        """The number of tools."""
        return len(self._tools)

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool.

        Args:
            name: of the tool.
            arguments: a JSON object of its arguments, as an agent sent it.

        Returns:
            What the tool answers, or an error with its code.
        """
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            known = ", ".join(self._tools)
            return RefusedCallError("unknown-tool", f"there is no such tool; the tools are {known}").result()
        return tool.run(arguments)


def read_arguments(model: type[Asked], arguments: object) -> Asked:
    """Arguments as a model reads them.

    Raises:
        RefusedCallError: they are none; the message names each fault.
    """
    if not isinstance(arguments, Mapping):
        raise RefusedCallError("invalid-arguments", "the arguments must be a JSON object")
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()
        ]
        # names of arguments may hold halves of surrogate pairs, which no encoding of JSON takes
        message = "; ".join(faults).encode("utf-8", "replace").decode("utf-8")
        raise RefusedCallError("invalid-arguments", message) from error


def is_error(result: JsonResult) -> bool:
    """A tool answered that it has no result."""
    return set(result) == {"error"} and isinstance(result["error"], dict) and "code" in result["error"]


def no_calls_left(allowed: int) -> RefusedCallError:
    """The refusal of a call beyond those that a setting allows; refused calls count, too."""
    return RefusedCallError("no-calls-left", f"{allowed} calls have been made, and no more are answered")
