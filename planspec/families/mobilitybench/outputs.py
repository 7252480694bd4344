"""Output of `planspec generate mobilitybench`."""

from __future__ import annotations

from planspec.api.outputs.base import Output


class GenerateEpisodesOutput(Output):
    """Result of a generator of episodes.

    `wishes`: episodes with wishes about a way; `biting`: those whose best way without the wishes differs from
    the best with them; `dropped`: discarded draws by reason.
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
