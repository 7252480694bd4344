"""The descriptor of a family, whose parts are loaded when they are asked for.

A family is a kind of benchmark: its answers, its metrics, its environments. Its descriptor names them as
`package.module:attribute`. So a descriptor is cheap to load, and what stands below families can ask one for its parts
without importing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from planspec.errors import PlanspecError

if TYPE_CHECKING:  # the types of what a family brings; they stand higher than this module
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
    """From a suite's folder, its tasks, a seed of looks, and whether what looks alone tell is left to the eye, to an ASGI application."""
    Credit = Callable[[Mapping[str, Any], Trace], Sequence[Earned]]

T = TypeVar("T")


class BrokenFamilyError(PlanspecError):
    """A family is not what its descriptor or its distribution says; the text names who is to mend what."""


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """Something that a family brings, by its name.

    Attributes:
        name: `package.module:attribute`.
        whose: the family and the field, for the text of an error; a `Family` sets it.
    """

    name: str
    whose: str = ""

    def load(self) -> T:
        """The thing itself.

        Raises:
            BrokenFamilyError: nothing has the name.
            ModuleNotFoundError: it needs a package that is not installed.
        """
        try:
            found: T = resolve_name(self.name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{self.name.partition(':')[0]}.".startswith(f"{error.name}."):
                raise
            raise self._broken(error) from error
        except (AttributeError, ValueError) as error:
            raise self._broken(error) from error
        return found

    def _broken(self, error: Exception) -> BrokenFamilyError:
        return BrokenFamilyError(f"{self.whose or 'a family'}: `{self.name}` cannot be loaded: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of tasks. What it does not bring is what tasks without a family have.

    Attributes:
        name: by which libraries and suites name it.
        title: for people.
        format: reads and writes its answers; the plan's tables as JSON if left out.
        metrics: the set that is computed of a run's verdicts.
        trace_metrics: the set that is computed of a run's traces, where verdicts do not tell enough.
        official: makes the profile `official` of a task, where the benchmark has a public evaluator.
        checks: reads an answer and checks of it what no rule does.
        verdict: the type of its verdicts: a `Verdict`, with what `checks` adds.
        visits: the plan table whose places make the way of a plan, where the metrics compare it with the shortest one.
        beds: the plan table of rooms, where the metrics also have the way that comes to them.
        evidence: its tables that hold what documents say and decide no rule: tasks that differ in them alone ask the same.
        settings: in which agents meet its tasks, by name; where none is named, the first for which a suite is prepared.
        tool_calls: of one attempt that are answered, in settings that do not say `calls` themselves; None for all.
        trace_form: reads the records that the benchmark's own tools write of a run.
        submission: the form in which the benchmark's public toolkit takes a run: `planspec export submission`.
        table: writes a suite as the public toolkit has its data: `planspec export table`.
        better: makes a solver's plan better, where the metrics ask more than a solver can.
        perform: makes of a solver's answer that of an agent which also made the calls that the metrics look at.
        greedy: answers its tasks as the agent `greedy` does, by what the tools of a setting tell.
        agents: that answer its tasks alone, by name.
        importer: makes a suite of the public data set: `planspec import`.
        importers: what else it makes of public data, by the command's name after `planspec import`.
        generator: makes a suite with a seed: `planspec generate`.
        generators: what else it makes with a seed, by the command's name after `planspec generate`.
        site: makes the world of a suite a site on which one books: `planspec serve-site`.
        credit: shares the reward of an attempt among the parts of an agent, where it knows such agents.
        suite: that Inspect's task of the family has, where none is named.
        suite_setting: of that task; the family's first if None.
        schemas: the models of its files and outputs, by the name for `planspec schema`.
        refusal_codes: of the monitor, for rules whose form does not show them, by rule.
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
            whose = f"the family `{self.name}`, `{each.name}`"
            object.__setattr__(self, each.name, _placed(getattr(self, each.name), whose))


def _placed(value: Any, whose: str) -> Any:
    """A field's value, whose references know where they stand."""
    match value:
        case Lazy():
            return replace(value, whose=whose)
        case Mapping():
            return {key: _placed(part, f"{whose}[`{key}`]") for key, part in value.items()}
        case _:
            return value
