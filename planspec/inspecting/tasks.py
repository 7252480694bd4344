"""Inspect tasks for families and for any suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version

from inspect_ai import Task, task

from planspec.errors import NotFoundError
from planspec.family.descriptor import Family, Part
from planspec.family.registry import families
from planspec.inspecting.samples import dataset
from planspec.inspecting.scoring import shares, verdict
from planspec.inspecting.solving import give_tools, take_turns

INSPECT_SUITE: Part[str | None] = Part("inspect_suite", None)
"""Default suite of a family's Inspect task."""
INSPECT_SETTING: Part[str | None] = Part("inspect_setting", None)
"""Setting of a family's Inspect task; by default the first of its settings."""


def _task(suite: str, setting: str | None, limit: int | None, tool_calls: int | None, steps: int) -> Task:
    # the setup provides the tools, so that every Inspect solver has them
    return Task(
        dataset=dataset(suite, setting, limit),
        setup=give_tools(),
        solver=take_turns(tool_calls, steps),
        scorer=[verdict(), shares()],
        metadata={"planspec": version("planspec"), "suite": suite, "setting": setting},
    )


@task
def suite(
    suite: str | None = None,
    setting: str | None = None,
    limit: int | None = None,
    tool_calls: int | None = None,
    steps: int = 60,
) -> Task:
    """Return the tasks of a suite.

    Args:
        suite: file, folder or id of the suite; required, for example `-T suite=errands`.
        setting: setting of the tasks; None for the family's first.
        limit: number of tasks to take from the beginning of the suite; None for all.
        tool_calls: maximum number of calls in a sample; None for the setting's own limit.
        steps: maximum number of model requests in a sample.

    Raises:
        NotFoundError: `suite` is missing, or there is no such suite.
    """
    if suite is None:
        raise NotFoundError("name the suite: inspect eval planspec/suite -T suite=SUITE, with its file, folder or id")
    return _task(suite, setting, limit, tool_calls, steps)


def _family_task(family: Family) -> Callable[..., Task]:
    """Return the Inspect task of a family, with the family's default suite."""
    default = INSPECT_SUITE.of(family)
    assert default is not None, family.name

    def make(
        suite: str = default,
        setting: str | None = INSPECT_SETTING.of(family),
        limit: int | None = None,
        tool_calls: int | None = None,
        steps: int = 60,
    ) -> Task:
        return _task(suite, setting, limit, tool_calls, steps)

    make.__name__ = make.__qualname__ = family.name
    make.__doc__ = f"{family.title}; the arguments are those of `suite`."
    return task(make)


TASKS: Mapping[str, Callable[..., Task]] = {
    family.name: _family_task(family) for family in families() if INSPECT_SUITE.is_in(family)
}
"""Inspect tasks of the families that have a default suite, by name."""
