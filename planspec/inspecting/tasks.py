"""The families as tasks, and any suite as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version

from inspect_ai import Task, task

from planspec.errors import NotFoundError
from planspec.families.family import Family
from planspec.families.registry import families
from planspec.inspecting.samples import dataset
from planspec.inspecting.scoring import shares, verdict
from planspec.inspecting.solving import give_tools, take_turns


def _task(suite: str, setting: str | None, limit: int | None, tool_calls: int | None, steps: int) -> Task:
    # tools are a part of the setup, so that any solver that a caller chooses has them
    return Task(
        dataset=dataset(suite, setting, limit), setup=give_tools(), solver=take_turns(tool_calls, steps), scorer=[verdict(), shares()],
        metadata={"planspec": version("planspec"), "suite": suite, "setting": setting},
    )  # fmt: skip


@task
def suite(
    suite: str | None = None,
    setting: str | None = None,
    limit: int | None = None,
    tool_calls: int | None = None,
    steps: int = 60,
) -> Task:
    """The tasks of a suite.

    Args:
        suite: its file, folder or id; it must be named, as by `-T suite=errands`.
        setting: how the tasks are put; the family's first setting if None.
        limit: take only the first tasks of the suite.
        tool_calls: that a sample may make; as many as its setting answers if None.
        steps: requests to a model that a sample may make.

    Raises:
        NotFoundError: no suite is named.
    """
    if suite is None:
        raise NotFoundError(
            "name the suite: inspect eval planspec/suite -T suite=SUITE, with its file, folder or id"
        )
    return _task(suite, setting, limit, tool_calls, steps)


def _of_family(family: Family) -> Callable[..., Task]:
    """The task of a family: its suite where none is named."""
    usual = family.suite
    assert usual is not None, family.name

    def made(
        suite: str = usual, setting: str | None = family.suite_setting, limit: int | None = None,
        tool_calls: int | None = None, steps: int = 60,
    ) -> Task:  # fmt: skip
        return _task(suite, setting, limit, tool_calls, steps)

    made.__name__ = made.__qualname__ = family.name
    made.__doc__ = f"{family.title}; the arguments are those of `suite`."
    return task(made)


TASKS: Mapping[str, Callable[..., Task]] = {
    family.name: _of_family(family) for family in families() if family.suite is not None
}
"""A task for each family that has a suite, by name."""
