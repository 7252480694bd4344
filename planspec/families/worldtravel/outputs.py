"""JSON models of what `planspec generate worldtravel` and `generate webscape` print and record."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class GenerateOutput(BaseModel):
    """Summary of a generated WorldTravel suite."""

    model_config = ConfigDict(extra="forbid")
    family: Literal["worldtravel"] = Field(description="the family of the suite")
    suite: str = Field(description="the suite's id")
    folder: str = Field(description="path of the suite's folder")
    tasks: list[str] = Field(description="ids of the tasks, in order")
    proved: dict[str, int] = Field(description="number of tasks that each back end has proved to have one solution")
    unproved: dict[str, dict[str, str]] = Field(
        description="result of each back end for the tasks that at least one of them has not proved to have one solution"
    )
    written_requests: int = Field(0, description="number of tasks with a request from the city's requests.yaml")
    unused_requests: list[str] = Field(
        [], description="ids of the requests in requests.yaml that fit none of the tasks"
    )


class GeneratePagesOutput(BaseModel):
    """Summary of the generated pages of a city."""

    model_config = ConfigDict(extra="forbid")
    family: Literal["worldtravel"] = Field(description="the family of the suite")
    city: str = Field(description="the city's id")
    folder: str = Field(description="path of the folder with the pages")
    pages: int = Field(description="number of pages")
    kinds: dict[str, int] = Field(description="number of pages of each kind")
    facts: int = Field(description="number of facts on the pages; a fact on several pages counts several times")
    cues: dict[str, int] = Field(description="number of these facts by cue: the way in which the page shows them")
    pictures: int | None = Field(None, description="number of pictures taken of pages; null if none were requested")
    exported: bool = Field(description="whether a front page, a search and a cart are included")


class PageFact(BaseModel):
    """A line of `facts.jsonl`: a fact on a page, with its position."""

    model_config = ConfigDict(extra="forbid")
    page: str = Field(description="the page's file")
    kind: str = Field(description="kind of the page")
    fact: str = Field(description="text of the cell")
    table: str = Field(description="table of the world: name of the CSV file without its ending")
    row: int = Field(
        description="line of the row in the CSV file (the last one if the row has several); the header is line 1"
    )
    column: str = Field(description="column of the cell")
    cue: str = Field(description="way in which the page shows the fact, such as text or colour")
    form: str | None = Field(
        None, description="form of the text that shows the fact: text, clock, day, money, length, count, word"
    )
    state: str | None = Field(
        None,
        description="state shown by a CSS class if no text shows the fact: gone, few, free, or the text of the cell",
    )
    member: int | None = Field(None, description="index of the shown member if the cell is a set")
    element: int = Field(description="index of the element among all elements of the page, in document order, from 0")


class PageLook(BaseModel):
    """A line of `pages.jsonl`: a page with its site and layout."""

    model_config = ConfigDict(extra="forbid")
    page: str = Field(description="the page's file")
    kind: str = Field(description="kind of the page")
    site: str = Field(description="site to which the page belongs")
    layout: str = Field(description="layout, one of those for the page's kind")
    title: str = Field(description="title of the page")
