"""What `planspec generate mobilitybench` prints."""

from __future__ import annotations

from planspec.api.outputs.base import Output


class GenerateEpisodesOutput(Output):
    """The result of a generator of episodes.

    `wishes`: episodes that wish something of a way; `biting`: those of them whose best way without the wishes is not the
    best with them; `dropped`: draws that were given up, by reason.
    """

    family: str
    suite: str
    folder: str
    cities: int
    countries: int
    days: int
    episodes: int
    scenarios: dict[str, int]
    languages: dict[str, int]
    wishes: int
    biting: int
    dropped: dict[str, int]
