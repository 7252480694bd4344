"""JSON models of what `planspec generate worldtravel` and `generate webscape` print and record."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class GenerateOutput(BaseModel):
    """Summary of a generated WorldTravel suite."""

    model_config = ConfigDict(extra="forbid")
    family: Literal["worldtravel"] = Field(description="the family of the suite")
    suite: str = Field(description="the suite's id")
    folder: str = Field(description="where it lies")
    tasks: list[str] = Field(description="ids of the tasks, in order")
    proved: dict[str, int] = Field(description="how many tasks each back end has proved to have one solution")
    unproved: dict[str, dict[str, str]] = Field(
        description="what each back end says of the tasks that one of them has not proved to have one solution"
    )
    written_requests: int = Field(0, description="how many tasks have a request of the city's requests.yaml")
    unused_requests: list[str] = Field([], description="ids of the requests there that were written for other tasks")


class GeneratePagesOutput(BaseModel):
    """Summary of the generated pages of a city."""

    model_config = ConfigDict(extra="forbid")
    family: Literal["worldtravel"] = Field(description="the family of the suite")
    city: str = Field(description="the city's id")
    folder: str = Field(description="where the pages lie")
    pages: int = Field(description="how many there are")
    kinds: dict[str, int] = Field(description="pages of each kind")
    facts: int = Field(description="facts that the pages tell, each as often as it is told")
    cues: dict[str, int] = Field(description="of these, how many are seen in which way")
    pictures: int | None = Field(None, description="how many were taken of pages; null where nobody asked for them")
    exported: bool = Field(description="whether a front page, a search and a cart are there, too")


class PageFact(BaseModel):
    """A line of `facts.jsonl`: a fact on a page, with its position."""

    model_config = ConfigDict(extra="forbid")
    page: str = Field(description="the page's file")
    kind: str = Field(description="of the page")
    fact: str = Field(description="what the cell says that is told")
    table: str = Field(description="of the world: its CSV file without the ending")
    row: int = Field(description="the row's line in that file, its last one if it has several; the header is 1")
    column: str = Field(description="of the cell")
    cue: str = Field(description="how a reader sees it")
    form: str | None = Field(None, description="how the site writes it: text, clock, day, money, length, count, word")
    state: str | None = Field(
        None, description="what a class says where no text does: gone, few, free, or the cell's word"
    )
    member: int | None = Field(None, description="of a cell that is a set, which member is told")
    element: int = Field(description="the element's place among all of the page, in the order of the document, from 0")


class PageLook(BaseModel):
    """A line of `pages.jsonl`: a page with its site and layout."""

    model_config = ConfigDict(extra="forbid")
    page: str = Field(description="its file")
    kind: str = Field(description="of the page")
    site: str = Field(description="on which it stands")
    layout: str = Field(description="of the kind")
    title: str = Field(description="of the page")
