"""Labels of tasks, by which results are grouped."""

from __future__ import annotations

from collections.abc import Mapping

from planspec.dsl.model.task import Task
from planspec.family.descriptor import Part
from planspec.family.registry import family_of
from planspec.verifiers.metrics.scored import LabelValue

COUNTS: Part[Mapping[str, str]] = Part("counts", {})
"""Name of the given (task parameter) whose values are counted, by label. A label `days` counts the days of a trip."""


def labels_of(task: Task) -> dict[str, LabelValue]:
    """Return the labels of a task: the scalar entries of its `meta`, and counts declared by its family."""
    labels: dict[str, LabelValue] = {
        name: value for name, value in task.meta.items() if isinstance(value, str | int | bool)
    }
    for label, given in COUNTS.of(family_of(task.family)).items():
        if isinstance(values := task.givens.get(given), tuple):
            labels.setdefault(label, len(values))
    return labels
