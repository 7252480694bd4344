"""WorldTravel's settings with web pages. A setting determines what an agent is given.

Either tools answer with pictures of a city's pages, or agents browse the pages as a website.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from planspec.agents.tools import Toolset
from planspec.api.judging import Judge
from planspec.dsl.model.task import Task
from planspec.environments.agent_task import AgentTask, Setting, UnpreparedSettingError
from planspec.environments.declared import declared_settings, open_declared
from planspec.environments.plain import text
from planspec.extras import install_command
from planspec.families.worldtravel.site.app import BookableCity
from planspec.families.worldtravel.site.hosting import PAGE, serve_city
from planspec.families.worldtravel.webscape.camera import require_browser
from planspec.families.worldtravel.webscape.needed import PageFacts, needed_cell
from planspec.families.worldtravel.webscape.page_tools import TOOLS_WITH_PAGES, PageTool
from planspec.families.worldtravel.webscape.picture_source import PictureSource
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.reading import agent_reading, pages_by_call
from planspec.families.worldtravel.webscape.rendering import PageRenderer
from planspec.families.worldtravel.webscape.strips import require_pillow
from planspec.families.worldtravel.webscape.tables import Tables
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.environment.decisive_facts import WorldFact
from planspec.verifiers.environment.perception import ToolCall

LOOKING = """\
Nothing is told in any other way, so look closely: what is sold out, few,
closed or in another language may be told by grey, by a colour that a legend explains, by a badge, by what is struck through, or
by where it stands; a guide hides figures among opinions; a plan shows parts and routes. Sites write days, times and amounts in
their own ways. Below, names in backquotes mean what the pages say in words of their own. Where pages disagree, believe what is sold (the
page on which one books) before the guide, and the guide before what is said of opening hours elsewhere."""
"""Instructions for agents on how to read pages. The paper's system prompt orders sources in the same way."""
READING = """\
An answer may say what was read: `read`, beside `itinerary`, is a list of objects. Each has `of`, its sort of fact (`start`, `fare`, `extra`, `course`, `hours`, `length`, `hotel`, `way`, ...),
names its row in the words of the pages, and has what stands there, such as
{"of": "start", "place": "...", "date": "2026-07-01", "ticket": "...", "time": "14:30", "status": "available"} (or "sold out"), or
{"of": "way", "from": "...", "to": "...", "mode": "foot", "time": "11 min"}. It is not judged with the itinerary; it tells misreading from bad planning."""
"""Instructions for agents on how to report the facts that they read, as a part of the answer."""
EYES = f"""\
# What the tools show

The tools answer with pictures of pages from several sites, high pages in parts from above to below. {LOOKING}

{READING}"""
BOOKING = f"""\
# The site

The city is a site, for a browser of yours; `site` in what is given is its address. It has pages of sights, restaurants, hotels and ways, a page for each day on
which one books, and search. {LOOKING} Where the text below speaks of tools, the pages of the site are meant.

Below each page one books what stands on it: a visit or a table with its start, its minutes, its people and their fares or courses; a way with
its day and time; the hotel, with its nights and rooms. `/trip` shows what is booked, and removes it. Whoever comes to the site works at the same trip.

An answer is either JSON, as is said below, or what is booked: if the last thing that you say is no such JSON, the bookings are judged, with each day beginning and ending
at the booked hotel.

{READING}"""


def open_pages(name: str, judges: tuple[Judge, ...], folder: Path | None, *, setting: str, base: str) -> AgentTask:
    """Open a task whose tools answer with pictures of pages.

    Args:
        name: name by which the task was loaded.
        judges: judge of each turn.
        folder: folder of the suite; None for a task outside a suite.
        setting: name of the setting.
        base: name of the setting, declared in the task, that provides tools, call limits and brief.

    Raises:
        UnpreparedSettingError: the task lacks the tools, its city has no pages, or no browser or Pillow is installed.
            The message says which.
    """
    shown = _open_base_setting(name, judges, folder, base)
    try:
        renderer = _cached_renderer(_world_folder(judges[-1].task))
        require_browser()
        require_pillow()
    except (UnsuitableSuiteError, ModuleNotFoundError) as error:
        raise UnpreparedSettingError(f"the setting `{setting}`: {error}") from None
    picture_source = PictureSource()
    tools = {tool.name: PageTool(tool, renderer, picture_source) for tool in shown.tools}
    assert shown.declared is not None, "it was opened under a declared setting"

    def cue_lookup_of(call: ToolCall) -> Callable[[WorldFact], str | None]:
        return _cue_lookup(
            renderer.tables,
            [_facts_on_page(renderer, spec) for spec in tools[call.tool].pages(call.arguments)],
        )

    return replace(
        shown,
        setting=setting,
        brief=f"{EYES}\n\n{shown.brief}",
        turns=(),
        declared=None,
        tools=Toolset(tools.values()),
        pictured=(shown.declared, cue_lookup_of),
        reader=partial(
            agent_reading, judges[-1].task, renderer, pages_by_call({name: tool.pages for name, tool in tools.items()})
        ),
    )


