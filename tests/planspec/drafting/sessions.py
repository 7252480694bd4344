"""Twenty requests in four domains with right documents, and recorded sessions of a model that makes mistakes.

`python -m tests.planspec.drafting.sessions` records the sessions again, which is needed after a change of the
prompts, the primer or a diagnostic that they show.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import planspec
from planspec.drafting.bases import Base, base_over_library
from planspec.drafting.calls import Budget, ModelCalls
from planspec.drafting.drafts import DraftRequest, run_draft
from planspec.drafting.extraction import mapping_of, section_texts
from planspec.drafting.output import DraftOutput
from planspec.dsl.documents.documents import task_from_text
from tests.planspec.drafting.faulty import FaultyModel, Spoiling

HERE = Path(__file__).parent
RECORD = HERE / "sessions.json"


@dataclass(frozen=True)
class Session:
    """A request with its right document and the mistake in the model's first draft.

    Attributes:
        name: name of the session.
        query: the request.
        right: the right document.
        spoil: the mistake, or None.
        library: the library that the task uses, if any.
        world: the world that the task uses, if any.
        like: the task whose tables it uses, if any.
    """

    name: str
    query: str
    right: str
    spoil: Spoiling | None = None
    library: str | None = None
    world: str | None = None
    like: str | None = None

    def run(self, model: FaultyModel | None, replies: dict[str, str]) -> tuple[DraftOutput, dict[str, str]]:
        """Draft the request in the current folder. Return the result, and all replies."""
        calls = ModelCalls(model, Budget(40), replies=dict(replies))
        request = DraftRequest(
            self.query, id=self.name, library=self.library, world=self.world, like=self.like, drafts=2
        )
        return run_draft(request, calls, limits=planspec.Limits(effort=30)), calls.replies

    def model(self) -> FaultyModel:
        """Return a model that makes the mistake in its first draft."""
        load = None if self.library is None and self.like is None else self.load
        return FaultyModel(self.query, self.right, self.spoil, load=load)

    def base(self) -> Base:
        """Return the parts of the document that the model does not write."""
        like = None if self.like is None else planspec.load(self.like)
        path = Path(f"{self.name}.task.yaml")
        return base_over_library(self.name, self.query, path, library=self.library, world=self.world, like=like)

    def load(self, document: str) -> planspec.Task:
        """Return the task of a document."""
        base = self.base()
        return task_from_text(base.text(dict(section_texts(mapping_of(document)))), "right", path=base.path)


def copy_documents(folder: Path) -> None:
    """Copy the libraries, worlds and tasks that sessions use into a folder."""
    for name in ("errands.library.yaml", "town.world.yaml", "talks.task.yaml"):
        (folder / name).write_text((HERE / name).read_text("utf-8"), "utf-8")


def errands() -> Iterator[Session]:
    """Yield sessions that use a library of errands. The model writes values of givens."""
    texts = (
        ("The bakery and the florist, half an hour each, home by 12:00, 25 euros at most.",
         "given:\n  shops: [bakery, florist]\n  until: 12:00\n  budget: 25 EUR\n",
         "tells:\n  shops: The bakery and the florist\n  until: home by 12:00\n  budget: 25 euros at most\n",
         Spoiling("a wrong value", "budget: 25 EUR", "budget: 20 EUR", ("budget",))),
        ("To the cobbler and the library, not before 11:00, 45 minutes each, the library first.",
         "given:\n  shops: [cobbler, library]\n  from: 11:00\n  stay: 45min\n  opener: library\n",
         "tells:\n  shops: the cobbler and the library\n  from: not before 11:00\n  stay: 45 minutes each\n  opener: the library first\n",
         Spoiling("a missing given", "  opener: library\n", "", ("opener", "begin"))),
        ("Florist, cobbler and library; I start at 10:00 and spend no more than 39 euros.",
         "given:\n  shops: [florist, cobbler, library]\n  from: 10:00\n  budget: 39 EUR\n",
         "tells:\n  shops: Florist, cobbler and library\n  from: I start at 10:00\n  budget: no more than 39 euros\n",
         Spoiling("a wrong value", "from: 10:00", "until: 10:00", ("until", "out", "PS202", "from"))),
        ("Only the bakery, for an hour, after 08:00 and before 11:30.",
         "given:\n  shops: [bakery]\n  stay: 1h\n  from: 08:00\n  until: 11:30\n",
         "tells:\n  shops: Only the bakery\n  stay: for an hour\n  from: after 08:00\n  until: before 11:30\n",
         Spoiling("a wrong unit", "stay: 1h", "stay: 1min", ("stay", "long-enough"))),
        ("The library, the florist and the bakery. First the bakery. One hour each, done by 14:00.",
         "given:\n  shops: [library, florist, bakery]\n  opener: bakery\n  stay: 1h\n  until: 14:00\n",
         "tells:\n  shops: The library, the florist and the bakery\n  opener: First the bakery\n  stay: One hour each\n  until: done by 14:00\n",
         Spoiling("a swapped name", "opener: bakery", "opener: florist", ("opener", "begin"))),
    )  # fmt: skip
    for number, (query, given, tells, spoil) in enumerate(texts, 1):
        yield Session(f"errands-{number}", query, given + tells, spoil, library="errands", world="town")


LONG = "  long:\n    hard: all(t.end - t.start == 1h for t in talks)\n"
APART = "  apart:\n    hard: no_overlap(t for t in talks, from=t.start, to=t.end, per=t.room)\n"


def talks() -> Iterator[Session]:
    """Yield sessions that use the tables of another task. The model writes rules."""
    texts = (
        ("Talks of one hour, from 09:00 to 12:00; a room has one talk at a time. Ada speaks before Ben.",
         "  before:\n    hard: talks[ada].end <= talks[ben].start\n",
         Spoiling("a swapped name", "talks[ada].end <= talks[ben].start", "talks[ben].end <= talks[ada].start", ("before",))),
        ("Each talk takes one hour, and no two in a room overlap. Cem needs the projector and speaks before 11:00.",
         "  cem:\n    hard: talks[cem].room.projector and talks[cem].start < 11:00\n",
         Spoiling("<= for <", "start < 11:00", "start <= 11:00", ("cem",))),
        ("One hour each, one at a time in a room. No more than two talks are in the hall.",
         "  hall:\n    hard: count(t for t in talks if t.room == hall) <= 2\n",
         Spoiling("a condition in count", "count(t for t in talks if t.room == hall)", "count(t.room == hall for t in talks)", ("count", "hall"))),
        ("Talks of one hour without overlap in a room. Ada expects 50 listeners. All is over by 11:00.",
         "  seats:\n    hard: talks[ada].room.seats >= 50\n  over:\n    hard: all(t.end <= 11:00 for t in talks)\n",
         Spoiling("a dropped rule", "  seats:\n    hard: talks[ada].room.seats >= 50\n", "", ("seats",))),
        ("One hour for each; a room has one talk at a time. Ben and Cem are in one room, and Ada in the other.",
         "  rooms:\n    hard: talks[ben].room == talks[cem].room and talks[ada].room != talks[ben].room\n",
         Spoiling("soft for hard", "  rooms:\n    hard:", "  rooms:\n    soft:", ("rooms",))),
    )  # fmt: skip
    for number, (query, rules, spoil) in enumerate(texts, 1):
        right = f"constraints:\n{LONG}{APART}{rules}"
        yield Session(f"talks-{number}", query, right, spoil, like="talks.task.yaml")


BASKET = """\
currency: EUR
types: {{Fruit: apples | pears | plums}}
tables:
  Price:
    columns: {{fruit: key Fruit, each: money}}
    rows:
      - {{fruit: apples, each: 1 EUR}}
      - {{fruit: pears, each: 2 EUR}}
      - {{fruit: plums, each: 3 EUR}}
