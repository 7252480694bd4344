"""Output of `planspec generate veritrip`."""

from __future__ import annotations

from pydantic import Field

from planspec.api.outputs.base import Output
from planspec.families.veritrip.corpus.trust import READERS, NoiseMeasure


class NoiseOutput(Output):
    """Number of contradicted facts in a corpus, and each reader's share of them with the true value."""

    facts: int = Field(
        description="number of facts on which cells of answers depend and which documents can contradict"
    )
    contradicted: int
    outnumbered: int = Field(description="number of contradicted facts that more documents state falsely than truly")
    readers: dict[str, float | None] = Field(
        description="share of the contradicted facts whose true value a reader finds, by the name of its rule: the brief's rule, the newest document, the majority, "
        "official-looking sources, or the best basis regardless of dates"
    )

    @classmethod
    def of(cls, measure: NoiseMeasure) -> NoiseOutput:
        """Convert a measure to its output."""
        rates = {name: measure.rate(name) for name in READERS}
        return cls(
            facts=measure.facts,
            contradicted=measure.contradicted,
            outnumbered=measure.outnumbered,
            readers={name: None if rate is None else float(rate) for name, rate in rates.items()},
        )


class GenerateOutput(Output):
    """The result of a generator; `near_misses` are tasks without a plan."""

    family: str
    suite: str
    folder: str
    documents: int
    images: int
    tasks: list[str]
    near_misses: list[str]
    noise: NoiseOutput | None = Field(description="null if the documents already existed")
