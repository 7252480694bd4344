"""Output of `planspec generate veritrip`."""

from __future__ import annotations

from pydantic import Field

from planspec.api.outputs.base import Output
from planspec.families.veritrip.corpus.trust import READERS, NoiseMeasure


class NoiseOutput(Output):
    """Number of contradicted facts in a corpus, and the share of them for which each reader finds the true value."""

    facts: int = Field(description="on which cells of answers rest, and which documents can contradict")
    contradicted: int
    outnumbered: int = Field(description="of the contradicted, those that more documents state falsely than truly")
    readers: dict[str, float | None] = Field(
        description="the share of the contradicted facts that a reader finds: by the rule, by the newest document, by the most, by official looks, and "
        "by the best basis without days"
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
    noise: NoiseOutput | None = Field(description="null where the documents were there already")
