"""The families as tasks, and any suite as one."""

from __future__ import annotations

from importlib.metadata import version

from inspect_ai import Task, task

from planspec.inspecting.samples import dataset
from planspec.inspecting.scoring import verdict
from planspec.inspecting.solving import give_tools, take_turns


def _task(suite: str, setting: str | None, limit: int | None, tool_calls: int | None, steps: int) -> Task:
    # tools are a part of the setup, so that any solver that a caller chooses has them
    return Task(
        dataset=dataset(suite, setting, limit), setup=give_tools(), solver=take_turns(tool_calls, steps), scorer=verdict(),
        metadata={"planspec": version("planspec"), "suite": suite, "setting": setting},
    )  # fmt: skip


@task
def suite(
    suite: str,
    setting: str | None = None,
    limit: int | None = None,
    tool_calls: int | None = None,
    steps: int = 60,
) -> Task:
    """The tasks of a suite.

    Args:
        suite: its file, folder or id.
        setting: how the tasks are put; the family's first setting if None.
        limit: take only the first tasks of the suite.
        tool_calls: that a sample may make; as many as the family's benchmark allows if None.
        steps: requests to a model that a sample may make.
    """
    return _task(suite, setting, limit, tool_calls, steps)


@task
def worldtravel(
    suite: str = "worldtravel-berlin", setting: str | None = None, limit: int | None = None,
    tool_calls: int | None = None, steps: int = 60,
) -> Task:  # fmt: skip
    """City trips over a world of interfaces; the arguments are those of `suite`."""
    return _task(suite, setting, limit, tool_calls, steps)


@task
def travelplanner(
    suite: str = "travelplanner-small", setting: str | None = None, limit: int | None = None,
    tool_calls: int | None = None, steps: int = 60,
) -> Task:  # fmt: skip
    """Trips over several days on a budget; the arguments are those of `suite`."""
    return _task(suite, setting, limit, tool_calls, steps)


@task
def veritrip(
    suite: str = "veritrip", setting: str | None = "facts", limit: int | None = None,
    tool_calls: int | None = None, steps: int = 60,
) -> Task:  # fmt: skip
    """Trips from evidence; the settings with a corpus need a suite that was generated. The arguments are those of `suite`."""
    return _task(suite, setting, limit, tool_calls, steps)


@task
def mobilitybench(
    suite: str = "mobilitybench", setting: str | None = None, limit: int | None = None,
    tool_calls: int | None = None, steps: int = 60,
) -> Task:  # fmt: skip
    """Questions about places and ways, with recorded map tools; the arguments are those of `suite`."""
    return _task(suite, setting, limit, tool_calls, steps)