def open_site(
    name: str,
    judges: tuple[Judge, ...],
    folder: Path | None,
    *,
    setting: str,
    base: str,
    visual_only: bool = False,
) -> AgentTask:
    """Open a task whose agents browse and book on a website.

    Args:
        name: name by which the task was loaded.
        judges: judge of each turn.
        folder: folder of the suite; None for a task outside a suite.
        setting: name of the setting.
        base: name of the setting, declared in the task, that provides the brief.
        visual_only: whether facts shown only by greys and colours are hidden from screen readers.

    Raises:
        UnpreparedSettingError: the task lacks the tools, its city has no pages, or the extra `site` is not installed.
            The message says which.
    """
    task = judges[-1].task
    shown = _open_base_setting(name, judges, folder, base)
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UnpreparedSettingError(f"the setting `{setting}`: a site needs an extra: {install_command('site')}")
    try:
        city = _cached_city(_world_folder(task), visual_only)
    except UnsuitableSuiteError as error:
        raise UnpreparedSettingError(f"the setting `{setting}`: {error}") from None
    assert shown.declared is not None, "it was opened under a declared setting"
    renderer = _cached_renderer(_world_folder(task))
    specs = {spec.path: spec for spec in renderer.specs}

    def pages_at(arguments: Mapping[str, Any]) -> list[PageSpec]:
        path = str(arguments.get("path"))
        return [specs[path]] if path in specs else []

    def cue_lookup_of(call: ToolCall) -> Callable[[WorldFact], str | None]:
        return _cue_lookup(renderer.tables, [_facts_on_page(renderer, spec) for spec in pages_at(call.arguments)])

    return replace(
        shown,
        setting=setting,
        brief=f"{BOOKING}\n\n{shown.brief}",
        turns=(),
        declared=None,
        tools=Toolset(()),
        calls=None,
        pictured=(shown.declared, cue_lookup_of),
        reader=partial(agent_reading, task, renderer, pages_by_call({PAGE: pages_at})),
        hosted=partial(serve_city, city, task),
    )


def _open_base_setting(name: str, judges: tuple[Judge, ...], folder: Path | None, base: str) -> AgentTask:
    """Open a task in a setting that it declares. All tools of the setting must have pages.

    Raises:
        UnpreparedSettingError: the task does not declare the setting, or its tools have no pages.
    """
    task = judges[-1].task
    task_name = f"`{task.id.partition('@')[0]}`"
    if base not in declared_settings(task):
        raise UnpreparedSettingError(f"{task_name} declares no setting `{base}` whose tools could show pages")
    shown = open_declared(name, judges, folder, base)
    if len(judges) > 1 or {tool.name for tool in shown.tools} != TOOLS_WITH_PAGES:
        raise UnpreparedSettingError(f"{task_name} lacks the eight tools whose answers pages can show")
    return shown


def _world_folder(task: Task) -> Path:
    return Path(task.span.source.name).absolute().parent / "world"


def _cue_lookup(tables: Tables, pages: Sequence[PageFacts]) -> Callable[[WorldFact], str | None]:
    """Return a function that looks up a fact's cue (way in which a page shows it, such as colour).

    The function returns the cue on the first page that shows the fact, or None if no page shows it.
    """

    def find_cue(fact: WorldFact) -> str | None:
        cell = needed_cell(tables, fact)
        return next((page.cues[cell] for page in pages if cell in page.cues), None) if cell else None

    return find_cue


@lru_cache(maxsize=2_048)
def _facts_on_page(renderer: PageRenderer, spec: PageSpec) -> PageFacts:
    return PageFacts.of_page(renderer.page(spec))


@cache
def _cached_renderer(world: Path) -> PageRenderer:
    tables = Tables(world)
    return PageRenderer(tables, tables.city["id"], tables.city["name"])


@cache
def _cached_city(world: Path, visual_only: bool) -> BookableCity:
    return BookableCity(world, visual_only=visual_only)


SETTINGS: Mapping[str, Setting] = {
    "text": text,
    "pages": partial(open_pages, setting="pages", base="text"),
    "pages-feasibility": partial(open_pages, setting="pages-feasibility", base="feasibility"),
    "site": partial(open_site, setting="site", base="text"),
    "site-feasibility": partial(open_site, setting="site-feasibility", base="feasibility"),
    "site-visual-only": partial(open_site, setting="site-visual-only", base="text", visual_only=True),
}
"""Settings by name, in addition to those that a task declares. `text` is for tasks that declare none."""