given:
  budget: {budget} EUR
tells:
  budget: {quote}
plan:
  basket: {{fruit: key Fruit, pieces: int}}
scope:
  basket:
    - {{for: f in Fruit, fruit: f, pieces: 0..6}}
constraints:
  purse:
    hard: sum(b.pieces * Price[b.fruit].each for b in basket) <= budget
{rules}"""


def baskets() -> Iterator[Session]:
    """Yield sessions in which the model writes whole tasks."""
    prices = "Apples cost 1 euro each, pears 2 and plums 3; I buy 6 of a kind at most"
    texts = (
        (9, "at least 4 pieces in all", "  enough:\n    hard: sum(b.pieces for b in basket) >= 4\n",
         Spoiling("> for >=", "basket) >= 4", "basket) > 4", ("enough",))),
        (12, "more pears than plums", "  pears:\n    hard: basket[pears].pieces > basket[plums].pieces\n",
         Spoiling("an invented column", "basket[plums].pieces", "basket[plums].number", ("number", "pears"))),
        (10, "no kind more than 3 times", "  variety:\n    hard: all(b.pieces <= 3 for b in basket)\n",
         Spoiling("a wrong aggregate", "hard: all(b.pieces", "hard: any(b.pieces", ("variety",))),
        (14, "something of each kind", "  each-kind:\n    hard: all(b.pieces >= 1 for b in basket)\n",
         Spoiling("an over-strict rule", "  each-kind:", "  few:\n    hard: sum(b.pieces for b in basket) <= 5\n  each-kind:", ("few",))),
        (11, "an even number of plums", "  even:\n    hard: basket[plums].pieces % 2 == 0\n",
         Spoiling("< for <=", "<= budget", "< budget", ("purse",))),
    )  # fmt: skip
    for number, (budget, wish, rules, spoil) in enumerate(texts, 1):
        query = f"{prices}. I have {budget} euros, and want {wish}."
        right = BASKET.format(budget=budget, quote=f"I have {budget} euros", rules=rules)
        yield Session(f"baskets-{number}", query, right, spoil)


def trips() -> Iterator[Session]:
    """Yield sessions that use a shipped library and the tables of a shipped task."""
    opening = "I am leaving Marrowby on March 3rd, 2022 for three days in Brindle and must be home on March 5th."
    given = 'given:\n  org: "Marrowby"\n  town: "Brindle"\n  trip: [2022-03-03, 2022-03-04, 2022-03-05]\n'
    tells = 'tells:\n  org: leaving Marrowby\n  town: three days in Brindle\n  trip: "March 3rd, 2022 for three days"\n'
    texts = (
        ("I go alone and can spend $350.", "  budget: 350 USD\n", "  budget: can spend $350\n",
         Spoiling("a wrong value", "budget: 350 USD", "budget: 530 USD", ("budget",))),
        ("I can spend $400 and do not fly.", "  budget: 400 USD\n  without: [flight]\n", "  budget: can spend $400\n  without: do not fly\n",
         Spoiling("a missing given", "  without: [flight]\n", "", ("without", "valid_transportation"))),
        ("My budget is $500, for the two of us.", "  budget: 500 USD\n  party: 2\n", "  budget: My budget is $500\n  party: the two of us\n",
         Spoiling("a wrong value", "party: 2", "party: 3", ("party",))),
        ("There are $450, and I want an entire room.", "  budget: 450 USD\n  room: entire_room\n", "  budget: There are $450\n  room: an entire room\n",
         Spoiling("an invented name", "room: entire_room", "room: whole_room", ("room",))),
        ("I have $380.", "  budget: 380 USD\n", "  budget: I have $380\n", None),
    )  # fmt: skip
    for number, (wish, values, words, spoil) in enumerate(texts, 1):
        right = f"{given}{values}{tells}{words}"
        yield Session(f"trips-{number}", f"{opening} {wish}", right, spoil, like="1")


SESSIONS = tuple(each for domain in (errands, talks, baskets, trips) for each in domain())


def without_folders(text: str | None) -> str:
    """Return the text of a draft in which file names replace paths, since paths differ from machine to machine."""
    assert text is not None
    return re.sub(r'"[^"\n]*/', '"', text)


def record() -> None:
    """Record all sessions."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        copy_documents(Path(folder))
        for each in SESSIONS:
            output, replies = each.run(each.model(), {})
            steps = sorted({found.step for found in output.found})
            print(each.name, output.status, output.calls.made, steps, output.open[:1], output.undecided)  # noqa: T201
            entry = {"name": each.name, "status": output.status, "steps": steps, "text": without_folders(output.text)}
            lines.append(json.dumps(entry | {"replies": replies}, ensure_ascii=False))
    RECORD.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    record()
