"""Write seeded records of reasoning-gym's puzzle generators as JSON lines.

Usage: PYTHONHASHSEED=0 python generate.py OUT [COUNT [SEED]]

Each generator has a file NAME.jsonl with the keys `id`, `question`, `answer` and `metadata`. The clues of zebra puzzles stand in the
question alone, and are added to the metadata, with the houses of the generator's solution.
"""

import json
import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import reasoning_gym
from reasoning_gym.logic.contrib.logic_puzzle import literals
from reasoning_gym.logic.contrib.logic_puzzle.generate import generate_puzzle

Record = dict[str, Any]
GENERATORS: dict[str, Record] = {
    "survo": {},
    "survo_7": {"min_board_size": 4, "max_board_size": 4, "min_empty": 7, "max_empty": 7},
    "mini_sudoku": {},
    "sudoku": {},
    "futoshiki": {},
    "knights_knaves": {},
    "zebra_puzzles": {},
    "path_star": {},
    "course_schedule": {},
    "isomorphic_strings": {},
    "n_queens": {},
    "kakurasu": {},
    "cryptarithm": {},
    "graph_color": {},
}
"""The generators with their options; `_7` is no part of a name."""
HOUSES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
FORMS = {
    "Found": (" is in the ", " house."),
    "LeftOf": (" is directly left of ", "."),
    "Beside": (" and ", " are next to each other."),
    "Same": (" is ", "."),
}
"""The middle and the end of each form of a clue."""


def dataset(name: str, count: int, seed: int) -> Any:
    """Return the package's data set of a generator."""
    return reasoning_gym.create_dataset(name.removesuffix("_7"), size=count, seed=seed, **GENERATORS[name])


def zebra(question: str, seed: int) -> Record:
    """Return the kinds of traits, the clues, the house and the solution of a zebra puzzle."""
    head, clues = question.split("\n\n")[:2]
    kinds, phrases = {}, {}
    for line in head.splitlines():
        words, _, names = line.removeprefix(" - ").partition(": ")
        for kind in literals.Literal.__subclasses__():
            if line.startswith(" - ") and kind.description().partition(":")[0] == words:
                traits = {member.name.replace("_", " "): f"{kind.__name__}.{member.name}" for member in kind}
                kinds[kind.__name__] = [traits[name] for name in names.split(", ")]
                phrases |= {member.value.casefold(): f"{kind.__name__}.{member.name}" for member in kind}
    sentences = re.findall(r"^\d+\. (.+)$", clues, re.MULTILINE)
    solution = generate_puzzle(Random(seed), 4, 4)[0]["solution"]
    header = solution["table_header"][1:]
    houses = {
        f"{kind}.{name.replace(' ', '_')}": number
        for number, *names in solution["table_rows"]
        for kind, name in zip(header, names, strict=True)
    }
    return {
        "kinds": kinds,
        "clues": [clue(text.casefold(), phrases) for text in sentences],
        "house": int(re.findall(r"lives in House (\d+)", question)[0]),
        "solution": houses,
    }


def clue(sentence: str, phrases: dict[str, str]) -> list[Any]:
    """Return the form of a clue with its two traits, or with its trait and the number of a house."""
    for form, (middle, end) in FORMS.items():
        for found in re.finditer(middle, sentence.removesuffix(end)):
            one, other = sentence[: found.start()], sentence.removesuffix(end)[found.end() :]
            if one in phrases and other in (HOUSES if form == "Found" else phrases):
                return [form, phrases[one], HOUSES.index(other) + 1 if form == "Found" else phrases[other]]
    raise ValueError(f"a clue of no form: {sentence}")


def main(out: Path, count: int = 200, seed: int = 42) -> None:
    """Write the records of every generator."""
    out.mkdir(parents=True, exist_ok=True)
    for name in GENERATORS:
        with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for index, entry in enumerate(dataset(name, count, seed)):
                metadata = entry["metadata"]
                if name == "zebra_puzzles":
                    metadata |= zebra(entry["question"], seed + index)
                file.write(json.dumps({"id": f"{name}-{index}", **entry, "metadata": metadata}) + "\n")
        print(f"{name}: {count} records")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
