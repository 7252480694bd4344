"""A task's eight tools, changed to answer with pictures of a city's pages instead of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from planspec.agents.pictures import Image, PicturedResult
from planspec.agents.tools import JsonResult, RefusedCallError, Tool, is_error
from planspec.families.worldtravel.webscape.picture_source import PictureSource
from planspec.families.worldtravel.webscape.plan_of_site import GUIDES, Kind, PageSpec, modes
from planspec.families.worldtravel.webscape.rendering import Page, PageRenderer
from planspec.families.worldtravel.webscape.strips import strips


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool that answers with pictures of pages.

    It has the name and arguments of a tool that answers with text (`source`). `source` validates the arguments, and its
    answer determines the pages. If `source` refuses a call, the refusal is returned unchanged.

    Attributes:
        source: tool that answers with text.
        renderer: renderer of the pages.
        picture_source: source of the pictures.
    """

    source: Tool
    renderer: PageRenderer
    picture_source: PictureSource

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.source.name

    @property
    def description(self) -> str:
        """The description of `source`, with a note on pictures."""
        return f"{self.source.description} Answers with pictures of the pages that say so."

    @property
    def parameters(self) -> JsonResult:
        """The JSON schema of the arguments."""
        return self.source.parameters

    def run(self, arguments: object) -> JsonResult:
        """Return pictures of the pages that answer a call, or a refusal."""
        try:
            shown = [self.renderer.page(spec) for spec in self._require_pages(arguments)]
        except RefusedCallError as refused:
            return refused.result()
        pictures = self.picture_source.pictures([page.html for page in shown])
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
        """Return the pages that answer a call. The list is empty if the call is refused."""
        try:
            return self._require_pages(arguments)
        except RefusedCallError:
            return []

    def _require_pages(self, arguments: object) -> list[PageSpec]:
        """Return the pages that answer a call.

        Raises:
            RefusedCallError: the call is refused.
        """
        result = self.source.run(arguments)
        if is_error(result):
            raise RefusedCallError(result["error"]["code"], result["error"]["message"])
        assert isinstance(arguments, Mapping), "the tool with text takes nothing else"
        return pages_of(self.renderer, self.name, result, arguments)


def _picture_title(page: Page) -> str:
    return f"{page.title} | {page.site.name}"


def pages_of(renderer: PageRenderer, tool: str, result: JsonResult, arguments: Mapping[str, object]) -> list[PageSpec]:
    """Return the pages that show the facts in a text tool's answer.

    Args:
        renderer: renderer of the pages.
        tool: name of the tool.
        result: answer of the text tool.
        arguments: arguments of the call.

    Raises:
        RefusedCallError: the city has no page for the requested day.
    """
    return list(_PAGE_CHOOSERS[tool](renderer, result, arguments))


_PageChooser = Callable[[PageRenderer, JsonResult, Mapping[str, object]], Iterator[PageSpec]]


def _overview_chooser(kind: Kind) -> _PageChooser:
    def choose_pages(renderer: PageRenderer, _: JsonResult, __: Mapping[str, object]) -> Iterator[PageSpec]:
        yield from (spec for spec in renderer.specs if spec.kind == kind)

    return choose_pages


def _guide_pages(renderer: PageRenderer, result: JsonResult, _: Mapping[str, object]) -> Iterator[PageSpec]:
    place = _place_id(renderer, result["name"])
    guides = [PageSpec("guide", place, writer) for writer in GUIDES] + [PageSpec("floor_plan", place)]
    yield from (spec for spec in guides if spec in renderer.specs)


def _restaurant_pages(renderer: PageRenderer, result: JsonResult, _: Mapping[str, object]) -> Iterator[PageSpec]:
    place = _place_id(renderer, result["name"])
    yield PageSpec("menu", place)
    yield PageSpec("dining", place)


def _day_page_chooser(kind: Kind, place: str) -> _PageChooser:
    def choose_pages(renderer: PageRenderer, result: JsonResult, arguments: Mapping[str, object]) -> Iterator[PageSpec]:
        place_id, day = _place_id(renderer, result[place]), str(arguments["date"])
        specs = [
            s for s in renderer.specs if s.kind == kind and s.subject == place_id and not s.variant and day in s.days
        ]
        if not specs:
            days = sorted(day for s in renderer.specs if s.kind == kind and s.subject == place_id for day in s.days)
            raise RefusedCallError(
                "not-found", f"there is no page of {result[place]} for {day}; there are from {days[0]} to {days[-1]}"
            )
        yield from specs

    return choose_pages


def _way_pages(renderer: PageRenderer, _: JsonResult, __: Mapping[str, object]) -> Iterator[PageSpec]:
    yield from (PageSpec("ways", mode) for mode in modes(renderer.tables))


_PAGE_CHOOSERS: Mapping[str, _PageChooser] = {
    "get_attraction_list": _overview_chooser("attractions"),
    "get_guide_details": _guide_pages,
    "get_attraction_ticket_availability": _day_page_chooser("booking", "attraction"),
    "get_restaurant_list": _overview_chooser("restaurants"),
    "get_restaurant_guide_detail": _restaurant_pages,
    "get_restaurant_reservation_availability": _day_page_chooser("reservation", "restaurant"),
    "get_hotel_list": _overview_chooser("hotels"),
    "get_route_info": _way_pages,
}
TOOLS_WITH_PAGES = frozenset(_PAGE_CHOOSERS)
"""Names of the tools whose answers can be shown on pages."""


def _place_id(renderer: PageRenderer, name: str) -> str:
    row = renderer.tables.row_where("place", name=name)
    assert row is not None, "the tool with text names a place of the world"
    return row["id"]
