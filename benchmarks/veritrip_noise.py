"""Noise of VeriTrip's corpora, and accuracy of reading strategies.

For each level of noise, documents of both countries are generated, and contradicted facts are counted in two sets.
The first set has all facts that a document can contradict and that decide about cells of answers: tickets, hours,
closing days and visit lengths of attractions, prices and breakfasts of rooms, and times and fares of trains and
flights. The second set has the facts that the plans of the shipped queries need, according to their certificates.
Then each strategy determines the value of each contradicted fact from all statements about it. The strategies believe

- the rule that agents are given in their briefs;
- the newest document;
- the majority of documents;
- the majority of documents that look official;
- the majority of documents with the best basis (such as `operator`), ignoring days in force and reprints.

Run it as `python -m benchmarks.veritrip_noise`. With `--tells` it prints how well false documents can be recognised by
their form (`noise_tells`).
"""

from __future__ import annotations

import argparse
import json

from benchmarks.noise_tells import DisputedFacts, surface_features, word_features
from planspec.families.veritrip.corpus.needed import needed_facts
from planspec.families.veritrip.corpus.trust import READERS, NoiseMeasure, facts_without_truth, measure_noise
from planspec.families.veritrip.fact_bases import country_bases
from planspec.families.veritrip.generating import SuiteSize, write_corpora
from tests.paths import ROOT

SHIPPED = ROOT / "tasks" / "veritrip"


def facts_needed_by_plans() -> set[tuple[str, str, str]]:
    """Return the facts that the plans of the shipped queries need, as (subject, city, field)."""
    facts: set[tuple[str, str, str]] = set()
    for line in (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines():
        query = json.loads(line)
        certificate = json.loads((SHIPPED / "tasks" / "certificates" / f"{query['id']}.json").read_text("utf-8"))
        facts |= set(needed_facts(certificate["witness"], query["start_city"], query["target_city"]))
    return facts


def print_row(name: str, measured: NoiseMeasure) -> None:
    """Print a row of the table."""
    rates = "  ".join(f"{float(measured.rate(reader) or 0):11.2f}" for reader in READERS)
    outnumbered = measured.outnumbered / measured.contradicted if measured.contradicted else 0
    print(f"{name:30} {measured.facts:6} {float(measured.share):7.2f} {outnumbered:7.2f}  {rates}")


def print_classifiers(size: int, seed: int) -> None:
    """Print the share of false documents by form, and the quality of classifiers that see only the form."""
    disputed, training = (
        DisputedFacts.of(write_corpora(country_bases(each, size), SuiteSize(seed=each, documents=size)))
        for each in (seed, seed + 1)
    )
    for name, parts in disputed.count_false_documents().items():
        print(f"{name:34} {'documents':>9} {'false':>6}")
        for value, (n, bad) in parts.items():
            print(f"  {value:32} {n:9} {bad / n:6.2f}")
    print(f"{'a classifier of':34} {'false':>9} {'right':>6} {'area':>6} {'facts':>6} {'drawn':>6}")
    for features_of in (surface_features, word_features):
        quality = disputed.quality(classifier := training.train_classifier(features_of))
        print(
            f"  {features_of.__name__:32} {quality.false:9.2f} {quality.accuracy:6.2f} {quality.area:6.2f} {quality.found_truths:6.2f} {quality.chance:6.2f}"
        )
        heaviest = sorted(classifier.weights.items(), key=lambda pair: -abs(pair[1]))[:20]
        print("   ", ", ".join(f"{name} {weight:+.2f}" for name, weight in heaviest))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.25, 0.5, 0.75, 1.0])
    parser.add_argument("--tells", action="store_true")
    options = parser.parse_args()
    if options.tells:
        print_classifiers(options.size, options.seed)
        return
    sized, needed_by_plans = country_bases(options.seed, options.size), facts_needed_by_plans()
    bases = {country: one.base for country, one in sized.items()}
    print(
        f"{'noise, facts':30} {'facts':>6} {'contra.':>7} {'outnum.':>7}  "
        + "  ".join(f"{name:>11}" for name in READERS)
    )
    for level in options.noise:
        corpora_by_country = write_corpora(sized, SuiteSize(seed=options.seed, documents=options.size, noise=level))
        for name, among in (("all", None), ("needed by plans", needed_by_plans)):
            both = [measure_noise(base, corpora_by_country[country], among) for country, base in bases.items()]
            print_row(f"{level:.2f}, {name}", both[0] + both[1])
        assert not any(facts_without_truth(base, corpora_by_country[country]) for country, base in bases.items())


if __name__ == "__main__":
    main()
