"""The booking site of a suite, for `planspec serve-site`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.dsl.model.task import Task
from planspec.families.worldtravel.site.app import BookableCity, Sessions, site_app
from planspec.suite_writing.options import UnsuitableSuiteError

if TYPE_CHECKING:
    from starlette.applications import Starlette


def suite_site(folder: Path, tasks: Sequence[Task], seed: int, visual_only: bool) -> Starlette:
    """Return the booking site of a suite's city.

    Args:
        folder: folder of the suite.
        tasks: tasks whose requests the site shows.
        seed: seed of the site's visual style.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.

    Raises:
        UnsuitableSuiteError: the tasks have several worlds, or a world without pages.
        ModuleNotFoundError: the extra `site` is not installed.
    """
    worlds = {Path(task.span.source.name).absolute().parent / "world" for task in tasks} or {folder / "world"}
    if len(worlds) > 1:
        raise UnsuitableSuiteError(
            f"a site shows one city, but the suite has {len(worlds)} worlds: name one of "
            + ", ".join(sorted(world.parent.name for world in worlds))
        )
    (world,) = worlds
    city = BookableCity(world, visual_only=visual_only)
    return site_app(city, {task.id.partition("@")[0]: task.query for task in tasks}, Sessions(seed))
