"""Episodes: a policy calls the tools of a task's environment, writes a plan cell by cell, and submits it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import planspec
from planspec_train.facts import Facts, Kind, Record, Value, value_text
from planspec_train.features import Features
from planspec_train.policy import Policy, Step
from planspec_train.terms import Draft, Row, best_matches, texts_of

MOST_CALLS = 3
"""Maximum number of calls before each cell. After them, the policy can only write the cell."""
MOST_ROWS = 80
MOST_TIMES = 48
Choices = Sequence[Value]


@dataclass(slots=True)
class Episode:
    """One attempt of a policy at a task.

    Attributes:
        policy: the policy.
        environment: new environment of the task.
        facts: facts that the agent knows: those shown at first, and those in results of tools.
        generator: random generator.
        greedy: whether to take the most probable candidate at each decision.
        steps: the decisions so far.
    """

    policy: Policy
    environment: planspec.Environment
    facts: Facts
    generator: np.random.Generator
    greedy: bool = False
    steps: list[Step] = field(default_factory=list)
    _called: list[tuple[str, Row]] = field(default_factory=list)
    _enumerated: frozenset[str] = frozenset()

    def play(self) -> planspec.Outcome:
        """Call tools, write a plan, submit it, and return the outcome."""
        schema = self.environment.schema or {}
        draft = Draft(self.facts)
        self._enumerated = frozenset(
            _enumerated_texts([schema, *(tool["parameters"] for tool in self.environment.tools)])
        )
        answer: dict[str, Any] = {}
        for table, spec in schema.get("properties", {}).items():
            draft.table = table
            draft.tables[table] = []
            columns = spec.get("items", spec).get("properties", {})
            rows = math.inf if spec.get("type") == "array" else 1
            while len(draft.rows) < min(rows, MOST_ROWS) and self._write_row(draft, columns, can_end=rows > 1):
                draft.tables[table].append(dict(draft.row))
            cells = [{name: _json_value(value, columns[name]) for name, value in row.items()} for row in draft.rows]
            answer[table] = cells if rows > 1 else (cells[0] if cells else None)
        return self.environment.submit(answer)

    # ------------------------------------------------------------------ the plan

    def _write_row(self, draft: Draft, columns: Mapping[str, Mapping[str, Any]], *, can_end: bool) -> bool:
        """Write the next row into `draft.row`. Return False if the policy ends the table or a cell has no candidate."""
        draft.row = {}
        for number, (column, spec) in enumerate(columns.items()):
            self._call_tools(draft, column)
            cell = f"{draft.table}.{column}"
            choices = self._choices(draft, column, spec)
            ends = number == 0 and can_end
            if not choices:
                return False
            chosen = self._choose(draft, cell, column, choices, ends=ends)
            if chosen == len(choices):
                return False
            draft.row[column] = choices[chosen]
        return True

    def _choices(self, draft: Draft, column: str, spec: Mapping[str, Any]) -> Choices:
        """Return the candidate values for a cell of the plan or an argument of a call."""
        if "enum" in spec:
            return [Value("text", 0.0, str(each)) for each in spec["enum"]]
        kind = _kind_of(spec)
        if kind == "text":
            return [Value("text", 0.0, text) for text in draft.facts.origins if text not in self._enumerated]
        if kind == "bool":
            return [Value("bool", float(each), str(each).lower()) for each in (False, True)]
        terms = draft.terms(draft.row, self._matched_records(draft, draft.row))
        numbers = sorted({number for each, number in terms.values() if each == kind and number >= 0})
        if len(numbers) > MOST_TIMES:
            numbers = [numbers[place * len(numbers) // MOST_TIMES] for place in range(MOST_TIMES)]
        return [Value(kind, number, value_text(kind, number)) for number in numbers]

    def _choose(self, draft: Draft, cell: str, column: str, choices: Choices, *, ends: bool) -> int:
        features = Features(self.policy.size, len(choices) + ends)
        if choices[0].kind == "text":
            self._add_text_features(features, draft, cell, column, choices)
        else:
            features.compare(cell, draft.terms_of_values(column, choices, self._matched_records(draft, draft.row)))
        if ends:
            self._add_end_features(features, len(choices), draft, cell, column)
        return self._decide(features)

    def _add_text_features(self, features: Features, draft: Draft, cell: str, column: str, choices: Choices) -> None:
        covered = draft.covered()
        before = self._matched_records(draft, draft.row)
        terms = []
        for place, value in enumerate(choices):
            text = value.text
            used = any(row.get(column) == value for row in draft.rows)
            features.add(place, cell, "used", used)
            for origin in draft.facts.origins.get(text, ()):
                features.add(place, cell, origin)
                features.add(place, cell, origin, used)
            if draft.rows and draft.rows[-1].get(column) == value:
                features.add(place, cell, "as in the last row")
            for source, record in before.items():
                for name, values in record.fields.items():
                    if value in values:
                        features.add(place, cell, "in", source, name)
            row = {**draft.row, column: value}
            for source, (most, places) in best_matches(draft.facts, texts_of(row)).items():
                features.add(place, cell, "matches", source, most, len(places) == 1)
                features.add(place, cell, "left", source, most, any(each not in covered for each in places))
            terms.append(draft.terms(row, self._matched_records(draft, row)))
        features.compare(cell, terms)

    def _add_end_features(self, features: Features, place: int, draft: Draft, cell: str, column: str) -> None:
        features.add(place, cell, "end")
        features.add(place, cell, "end", min(len(draft.rows), 2))
        covered = draft.covered()
        left = {record.source: False for record in draft.facts.records}
        for index, record in enumerate(draft.facts.records):
            left[record.source] |= index not in covered
        for source, some in left.items():
            features.add(place, cell, "end", source, some)
        used = {row[column].text for row in draft.rows if column in row}
        for name, values in draft.facts.single.items():
            if any(value.kind == "text" for value in values):
                features.add(place, cell, "end", name, any(value.text not in used for value in values))

    def _matched_records(self, draft: Draft, row: Row) -> Mapping[str, Record]:
        matches = best_matches(draft.facts, texts_of(row))
        return {source: draft.facts.records[each[0]] for source, (_, each) in matches.items() if len(each) == 1}

    # ------------------------------------------------------------------ the tools

    def _call_tools(self, draft: Draft, column: str) -> None:
        """Let the policy call up to `MOST_CALLS` tools before it writes a cell."""
        tools = self.environment.tools
        called_tools: list[str] = []
        while tools and len(called_tools) < MOST_CALLS:
            chosen = self._choose_tool(draft, column, tools, called_tools)
            if chosen == len(tools):
                return
            tool = tools[chosen]
            arguments = self._fill_arguments(draft, column, tool)
            if arguments is None:
                return
            called_tools.append(tool["name"])
            self._called.append((tool["name"], arguments))
            content = self.environment.call(tool["name"], {name: value.text for name, value in arguments.items()})
            if "error" not in content:
                shared = {name: value.text for name, value in arguments.items()}
                draft.facts.read_json(tool["name"], content, shared)

    def _choose_tool(
        self, draft: Draft, column: str, tools: Sequence[Mapping[str, Any]], called_tools: Sequence[str]
    ) -> int:
        features = Features(self.policy.size, len(tools) + 1)
        cell = f"{draft.table}.{column}"
        matches = best_matches(draft.facts, texts_of(draft.row))
        connected = draft.connections(draft.rows[-1], draft.row) if draft.rows else {}
        for place, name in enumerate([*(tool["name"] for tool in tools), "write"]):
            features.add(place, cell, name)
            for other in tools:
                count = max(
                    (most for source, (most, _) in matches.items() if _is_from_tool(source, other["name"])), default=0
                )
                between = any(_is_from_tool(source, other["name"]) for source in connected)
                features.add(place, cell, name, other["name"], count)
                features.add(place, cell, name, other["name"], "between", between, bool(draft.rows))
                features.add(place, cell, name, other["name"], "here", called_tools.count(other["name"]))
        return self._decide(features)

    def _fill_arguments(self, draft: Draft, column: str, tool: Mapping[str, Any]) -> dict[str, Value] | None:
        arguments: dict[str, Value] = {}
        for name, spec in tool["parameters"].get("properties", {}).items():
            choices = self._choices(draft, name, spec)
            if not choices:
                return None
            features = Features(self.policy.size, len(choices))
            cell = f"{draft.table}.{column}.{tool['name']}.{name}"
            for place, value in enumerate(choices):
                for origin in self._origins(draft, value, arguments):
                    features.add(place, cell, origin)
                filled = {**arguments, name: value}
                again = any(
                    called == tool["name"] and all(row.get(key) == each for key, each in filled.items())
                    for called, row in self._called
                )
                features.add(place, cell, "again", again)
            arguments[name] = choices[self._decide(features)]
        return arguments

    def _origins(self, draft: Draft, value: Value, arguments: Row) -> list[str]:
        """Return the names of observed fields, cells of the plan and other arguments in which a value occurs."""
        names = list(draft.facts.origins.get(value.text, ()))
        names += [f"row.{name}" for name, each in draft.row.items() if each == value]
        names += [f"argument {name}" for name, each in arguments.items() if each == value]
        if draft.rows:
            names += [f"last.{name}" for name, each in draft.rows[-1].items() if each == value]
        return names

    def _decide(self, features: Features) -> int:
        step = self.policy.choose(features.finish(), self.generator, greedy=self.greedy)
        self.steps.append(step)
        return step.chosen


def observed_facts(environment: planspec.Environment) -> Facts:
    """Return the facts in a task's query and materials, which are known before any call."""
    view = environment.observation
    facts = Facts()
    facts.read_query(view.query)
    for name, text in view.materials.items():
        facts.read_text(name, text)
    return facts


def _enumerated_texts(schema: Any) -> Iterator[str]:
    """Yield the values of all enumerations in a schema. They are not candidates for a cell with free text."""
    if isinstance(schema, Mapping):
        yield from map(str, schema.get("enum", ()))
        for part in schema.values():
            yield from _enumerated_texts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _enumerated_texts(part)


def _is_from_tool(source: str, tool: str) -> bool:
    return source == tool or source.startswith(f"{tool}.")


def _kind_of(spec: Mapping[str, Any]) -> Kind:
    form = spec.get("description", "")
    if spec.get("format") == "date":
        return "day"
    if "HH:MM" in form:
        return "moment" if "YYYY" in form else "clock"
    kinds: Mapping[str, Kind] = {"integer": "number", "number": "number", "boolean": "bool"}
    return kinds.get(spec.get("type", ""), "text")


def _json_value(value: Value, spec: Mapping[str, Any]) -> Any:
    if value.kind == "bool":
        return bool(value.number)
    if value.kind == "number":
        return int(value.number) if spec.get("type") == "integer" else value.number
    return value.text
