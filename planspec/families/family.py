"""Family descriptor with lazily loaded parts.

A family is a kind of benchmark: its answers, metrics and environments. The descriptor names each part as
`package.module:attribute`. It is therefore cheap to load, and modules below `families` can use a part of a
family without importing it.
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
    from planspec.agents.credit import TrajectoryReward
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
    """Builds an ASGI application.

    Takes a suite's folder, its tasks, a seed of looks, and whether facts shown only by looks are left to the eye.
    """
    Credit = Callable[[Mapping[str, Any], Trace], Sequence[TrajectoryReward]]

T = TypeVar("T")


class BrokenFamilyError(PlanspecError):
    """A family does not match its descriptor or distribution.

    The message names the distribution and the field at fault.
    """


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """A lazily loaded part of a family.

    Attributes:
        name: `package.module:attribute`.
        owner: the family and the field, for error messages; a `Family` sets it.
    """

    name: str
    owner: str = ""

    def load(self) -> T:
        """Load and return the object.

        Raises:
            BrokenFamilyError: nothing has the name.
            ModuleNotFoundError: a package that the object needs is not installed.
        """
        try:
            part: T = resolve_name(self.name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{self.name.partition(':')[0]}.".startswith(f"{error.name}."):
                raise
            raise self._broken(error) from error
        except (AttributeError, ValueError) as error:
            raise self._broken(error) from error
        return part

    def _broken(self, error: Exception) -> BrokenFamilyError:
        return BrokenFamilyError(f"{self.owner or 'a family'}: `{self.name}` cannot be loaded: {error}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of tasks. Omitted fields default to those of tasks without a family.

    Attributes:
        name: identifier used in libraries and suites.
        title: name shown to people.
        format: reader and writer of answers; the default is the plan's tables as JSON.
        metrics: metrics computed from the verdicts of a run.
        trace_metrics: metrics computed from the traces of a run, if verdicts do not suffice.
        official: maker of a task's profile `official`, if the benchmark has a public evaluator.
        checks: reader of answers that also checks what no constraint checks.
        verdict: type of the verdicts: a `Verdict`, with additions by `checks`.
        visits: plan table whose places form the route of a plan, if the metrics compare it with the shortest
            one.
        beds: plan table of rooms, if the metrics also measure the route that includes them.
        evidence: tables with the contents of documents, which decide no constraint; tasks that differ in them
            alone count as the same request.
        settings: settings in which agents meet the tasks, by name. The default is the first for which a suite
            is prepared.
        tool_calls: calls answered in one attempt, in settings without `calls` of their own; None for no
            limit.
        trace_form: reader of the records that the benchmark's own tools write of a run.
        submission: form in which the benchmark's public toolkit takes a run: `planspec export submission`.
        table: writer of a suite as data of the public toolkit: `planspec export table`.
        better: improver of a solver's plan, for metrics that no solver optimises.
        perform: adds the tool calls that trace metrics expect to a solver's answer.
        greedy: planner of the agent `greedy`, which uses only the tools of a setting.
        agents: agents for tasks of this family alone, by name.
        importer: maker of a suite from the public data set: `planspec import`.
        importers: makers of other things from public data, by the command's name after `planspec import`.
        generator: maker of a suite from a seed: `planspec generate`.
        generators: other makers with a seed, by the command's name after `planspec generate`.
        site: maker of a booking site from the world of a suite: `planspec serve-site`.
        credit: distribution of an attempt's reward over the parts of an agent, for agents with parts.
        suite: suite of the family's Inspect task, if none is named.
        suite_setting: setting of the Inspect task; the family's first if None.
        schemas: models of the family's files and outputs, by the name for `planspec schema`.
        refusal_codes: codes of the monitor, by rule, for rules whose form does not imply one.
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
    """Return a field's value with the owner set in its references."""
    match value:
        case Lazy():
            return replace(value, owner=owner)
        case Mapping():
            return {key: _with_owner(part, f"{owner}[`{key}`]") for key, part in value.items()}
        case _:
            return value
