"""How noisy VeriTrip's corpora are, and which ways to read them find the truth.

For each level of noise, documents of both countries are written, and facts are counted which a document contradicts: of all on which cells of answers
rest and which a document can contradict (tickets, hours, closing days and lengths of visits of attractions; prices and breakfasts of rooms; times and
fares of trains and flights), and of those that the plans of the shipped queries need, as their certificates have them. Then each way to read is asked
for the value of each contradicted fact, given all that documents state of it: by the rule of the briefs; by the newest document; by the most documents;
by the most that look official; by the most of the best basis, without days in force and without reprints.
Run it as `python -m benchmarks.veritrip_noise`. With `--tells` it prints what a page's language, voice, length and layout give away (`noise_tells`).
"""

from __future__ import annotations

import argparse
import json

from benchmarks.noise_tells import Disputed, surface, wording
from planspec.families.veritrip.corpus.needed import needed_facts
from planspec.families.veritrip.corpus.trust import READERS, NoiseMeasure, measure, undecided
from planspec.families.veritrip.fact_bases import sized_bases
from planspec.families.veritrip.generating import SuiteSize, corpora
from tests.paths import ROOT

SHIPPED = ROOT / "tasks" / "veritrip"


def needed() -> set[tuple[str, str, str]]:
    """The facts that the plans of the shipped queries need."""
    found: set[tuple[str, str, str]] = set()
    for line in (SHIPPED / "queries.jsonl").read_text("utf-8").splitlines():
        query = json.loads(line)
        kept = json.loads((SHIPPED / "tasks" / "certificates" / f"{query['id']}.json").read_text("utf-8"))
        found |= set(needed_facts(kept["witness"], query["start_city"], query["target_city"]))
    return found


def row(name: str, measured: NoiseMeasure) -> None:
    """Print one measure."""
    rates = "  ".join(f"{float(measured.rate(reader) or 0):11.2f}" for reader in READERS)
    outnumbered = measured.outnumbered / measured.contradicted if measured.contradicted else 0
    print(f"{name:30} {measured.facts:6} {float(measured.share):7.2f} {outnumbered:7.2f}  {rates}")


def print_tells(size: int, seed: int) -> None:
    """Print how many documents are false by what one sees of them, and how far readers get who see nothing else."""
    known, learnt = (
        Disputed.of(corpora(sized_bases(each, size), SuiteSize(seed=each, documents=size)))
        for each in (seed, seed + 1)
    )
    for name, parts in known.shares().items():
        print(f"{name:34} {'documents':>9} {'false':>6}")
        for value, (n, bad) in parts.items():
            print(f"  {value:32} {n:9} {bad / n:6.2f}")
    print(f"{'a reader of':34} {'false':>9} {'right':>6} {'area':>6} {'facts':>6} {'drawn':>6}")
    for see in (surface, wording):
        told = known.tells(reader := learnt.taught(see))
        print(
            f"  {see.__name__:32} {told.false:9.2f} {told.right:6.2f} {told.area:6.2f} {told.found:6.2f} {told.chance:6.2f}"
        )
        heaviest = sorted(reader.weights.items(), key=lambda pair: -abs(pair[1]))[:20]
        print("   ", ", ".join(f"{name} {weight:+.2f}" for name, weight in heaviest))


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--size", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.25, 0.5, 0.75, 1.0])
    asked.add_argument("--tells", action="store_true")
    given = asked.parse_args()
    if given.tells:
        print_tells(given.size, given.seed)
        return
    sized, wanted = sized_bases(given.seed, given.size), needed()
    bases = {country: one.base for country, one in sized.items()}
    print(
        f"{'noise, facts':30} {'facts':>6} {'contra.':>7} {'outnum.':>7}  "
        + "  ".join(f"{name:>11}" for name in READERS)
    )
    for level in given.noise:
        made = corpora(sized, SuiteSize(seed=given.seed, documents=given.size, noise=level))
        for name, among in (("all", None), ("needed by plans", wanted)):
            both = [measure(base, made[country], among) for country, base in bases.items()]
            row(f"{level:.2f}, {name}", both[0] + both[1])
        assert not any(undecided(base, made[country]) for country, base in bases.items())


if __name__ == "__main__":
    main()
