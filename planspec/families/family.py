"""Descriptor of a family, with parts that are loaded on demand.

A family is a benchmark with its answer format, metrics and settings. The descriptor refers to each part as
`package.module:attribute`. It is therefore cheap to load, and modules below `families` can use a part without
importing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from planspec.errors import PlanspecError

if TYPE_CHECKING:  # types of a family's parts; their modules stand higher than this one
    from pathlib import Path

    from planspec.agents.agent import Factory, Planner
    from planspec.agents.credit import Earned
    from planspec.api.oracles import Better, Perform
    from planspec.api.submission import Submission
    from planspec.api.suite_table import SuiteTable
    from planspec.dsl.model.task import Task
    from planspec.environments.opened import Setting
    from planspec.families.suite_writing.options import Generator, Importer
    from planspec.traces.metrics import TraceMetrics
    from planspec.traces.record import Trace
    from planspec.traces.telling import TraceForm
    from planspec.verifiers.answers.format import AnswerCheck, PlanFormat
    from planspec.verifiers.meaning.verdict import Verdict
    from planspec.verifiers.metrics import Metrics
    from planspec.verifiers.official.protocol import Official

    Site = Callable[[Path, Sequence[Task], int, bool], Any]
    """Function that builds an ASGI application for a suite.

    Its arguments are the suite's folder, its tasks, the seed of the site's looks, and whether facts shown
    only by greys and colours are hidden from screen readers.
    """
    Credit = Callable[[Mapping[str, Any], Trace], Sequence[Earned]]

T = TypeVar("T")


class BrokenFamilyError(PlanspecError):
    """A family cannot be loaded, or does not match its descriptor.

    The message names the family with the field or the distribution at fault.
    """


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """A reference to a part of a family, which is loaded on demand.

    Attributes:
        name: `package.module:attribute`.
        owner: name of the family and the field, for error messages. `Family` sets it.
    """

    name: str
    owner: str = ""

    def load(self) -> T:
        """Load and return the object.

        Raises:
            BrokenFamilyError: the module or its attribute does not exist.
            ModuleNotFoundError: a package that the object needs is not installed.
        """
        try:
            part: T = resolve_name(self.name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{self.name.partition(':')[0]}.".startswith(f"{error.name}."):
                raise
            raise self._load_error(error) from error
        except (AttributeError, ValueError) as error:
            raise self._load_error(error) from error
        return part

    def _load_error(self, error: Exception) -> BrokenFamilyError:
        return BrokenFamilyError(f"{self.owner or 'a family'}: `{self.name}` cannot be loaded: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of tasks. Fields left out default to those of tasks without a family.

    Attributes:
        name: identifier used in libraries and suites.
        title: name shown to people.
        format: reader and writer of answers. The default is the plan's tables as JSON.
        metrics: class that computes metrics from the verdicts of a run.
        trace_metrics: function that computes further metrics from the traces of a run.
        official: function that makes the profile `official` of a task, if the benchmark has a public
            evaluator.
        checks: reader of answers that also makes checks which no constraint expresses.
        verdict: type of the verdicts: `Verdict`, or a subclass with the results of `checks`.
        visits: name of the plan table with the places of the route. Metrics compare this route with the
            shortest.
        beds: name of the plan table with rooms. Metrics also measure the route that includes them.
        evidence: names of the tables with the contents of documents. They decide no constraint, so tasks that
            differ only in them count as the same request.
        settings: settings for agents, by name. The default is the first setting for which a suite is
            prepared.
        tool_calls: largest number of tool calls answered in one attempt, for settings that do not define
            `calls`; None for no limit.
        trace_form: reader of the records of a run that the benchmark's own tools write.
        submission: writer of a run for the benchmark's public toolkit (`planspec export submission`).
        table: writer of a suite as data for the public toolkit (`planspec export table`).
        better: function that improves a solver's plan by metrics that no solver optimises.
        perform: function that adds the tool calls that trace metrics expect to a solver's answer.
        greedy: planner of the agent `greedy`, which uses only the tools of a setting.
        agents: agents that only tasks of this family have, by name.
        importer: function that makes a suite from the public data set (`planspec import`).
        importers: functions that import other public data, by the name after `planspec import`.
        generator: function that makes a suite from a seed (`planspec generate`).
        generators: functions that generate other things, by the name after `planspec generate`.
        site: function that makes a booking site from the world of a suite (`planspec serve-site`).
        credit: function that divides an attempt's reward among the parts of an agent, for agents with parts.
        suite: default suite of the family's Inspect task.
        suite_setting: setting of the Inspect task; None for the first setting of the family.
        schemas: models of the family's files and outputs, by the name that `planspec schema` takes.
        refusal_codes: the monitor's codes by rule, for rules whose form does not determine a code.
    """

    name: str
    title: str = ""
    format: Lazy[PlanFormat] = Lazy("planspec.verifiers.answers.format:TABLES")
    metrics: Lazy[type[Metrics]] = Lazy("planspec.verifiers.metrics.generic:GenericMetrics")
    trace_metrics: Lazy[TraceMetrics] | None = None
    official: Lazy[Callable[[Task], Official]] | None = None
    checks: Lazy[AnswerCheck] | None = None
    verdict: Lazy[type[Verdict]] = Lazy("planspec.verifiers.meaning.verdict:Verdict")
    visits: str | None = None
    beds: str | None = None
    evidence: tuple[str, ...] = ()
    settings: Lazy[Mapping[str, Setting]] = Lazy("planspec.environments.plain:SETTINGS")
    tool_calls: int | None = None
    trace_form: Lazy[TraceForm] | None = None
    submission: Lazy[Submission] | None = None
    table: Lazy[SuiteTable] | None = None
    better: Lazy[Better] | None = None
    perform: Lazy[Perform] | None = None
    greedy: Lazy[Planner] | None = None
    agents: Mapping[str, Lazy[Factory]] = field(default_factory=dict)
    importer: Lazy[Importer] | None = None
    importers: Mapping[str, Lazy[Importer]] = field(default_factory=dict)
    generator: Lazy[Generator] | None = None
    generators: Mapping[str, Lazy[Generator]] = field(default_factory=dict)
    site: Lazy[Site] | None = None
    credit: Lazy[Credit] | None = None
    suite: str | None = None
    suite_setting: str | None = None
    schemas: Mapping[str, Lazy[Any]] = field(default_factory=dict)
    refusal_codes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in fields(self):
            owner = f"the family `{self.name}`, `{each.name}`"
            object.__setattr__(self, each.name, _with_owner(getattr(self, each.name), owner))


def _with_owner(value: Any, owner: str) -> Any:
    """Return a field's value in which each reference names the owner."""
    match value:
        case Lazy():
            return replace(value, owner=owner)
        case Mapping():
            return {key: _with_owner(part, f"{owner}[`{key}`]") for key, part in value.items()}
        case _:
            return value
