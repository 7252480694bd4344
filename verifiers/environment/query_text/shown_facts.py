"""Facts that agents learn from declared texts (shows) and tools, so that a query need not state them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredTool, HiddenName, Leaf, Show, TextTree
from planspec.dsl.model.environment_traversal import TreePart, each_of, expressions, tool_parts, with_shapes
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.verifiers.environment.reads import ReadNames, show_reads, tool_reads


@dataclass(frozen=True, slots=True)
class ShownFacts:
    """The facts that one tool, or one `show` entry with texts for the prompt, reveals.

    Attributes:
        reads: everything on which its texts depend.
        givens: names of the parameters that it prints. A parameter that is used only in a condition is not included.
    """

    reads: ReadNames
    givens: frozenset[str]

    def reveals(self, fact: HiddenName) -> bool:
        """Return whether the texts print a parameter, or may contain values of a column."""
        return fact.name in self.givens if fact.column is None else self.reads.includes(fact)


SHOWN: Kind[Show | DeclaredTool, ShownFacts] = Kind("facts that shows and tools reveal")


def shown_facts(task: Task) -> tuple[ShownFacts, ...]:
    """Return the facts that each tool, and each prompt text (show), reveals. Tasks with equal tools share a cache."""
    views: list[Show | DeclaredTool] = [*task.environment.shows.values(), *task.environment.tools.values()]
    memory = task.shared.of(SHOWN)
    for view in views:
        if view not in memory:
            reads = show_reads(view, task) if isinstance(view, Show) else tool_reads(view, task)
            memory[view] = ShownFacts(reads, frozenset(_printed_givens(view)))
    return tuple(memory[view] for view in views)


def _printed_givens(view: Show | DeclaredTool) -> Iterator[str]:
    parts = (view, *with_shapes(view.tree)) if isinstance(view, Show) else tool_parts(view)
    for node in walk(*(expr for part in parts for expr in _printed(part))):
        if isinstance(node, t.GivenRef):
            yield node.given.name


def _printed(part: TreePart) -> Iterator[t.Expr]:
    """Yield the expressions of a part of a result tree whose values are printed.

    They are leaves, placeholders in texts, and given parameters over whose items a list or map loops.
    """
    match part:
        case Leaf() | TextTree():
            yield from expressions(part)
        case Show(title=title):
            yield from (piece for piece in title if not isinstance(piece, str))
        case _:
            sources = (clause.source for each in each_of(part) for binder in each.binders for clause in binder)
            yield from (source for source in sources if isinstance(source, t.GivenRef))
