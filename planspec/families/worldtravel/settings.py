"""WorldTravel's settings with pages: the tools of a declared setting, answered with pictures of a city's pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path

from planspec.agents.tools import Toolset
from planspec.api.judging import Judge
from planspec.environments.declared import declared_settings, open_declared
from planspec.environments.opened import AgentTask, Setting, UnpreparedSetting
from planspec.environments.plain import text
from planspec.families.suite_writing.options import UnfitSuite
from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.families.worldtravel.webscape.needed import Told, need_of
from planspec.families.worldtravel.webscape.page_tools import SHOWN, PageTool
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import Press
from planspec.families.worldtravel.webscape.snapshots import Snapshots
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.verifiers.environment.decisive_facts import Fact
from planspec.verifiers.environment.perception import ToolCall

EYES = """\
# What the tools show

The tools answer with pictures of pages from several sites. Nothing is told in any other way, so look closely: what is sold out, few,
closed or in another language may be told by grey, by a colour that a legend explains, by a badge, by what is struck through, or
by where it stands; a guide hides figures among opinions; a plan shows parts and routes. Sites write days, times and amounts in
their own ways. Below, names in backquotes mean what the pages say in words of their own. Where pages disagree, believe what is sold (the
page on which one books) before the guide, and the guide before what is said of opening hours elsewhere."""
"""What agents are told of pages; the order of trust is that of the paper's system prompt."""


def open_pages(name: str, judges: tuple[Judge, ...], folder: Path | None, *, setting: str, of: str) -> AgentTask:  # fmt: skip
    """A task whose tools show pages.

    Args:
        name: by which it was loaded.
        judges: of its turns.
        folder: of the suite.
        setting: the setting's name.
        of: the declared setting of which it has the tools, the calls and the brief.

    Raises:
        UnpreparedSetting: the task has no such tools, its world is none of which there are pages, or no browser is there to look at
            them; the text says which.
    """
    task = judges[-1].task
    called = f"`{task.id.partition('@')[0]}`"
    if of not in declared_settings(task):
        raise UnpreparedSetting(f"{called} declares no setting `{of}` whose tools could show pages")
    shown = open_declared(name, judges, folder, of)
    if len(judges) > 1 or {tool.name for tool in shown.tools} != SHOWN:
        raise UnpreparedSetting(f"{called} has not the eight tools whose answers stand on pages")
    try:
        press = _press(Path(task.span.source.name).absolute().parent / "world")
        require_browser()
    except (UnfitSuite, ModuleNotFoundError) as error:
        raise UnpreparedSetting(f"the setting `{setting}`: {error}") from None
    snapshots = Snapshots()
    tools = {tool.name: PageTool(tool, press, snapshots) for tool in shown.tools}
    assert shown.declared is not None, "it was opened under a declared setting"

    def told(call: ToolCall) -> Callable[[Fact], str | None]:
        return _cues(press.tables, [_told(press, spec) for spec in tools[call.tool].pages(call.arguments)])

    return replace(
        shown, setting=setting, brief=f"{EYES}\n\n{shown.brief}", turns=(), declared=None, tools=Toolset(tools.values()),
        pictured=(shown.declared, told),
    )  # fmt: skip


def _cues(tables: Tables, pages: Sequence[Told]) -> Callable[[Fact], str | None]:
    """What pages tell of a fact: the cue on the first that does."""

    def cue(fact: Fact) -> str | None:
        need = need_of(tables, fact)
        return next((page.cues[need] for page in pages if need in page.cues), None) if need else None

    return cue


@lru_cache(maxsize=2_048)
def _told(press: Press, spec: PageSpec) -> Told:
    return Told.by(press.page(spec))


@cache
def _press(world: Path) -> Press:
    tables = Tables(world)
    return Press(tables, tables.city["id"], tables.city["name"])


SETTINGS: Mapping[str, Setting] = {
    "text": text,
    "pages": partial(open_pages, setting="pages", of="text"),
    "pages-feasibility": partial(open_pages, setting="pages-feasibility", of="feasibility"),
}
"""Beside those that a task declares; `text` stands for those that declare none."""
