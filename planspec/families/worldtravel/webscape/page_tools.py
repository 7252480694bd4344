"""The eight tools of a task, which here answer with pictures of a city's pages instead of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from planspec.agents.pictures import Image, PicturedResult
from planspec.agents.tools import JsonResult, RefusedCallError, Tool, is_error
from planspec.families.worldtravel.webscape.plan_of_site import GUIDES, Kind, PageSpec, modes
from planspec.families.worldtravel.webscape.rendering import Page, Press
from planspec.families.worldtravel.webscape.snapshots import Snapshots
from planspec.families.worldtravel.webscape.strips import strips


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool that answers with pictures of pages.

    It has the name and arguments of a tool that answers with text. That tool also validates the arguments,
    and its refusals are passed on unchanged. Nothing else of its answer is shown.

    Attributes:
        source: tool that answers with text.
        press: press that makes the pages.
        snapshots: source of the pictures.
    """

    source: Tool
    press: Press
    snapshots: Snapshots

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.source.name

    @property
    def description(self) -> str:
        """The description of the tool that answers with text, with a note on pictures."""
        return f"{self.source.description} Answers with pictures of the pages that say so."

    @property
    def parameters(self) -> JsonResult:
        """The JSON schema of the arguments."""
        return self.source.parameters

    def run(self, arguments: object) -> JsonResult:
        """Return the pictures of the pages for a call, or a refusal."""
        try:
            shown = [self.press.page(spec) for spec in self._require_pages(arguments)]
        except RefusedCallError as refused:
            return refused.result()
        pictures = self.snapshots.pictures([page.html for page in shown])
        images = []
        for page, data in zip(shown, pictures, strict=True):
            parts = strips(data)
            for number, part in enumerate(parts, 1):
                title = (
                    _picture_title(page)
                    if len(parts) == 1
                    else f"{_picture_title(page)} (part {number} of {len(parts)})"
                )
                images.append(Image(title, part))
        return PicturedResult({}, images)

    def __call__(self, **arguments: object) -> JsonResult:
        """Run the tool with keyword arguments."""
        return self.run(arguments)

    def pages(self, arguments: object) -> list[PageSpec]:
        """Return the pages that a call shows. The list is empty if the call is refused."""
        try:
            return self._require_pages(arguments)
        except RefusedCallError:
            return []

    def _require_pages(self, arguments: object) -> list[PageSpec]:
        """Return the pages that a call shows.

        Raises:
            RefusedCallError: the call is refused.
        """
        result = self.source.run(arguments)
        if is_error(result):
            raise RefusedCallError(result["error"]["code"], result["error"]["message"])
        assert isinstance(arguments, Mapping), "the tool with text takes nothing else"
        return pages_of(self.press, self.name, result, arguments)


def _picture_title(page: Page) -> str:
    return f"{page.title} | {page.site.name}"


def pages_of(press: Press, tool: str, result: JsonResult, arguments: Mapping[str, object]) -> list[PageSpec]:
    """Return the pages that show what a tool answers with text.

    Args:
        press: press that makes the pages.
        tool: name of the tool.
        result: the tool's answer with text.
        arguments: arguments of the call.

    Raises:
        RefusedCallError: the city has no page for the requested day.
    """
    return list(_PAGES_OF_TOOL[tool](press, result, arguments))


_PageChooser = Callable[[Press, JsonResult, Mapping[str, object]], Iterator[PageSpec]]


def _overview_chooser(kind: Kind) -> _PageChooser:
    def choose_pages(press: Press, _: JsonResult, __: Mapping[str, object]) -> Iterator[PageSpec]:
        yield from (spec for spec in press.specs if spec.kind == kind)

    return choose_pages


def _guide_pages(press: Press, result: JsonResult, _: Mapping[str, object]) -> Iterator[PageSpec]:
    place = _place_id(press, result["name"])
    guides = [PageSpec("guide", place, writer) for writer in GUIDES] + [PageSpec("floor_plan", place)]
    yield from (spec for spec in guides if spec in press.specs)


def _restaurant_pages(press: Press, result: JsonResult, _: Mapping[str, object]) -> Iterator[PageSpec]:
    place = _place_id(press, result["name"])
    yield PageSpec("menu", place)
    yield PageSpec("dining", place)


def _day_page_chooser(kind: Kind, place: str) -> _PageChooser:
    def choose_pages(press: Press, result: JsonResult, arguments: Mapping[str, object]) -> Iterator[PageSpec]:
        place_id, day = _place_id(press, result[place]), str(arguments["date"])
        specs = [
            s
            for s in press.specs
            if s.kind == kind and s.subject == place_id and not s.variant and day in s.days
        ]
        if not specs:
            days = sorted(
                day for s in press.specs if s.kind == kind and s.subject == place_id for day in s.days
            )
            raise RefusedCallError(
                "not-found", f"there is no page of {result[place]} for {day}; there are from {days[0]} to {days[-1]}"
            )  # fmt: skip
        yield from specs

    return choose_pages


def _way_pages(press: Press, _: JsonResult, __: Mapping[str, object]) -> Iterator[PageSpec]:
    yield from (PageSpec("ways", mode) for mode in modes(press.tables))


_PAGES_OF_TOOL: Mapping[str, _PageChooser] = {
    "get_attraction_list": _overview_chooser("attractions"), "get_guide_details": _guide_pages,
    "get_attraction_ticket_availability": _day_page_chooser("booking", "attraction"), "get_restaurant_list": _overview_chooser("restaurants"),
    "get_restaurant_guide_detail": _restaurant_pages, "get_restaurant_reservation_availability": _day_page_chooser("reservation", "restaurant"),
    "get_hotel_list": _overview_chooser("hotels"), "get_route_info": _way_pages,
}  # fmt: skip
TOOLS_WITH_PAGES = frozenset(_PAGES_OF_TOOL)
"""Names of the tools whose answers can be shown on pages."""


def _place_id(press: Press, name: str) -> str:
    row = press.tables.row_where("place", name=name)
    assert row is not None, "the tool with text names a place of the world"
    return row["id"]
