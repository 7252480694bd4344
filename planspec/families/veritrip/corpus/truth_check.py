"""Check that the true values can be found in a corpus. If it fails, no file is written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from planspec.errors import InternalError
from planspec.families.veritrip.corpus.records import Corpus
from planspec.families.veritrip.corpus.trust import READERS, NoiseMeasure, facts_without_truth, measure_noise
from planspec.families.veritrip.facts import FactBase


def require_truth(bases: Mapping[str, FactBase], corpora: Mapping[str, Corpus]) -> NoiseMeasure:
    """Check that the rule in `corpus/trust.py` finds the true value of every fact.

    Args:
        bases: fact base of each country.
        corpora: corpus of each country.

    Returns:
        Counts of contradicted facts in all corpora together.

    Raises:
        InternalError: The rule does not find the true value of a fact.
    """
    noise = NoiseMeasure(0, 0, 0, dict.fromkeys(READERS, 0))
    for country, base in bases.items():
        corpus = corpora[country]
        lost = facts_without_truth(base, corpus)
        if lost:
            subject, city, field = lost[0]
            digest = hashlib.sha256(
                "".join(document.text for document in corpus.documents).encode("utf-8", "surrogatepass")
            ).hexdigest()
            raise InternalError(
                f"the rule of the brief does not find the true values of {len(lost)} facts in the documents, such as `{field}` of {subject} in {city}; "
                "nothing was written",
                digest,
            )
        noise += measure_noise(base, corpus)
    return noise


def noise_lines(noise: NoiseMeasure) -> Iterator[str]:
    """Yield sentences that describe how many facts are contradicted."""
    if not noise.contradicted:
        yield "no fact is contradicted"
        return
    rates = [
        f"{name.replace('_', ' ')} {float(rate):.2f}" for name in READERS if (rate := noise.rate(name)) is not None
    ]
    yield (
        f"{noise.contradicted} of {noise.facts} facts are contradicted, {noise.outnumbered} by more documents than state the truth; "
        f"share with the true value found: {', '.join(rates)}"
    )
