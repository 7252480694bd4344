"""Output models for tasks, agents, documentation pages and diagnostic codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from planspec.api.outputs.base import Output
from planspec.dsl.diagnostics.codes import Code

if TYPE_CHECKING:
    from planspec.api.requests.writing import WrittenRequest


class TaskEntry(Output):
    """A task in the list of `tasks list`."""

    id: str
    family: str | None
    suite: str | None
    title: str


class RequestOutput(Output):
    """A natural-language request generated from the specification of a task.

    Attributes:
        tells: for each given or table, by name, the words of the query that express it.
        wordings: ids of the wording documents whose templates were used.
    """

    task: str
    language: str
    query: str
    tells: dict[str, str]
    wordings: list[str]

    @classmethod
    def of(cls, written: WrittenRequest) -> RequestOutput:
        """Return the output for a generated request."""
        return cls(
            task=written.task,
            language=written.language,
            query=written.query,
            tells=dict(written.tells),
            wordings=list(written.wordings),
        )


class TableShownOutput(Output):
    """A table of the plan, its columns with their types, and its number of rows in the task's scope."""

    table: str
    columns: dict[str, str]
    scope_rows: int


class RuleOutput(Output):
    """A constraint instance that applies to the task."""

    constraint: str
    level: Literal["hard", "soft"]
    kind: str | None
    rule: str
    file: str
    line: int


class RecordOutput(Output):
    """The record in a suite's table from which a task was made. `record` counts from 1.

    `path` is the file of the suite with `#` and the id of the task.
    """

    file: str
    line: int
    record: int
    path: str


class TaskShownOutput(TaskEntry):
    """One task of `tasks show`. `origin` is null for a task with its own document."""

    file: str
    origin: RecordOutput | None = None
    queries: list[str]
    givens: dict[str, str]
    constraints: list[RuleOutput]
    plan: list[TableShownOutput]


class ToolShownOutput(Output):
    """A tool of `tasks view`. `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


class ViewOutput(Output):
    """Everything that an agent sees at one turn of a task.

    Attributes:
        role: role of the agent; empty for an agent without a role.
        calls: maximum number of tool calls that get a result; null for no limit.
        materials: texts by title.
        images: titles of pictures.
        answer: JSON Schema of answers; null without one.
    """

    task: str
    setting: str
    queries: list[str]
    role: str
    brief: str
    materials: dict[str, str]
    images: list[str]
    calls: int | None
    tools: list[ToolShownOutput]
    answer: dict[str, Any] | None


class AgentOptionOutput(Output):
    """An option of an agent. An option without a default is required."""

    name: str
    default: str | None


class AgentOutput(Output):
    """An agent of `agents`: what it does, and its options.

    `missing` names the extra that must be installed, if any.
    """

    name: str
    does: str
    options: list[AgentOptionOutput]
    missing: str | None = None


class DocsPageOutput(Output):
    """A page of the documentation, with its Markdown if requested."""

    page: str
    title: str
    path: str
    text: str | None = None


class CodeOutput(Output):
    """A diagnostic code as `explain` shows it: its meaning, a wrong example, and the corrected example."""

    code: str
    slug: str
    why: str
    wrong: str
    right: str

    @classmethod
    def of(cls, code: Code) -> CodeOutput:
        """Return a code as JSON output."""
        return cls(code=code.code, slug=code.slug, why=code.why, wrong=code.wrong, right=code.right)


OUTPUTS: dict[str, Any] = {
    "explain": CodeOutput | list[CodeOutput],
    "docs": DocsPageOutput | list[DocsPageOutput],
    "tasks": list[TaskEntry],
    "tasks-show": TaskShownOutput,
    "tasks-view": ViewOutput,
    "request": RequestOutput,
    "agents": list[AgentOutput],
}
"""Pydantic models of the JSON output of commands, by name."""
