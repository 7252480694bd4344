"""Agreement of facts extracted by parsers with the facts stated in a VeriTrip suite's documents.

It repeats the evaluation of the paper's Section 3.3. There, two further models extracted the fields of 1,000 documents,
which were compared with the fact base: exact match for numbers, cosine similarity for texts. Here, each file has the
facts extracted by one parser, in the form of `corpus/hidden.jsonl`: a line for each fact with `document`, `subject`,
`city`, `field` and `value`. Similarity is the cosine similarity of counts of character trigrams, and 0 for a fact that
a parser did not find. Run it as
`python -m benchmarks.veritrip --parsers FOLDER --extracted FILE...`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from planspec.families.veritrip.corpus.records import HIDDEN

DOCUMENTS = 1_000
"""Number of documents in the paper's sample."""
TEXTS = ("address", "origin", "to", "cuisine", "dishes")
"""Fields with free text. All others have numbers, times, dates or fixed words, which must be equal."""
KEY = ("document", "city", "subject", "field")
FactKey: TypeAlias = tuple[int, str, str, str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a parser with the stated facts.

    Attributes:
        facts: number of facts in the sample.
        found: share of the facts for which the parser has a value.
        exact: share of the numerical facts with the same value, or None without numerical facts.
        similarity: mean cosine similarity of the textual facts, from 0 to 1, or None without textual facts.
    """

    facts: int
    found: float
    exact: float | None
    similarity: float | None


def print_agreement(folder: Path, extracted: Sequence[Path], documents: int = DOCUMENTS) -> None:
    """Print the agreement of the facts that each parser extracted with those of the corpus.

    Args:
        folder: folder of a suite with a corpus.
        extracted: a file for each parser.
        documents: size of the sample.

    Raises:
        SystemExit: a file cannot be read, or a line has no fact.
    """
    declared = sampled_facts(read_facts(folder / "corpus" / HIDDEN), documents)
    print("parser                facts   found  numbers EM  texts CS")
    for path in extracted:
        result = agreement(declared, read_facts(path))
        shares = (result.found, result.exact, result.similarity)
        cells = ["-" if share is None else f"{share:.1%}" for share in shares]
        print(f"{path.name:20} {result.facts:6,} {cells[0]:>7} {cells[1]:>11} {cells[2]:>9}")


def read_facts(path: Path) -> dict[FactKey, str]:
    """Return the values in a file by document, city, subject and field. Lines that only declare a document are skipped.

    Raises:
        SystemExit: the file cannot be read, or a line has no fact.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SystemExit(f"{path}: {error}") from error
    facts: dict[FactKey, str] = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line) if line.strip() else {"kind": ""}
            if "kind" not in row:
                document, *names = (row[name] for name in KEY)
                facts[int(document), *map(str, names)] = str(row["value"])  # type: ignore[index]
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"{path}:{number}: this is no fact ({error})") from error
    return facts


def sampled_facts(facts: Mapping[FactKey, str], documents: int, seed: int = 0) -> dict[FactKey, str]:
    """Return the facts of `documents` randomly drawn documents, or of all documents if there are fewer."""
    numbers = sorted({key[0] for key in facts})
    chosen = set(Random(seed).sample(numbers, min(documents, len(numbers))))
    return {key: value for key, value in facts.items() if key[0] in chosen}


def agreement(declared: Mapping[FactKey, str], extracted: Mapping[FactKey, str]) -> Agreement:
    """Return the agreement of extracted facts with the declared ones.

    Extracted facts that are not declared are ignored.
    """
    exact = [float(extracted.get(key) == value) for key, value in declared.items() if key[3] not in TEXTS]
    texts = [cosine(value, extracted.get(key, "")) for key, value in declared.items() if key[3] in TEXTS]
    found = sum(key in extracted for key in declared) / max(1, len(declared))
    return Agreement(len(declared), found, _mean(exact), _mean(texts))


def cosine(a: str, b: str) -> float:
    """Return the cosine similarity, from 0 to 1, of two texts' counts of character trigrams. Case is ignored."""
    first, second = _trigrams(a), _trigrams(b)
    product = sum(count * second[gram] for gram, count in first.items())
    length = math.sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
    return product / length if length else float(a == b)


def _trigrams(text: str) -> Counter[str]:
    padded = f"  {' '.join(text.casefold().split())}  " if text.strip() else ""
    return Counter(padded[n : n + 3] for n in range(len(padded) - 2))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
