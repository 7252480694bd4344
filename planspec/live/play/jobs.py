"""Request for a draft, sent by the page of `planspec play` to the process that writes the draft."""

from __future__ import annotations

from pydantic import Field

from planspec.report.record import PageModel
from planspec.runs.record import ModelPrice


class DraftSettings(PageModel):
    """Options of `planspec play` for drafts.

    Attributes:
        model: spec of the agent that writes drafts.
        calls: maximum number of calls for one draft.
        usd: maximum cost of one draft in USD; None for no limit.
        prices: prices of models, by name.
        seconds: time limit of each search.
    """

    model: str
    calls: int = 60
    usd: float | None = None
    prices: dict[str, ModelPrice] = Field(default_factory=dict)
    seconds: float = 10.0


class DraftJob(PageModel):
    """A request for a draft.

    Attributes:
        query: the user's request in natural language.
        out: file of the draft.
        library: id or path of a library, or None.
        world: id or path of a world, or None.
        like: path of a task from which the draft takes tables, scope and libraries, or None.
        drafts: number of independent drafts.
        settings: options of the command.
    """

    query: str
    out: str
    library: str | None = None
    world: str | None = None
    like: str | None = None
    drafts: int = 2
    settings: DraftSettings
