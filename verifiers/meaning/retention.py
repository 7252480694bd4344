"""Retention: the share of a plan's cells that are unchanged in a later plan."""

from __future__ import annotations

from fractions import Fraction

from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.differences import differences
from planspec.verifiers.meaning.plan_rows import Plan


def kept_share(task: Task, previous: Plan, new: Plan) -> Fraction:
    """Return the share of the previous plan's cells that are unchanged in the new plan.

    A row of a table with `w` columns has `w` cells, including the key and cells that are *none*. All cells of a row
    that is missing from the new plan count as changed. Additions in the new plan do not count:

        kept = 1 - (sum of w over missing rows + number of cells that differ) / (sum of w over all rows)

    The sums are over rows of the previous plan. Rows correspond if their keys are equal; in a table without a key,
    rows are paired in order of decreasing similarity.

    Args:
        task: task of both plans, since their cells refer to its rows.
        previous: the earlier plan.
        new: the later plan.

    Returns:
        A share from 0 to 1; 1 if the previous plan has no cells.
    """
    widths = {table.name: len(table.columns) for table in task.plan_tables}
    cells = sum(width * len(previous.tables[name]) for name, width in widths.items())
    lost = 0
    for difference in differences(task, previous, new):
        if difference.field is not None:
            lost += 1
        elif difference.after is None:
            lost += widths[difference.table]
    return Fraction(cells - lost, cells) if cells else Fraction(1)
