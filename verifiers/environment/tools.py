"""Tools that agents call, and texts in their prompts (shows), as a task declares them over its tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from planspec.dsl.model.environment import DeclaredSetting, DeclaredTool, Parameter, Show
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.arguments import ArgumentReader
from planspec.verifiers.environment.refusals import JsonResult, RefusedCallError
from planspec.verifiers.environment.remembering_interpreter import RememberingInterpreter
from planspec.verifiers.environment.results import ResultEvaluator
from planspec.verifiers.environment.schemas import parameters_schema
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.meter import StepLimitError

WITHOUT_TOOLS, WITH_TOOLS = "text", "tools"
"""Names of the only setting of a task that declares no settings: `text`, or `tools` if the task has tools."""


class TableTool:
    """A tool declared by a task, which agents call. Its results are always JSON.

    Args:
        declared: declaration of the tool.
        interpreter: interpreter of the task, without a plan.
        results: function or class that creates an evaluator of result trees for an interpreter.

    Attributes:
        declared: declaration of the tool.
    """

    def __init__(
        self,
        declared: DeclaredTool,
        interpreter: Interpreter,
        results: Callable[[Interpreter], ResultEvaluator] = ResultEvaluator,
    ) -> None:
        self.declared = declared
        self._interpreter = interpreter
        self._results = results

    def __repr__(self) -> str:
        return f"<TableTool {self.name}>"

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.declared.name

    @property
    def description(self) -> str:
        """Description of one or two sentences."""
        return self.declared.doc

    @property
    def parameters(self) -> JsonResult:
        """JSON schema of the arguments."""
        return parameters_schema(self.declared, self._interpreter)

    def __call__(self, **arguments: object) -> JsonResult:
        return self.run(arguments)

    def names(self, param: Parameter, row: Row) -> Iterator[str]:
        """Yield the strings that a call can pass for this row: those that refer to no other row."""
        reader = ArgumentReader(self.declared, self._interpreter.on(None))
        yield from (name for name in reader.names(param, row) if reader.named(param, name) is row)

    def run(self, arguments: object) -> JsonResult:
        """Call the tool with the JSON object that an agent sent.

        Returns:
            The result, or `{"error": {"code": ..., "message": ...}}`.
        """
        interpreter = self._interpreter.on(None)
        try:
            env = ArgumentReader(self.declared, interpreter).read(arguments)
            results = self._results(interpreter)
            for refusal in self.declared.refuse:
                if refusal.when is not None and results.holds(refusal.when, env):
                    raise results.refusal_error(refusal, env)
            result: JsonResult = results.value(self.declared.returns, env)
        except RefusedCallError as refused:
            return refused.result()
        except StepLimitError:
            return RefusedCallError("upstream", "the call takes too many steps").result()
        return result


class TaskViews:
    """The texts and tools of a task that agents see in each setting.

    Args:
        task: the task, at one of its turns.
        interpreter: interpreter of the task, without a plan.
    """

    def __init__(self, task: Task, interpreter: Interpreter | None = None) -> None:
        self.task = task
        self._interpreter = interpreter or RememberingInterpreter(task)

    def settings(self) -> Mapping[str, DeclaredSetting]:
        """Return the settings by name, beginning with the task's default setting.

        A setting selects the texts and tools that an agent gets. If a task declares no settings, the only setting has
        all of them.
        """
        environment = self.task.environment
        if not environment.settings:
            name = WITH_TOOLS if environment.tools else WITHOUT_TOOLS
            return {name: DeclaredSetting(name, None, None, None, "", self.task.span)}
        settings = dict(environment.settings)
        if environment.default in settings:
            first = environment.default
            return {first: settings[first], **settings}
        return settings

    def tools(self, setting: DeclaredSetting) -> list[TableTool]:
        """Return the tools that may be called in a setting."""
        return [TableTool(tool, self._interpreter, self._results) for tool in self.task.environment.tools_in(setting)]

    def shows(self, setting: DeclaredSetting) -> dict[str, str]:
        """Return the texts shown in a setting, by title.

        Raises:
            StepLimitError: a text takes too many steps.
        """
        shown = self.task.environment.shows_in(setting)
        return {title: text for show in shown for title, text in self.given(show).items()}

    def given(self, show: Show) -> dict[str, str]:
        """Return the texts that a `show` entry displays, by title."""
        return show_texts(show, self.values(show))

    def values(self, show: Show) -> Iterator[tuple[str, Any]]:
        """Yield the title and the JSON value of each text that a `show` entry displays.

        A text whose value is an empty list is left out if the entry requires a list that is not empty.
        """
        results = self._results(self._interpreter.on(None))
        for env in results.bindings(show.clauses):
            if show.when is not None and not results.holds(show.when, env):
                continue
            try:
                value = results.value(show.tree, env)
            except RefusedCallError:
                continue
            yield results.text(show.title, env), value

    def _results(self, interpreter: Interpreter) -> ResultEvaluator:
        return ResultEvaluator(interpreter)


def show_texts(show: Show, values: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """Return the texts of a `show` entry by title. `values` are pairs of a title and a JSON value."""
    return {title: prompt_text(value, show.format) for title, value in values}


def prompt_text(value: Any, form: str) -> str:
    """Return a JSON value as text for a prompt.

    Args:
        value: JSON.
        form: `json`, `csv` (for a list of objects; items of a list in a cell are joined by `; `) or `text`.
    """
    match form:
        case "csv":
            return _csv(value)
        case "text" if isinstance(value, str):
            return value
        case "text" if isinstance(value, list):
            return "\n".join(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in value)
    return json.dumps(value, ensure_ascii=False, indent=1)


def _csv(rows: list[Any]) -> str:
    """Return JSON objects as CSV with a column for every field that occurs."""
    flat = [row if isinstance(row, dict) else {"value": row} for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in flat:
        writer.writerow([_csv_cell(row.get(name)) for name in columns])
    return text.getvalue().rstrip("\n")


def _csv_cell(value: Any) -> Any:
    match value:
        case bool():
            return "true" if value else "false"
        case list() if all(not isinstance(item, list | dict) for item in value):
            return "; ".join("" if item is None else str(_csv_cell(item)) for item in value)
        case list() | dict():
            return json.dumps(value, ensure_ascii=False)
        case None:
            return ""
    return value
