"""What `planspec generate worldtravel --json` says."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class GenerateOutput(BaseModel):
    """A generated suite of WorldTravel."""

    model_config = ConfigDict(extra="forbid")
    family: Literal["worldtravel"] = Field(description="the family of the suite")
    suite: str = Field(description="the suite's id")
    folder: str = Field(description="where it lies")
    tasks: list[str] = Field(description="ids of the tasks, in order")
    proved: dict[str, int] = Field(description="how many tasks each back end has proved to have one solution")
    unproved: dict[str, dict[str, str]] = Field(
        description="what each back end says of the tasks that one of them has not proved to have one solution"
    )
