"""Settings of VeriTrip: a corpus in several forms, or the fact base itself.

A setting is a combination of three options:

- pictures with image search, pictures without it, or captions in place of pictures
- a corpus with or without misleading documents
- a brief with the rules, or without them in settings named `paper...`: the paper's prompt only describes the answer
  (E.2), and common sense is judged without instructions (C.3)

The corpus is in the suite's folder, as written by `planspec generate veritrip`. The folder's `generated.json` (or
`corpus.json` if imported) records whether the corpus is clean, that is, without misleading documents. The setting of a
run over a clean corpus ends in `-clean`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from planspec.agents.tools import Toolset
from planspec.api.judging import Judge
from planspec.environments.agent_task import AgentTask, Setting, UnpreparedSettingError
from planspec.environments.line_index import FileState, folder_with, line_of
from planspec.families.veritrip.environment.facts import TaskFactBase

PAPER = "paper"
"""Name of the setting with documents and image search and without rules; also the prefix of its variants."""
MARK, OWN_MARK, CORPUS, ANCHORS = "generated.json", "corpus.json", "corpus", "anchors"
QUERIES = ("queries.jsonl", "near-misses.jsonl")
CLEAN = "-clean"
IMAGE_SEARCH = "imgSearch"
OPEN_TASKS = 8
"""Maximal number of tasks whose tools stay open in a process."""

_DOCUMENTS = """\
Plan the trip that the request asks for, with what the documents tell. Search them, read those that matter in full, and compare what
several say of the same thing: some are old, exaggerate, or mean another place. Never use a name, a number, a time or a price that no document and no
tool told you."""
TRUST = """\
# What is true where documents contradict one another

Each document ends with its imprint, mostly in a sentence or two: who publishes it, the basis on which the publisher speaks (not named if there is but a
name), and, of notices and entries, from when (and until when) what it says is in force. Neither what is newest, nor what most documents say, nor what looks official decides, but these steps, in this order:

1. A document counts for a place only if it means the place of that name in the city of your trip: other cities have places of the same name.
2. A reprint counts as the document that its imprint names, with that one's basis and days, and only for what that one says, too. If there is
   no such document, or it says otherwise, the reprint counts for nothing, whoever publishes it.
3. A notice or an entry that is not in force on the days of your trip does not count.
4. A notice of the operator goes before a register entry, filed by the operator; that before a visit of the writer; and that before hearsay and where the
   basis is not named.
5. Of several on the same basis, the one that came into force last counts; of visits, the last one.

What the restaurant tools tell is right."""
"""Rule in the agent's brief for choosing among contradicting documents. `corpus.trust` implements it."""
_PAPER_REQUEST = """\
Plan the trip that the request asks for, day by day and in as much detail as you can. Collect what you need with the tools: guides, trains and flights,
meals, attractions and rooms."""
_PICTURES = """\
Some places may be shown in pictures instead of being named: a traveller's own, taken from elsewhere, at another hour or in other weather than those of the
corpus. `imgSearch` takes the title of such a picture and finds pictures of the corpus that look like it. A score of 0.5 or more says that it is likely the
place, but not surely; with all else other it may be low for the right one, too, so compare what you see. `docID` is the document in which the picture stands; `getDocument` says what it shows."""
_PICTURES_ALONE = """\
Some places may be shown in pictures instead of being named. Find out which they are by looking at the pictures: there is no tool that knows them."""
_TABLES = """\
Plan the trip that the request asks for, with what the tools tell; it is right, and all that is known. Never use a name, a number, a time or a price that no
tool told you."""
_RULES = """\
# When a trip works

- It begins on its first day with a train or flight from the start to the city of the trip and ends on its last day with one back to the
  city where it began. Each train or flight leaves from the very station or airport at which the one before arrived.
- Nothing in the city happens before the arrival or after the departure, and no two activities overlap.
- Each night has rooms for all travellers, in the city of the trip; none is booked for a night that the trip has not. A trip of one
  day needs none.
- Each day of the trip has activities, and all days together at least four for each. Each day between the first and
  the last has a meal and an attraction, and on it the rides in the city take no more than 35 percent of the time of all activities.
- No attraction comes twice, and no two meals are at the same place, but for breakfasts that end by 10:30.
- An attraction is visited on a day and at hours when it is open, for as long as is recommended, at its ticket price. A meal lies within the opening
  hours of a restaurant of the city, at its price.
- All of it, journeys and rooms and activities for all travellers, keeps within the budget.
- What the travellers prefer (vehicles, rooms, attractions, dishes, rides in the city) is done."""
_FORMAT = """\
# The answer

One JSON object with three tables. Names are written exactly as they were told, dates as YYYY-MM-DD, times as HH:MM, prices as plain
numbers, each as it is for one person, or for one room and night. No cell is left out.

- `transportationTable`: each train or flight, with the times, stations and price that it has on that day
- `accommodationTable`: each stay; `room_number` is how many rooms
- `itineraryTable`: all activities of each day in their order; `active_type` is "inter_city_transportation" (the journeys of the first table
  again, at the same times, price 0), "inner_city_transportation", "attraction" or "meal". `name` is the attraction or the restaurant; of a ride it says from
  where to where. The notes of a ride say whether it is by taxi or by public transportation.{cite}

A piece of another trip:

```json
{{"Final Result": {{
  "transportationTable": [{{"transportationID": "K1234", "date": "2031-05-02", "departureStation": "Oldtown Central Station", "arriveStation": "Newhaven East Station", "begin_time": "08:05", "end_time": "10:40", "price_per_person": 80}}],
  "accommodationTable": [{{"city": "Newhaven", "name": "Hotel Bellevue", "check_in": "2031-05-02", "check_out": "2031-05-03", "price_per_night": 120, "room_type": "Twin room", "room_number": 1, "breakfast_included": true}}],
  "itineraryTable": [
    {{"Date": "2031-05-02", "active_item_number": 1, "active_type": "inter_city_transportation", "start_time": "08:05", "end_time": "10:40", "name": "Oldtown to Newhaven", "price_per_person": 0, "notes": "K1234"}},
    {{"Date": "2031-05-02", "active_item_number": 2, "active_type": "inner_city_transportation", "start_time": "10:50", "end_time": "11:20", "name": "Station to Botanical Garden", "price_per_person": 3, "notes": "By public transportation."}},
    {{"Date": "2031-05-02", "active_item_number": 3, "active_type": "attraction", "start_time": "11:30", "end_time": "13:00", "name": "Botanical Garden", "price_per_person": 8, "notes": "{note}"}},
    {{"Date": "2031-05-02", "active_item_number": 4, "active_type": "meal", "start_time": "13:10", "end_time": "14:10", "name": "The Copper Pot", "price_per_person": 22, "notes": "Fish soup."}}]}}}}
```

{refusal}answer {{"infeasible": true}}; it is checked."""
_REFUSAL = "If there is no trip that keeps all of this but the preferences, "
_PAPER_REFUSAL = "If the trip is impossible, "
_CITATION_RULE = """ The notes of an attraction name the documents
  that tell its facts (that it is there, its ticket, its hours, its closed days, the length of a visit) by their ids, as in [20] or [20, 31]."""


def _format_text(*, cites: bool, has_rules: bool) -> str:
    """Return the description of the answer's format."""
    return _FORMAT.format(
        cite=_CITATION_RULE if cites else "",
        note="Palms and orchids [20, 31]." if cites else "Palms and orchids.",
        refusal=_REFUSAL if has_rules else _PAPER_REFUSAL,
    )


_PictureForm: TypeAlias = Literal["tools", "pictures", "text"]
"""How agents get a request's pictures: with image search, without it, or described in words."""


def _open_documents(
    name: str,
    judges: tuple[Judge, ...],
    folder: Path | None,
    *,
    form: _PictureForm,
    clean: bool,
    has_rules: bool = True,
) -> AgentTask:
    """Prepare a task with the corpus in the suite's folder.

    Args:
        name: name under which the task was loaded.
        judges: judges of the turns so far.
        folder: folder of the suite; None to look for it beside the task.
        form: how the agent gets the pictures.
        clean: whether the corpus must be free of misleading documents.
        has_rules: whether the brief has the rules of common sense and the rule of trust.
    """
    setting = form if has_rules else PAPER if form == "tools" else f"{PAPER}-{form}"
    mark, mark_data = _read_mark(setting + CLEAN * clean, name, judges, folder)
    root, is_clean = mark.parent, bool(mark_data.get("clean", False))
    if clean and not is_clean:
        raise UnpreparedSettingError(
            f"the corpus in `{root}` has misleading documents; generate one without "
            "them by `planspec generate veritrip --clean --out FOLDER`, and use the suite in that folder"
        )
    task = judges[-1].task
    tools: Toolset = _cached_tools(FileState.of(mark), task.id.partition("@")[0], form == "tools")
    if form != "tools":
        tools = Toolset(tool for tool in tools.tools() if tool.name != IMAGE_SEARCH)
    picture_texts = {"tools": [_PICTURES], "pictures": [_PICTURES_ALONE], "text": []}[form]
    languages = [_CHINESE] if mark_data.get("chinese", False) else []
    imprints = [_CHINESE_IMPRINTS] if languages else []
    trust = [TRUST, *imprints] if mark_data.get("imprints", True) else imprints
    answer = _format_text(cites=True, has_rules=has_rules)
    parts = [_DOCUMENTS, *languages, *trust, *picture_texts, _RULES, answer]
    paper_parts = [_PAPER_REQUEST, *languages, *picture_texts, answer]
    return AgentTask(
        name,
        judges,
        setting + CLEAN * is_clean,
        brief="\n\n".join(parts if has_rules else paper_parts),
        tools=tools,
        folder=folder,
        images={} if form == "text" else _read_images(root, judges),
        materials=_describe_pictures(root, judges) if form == "text" else {},
    )


def open_facts(name: str, judges: tuple[Judge, ...], folder: Path | None, *, has_rules: bool = True) -> AgentTask:
    """Prepare a task with tools that read the fact base.

    It needs no corpus of documents. If `has_rules` is false, the brief leaves out the rules of common sense.
    """
    answer = _format_text(cites=False, has_rules=has_rules)
    root = _suite_folder(name, folder)
    return AgentTask(
        name,
        judges,
        "facts" if has_rules else f"{PAPER}-facts",
        brief="\n\n".join([_TABLES, _RULES, answer] if has_rules else [_PAPER_REQUEST, answer]),
        tools=TaskFactBase(judges[-1].task).tools(),
        materials={} if root is None else _describe_pictures(root, judges),
        folder=folder,
    )


# ------------------------------------------------------------------ the suite's folder


def _suite_folder(name: str, folder: Path | None) -> Path | None:
    return folder_with(QUERIES[0], name, folder)


def _read_mark(
    setting: str, name: str, judges: tuple[Judge, ...], folder: Path | None
) -> tuple[Path, Mapping[str, Any]]:
    """Return the path and the contents of the JSON file that marks a folder with a corpus.

    Raises:
        UnpreparedSettingError: There is no corpus.
    """
    root = _suite_folder(name, folder)
    marks = [] if root is None or not (root / CORPUS).is_dir() else [root / MARK, root / OWN_MARK]
    mark = next((mark for mark in marks if mark.is_file()), None)
    if mark is None:
        raise UnpreparedSettingError(
            f"the setting `{setting}` needs a corpus, and the suite of `{judges[-1].task.id}` has none: generate one by "
            f"`planspec generate veritrip{' --clean' if setting.endswith(CLEAN) else ''} --out FOLDER` and use the suite in "
            "that folder, import your own by `planspec import veritrip --corpus`, or use the setting `facts`, which needs none"
        )
    return mark, json.loads(mark.read_text("utf-8"))


@lru_cache(maxsize=OPEN_TASKS)
def _cached_tools(mark: FileState, task: str, images: bool) -> Toolset:
    """Open the tools of a task. They are cached, since opening them reads the pictures and the facts.

    Args:
        mark: state of the JSON file that marks the folder with the corpus. The tools are opened again if it changes.
        task: id of the task.
        images: whether images can be searched.
    """
    from planspec.families.veritrip.opening import open_tools

    try:
        return open_tools(mark.path.parent, task, images=images)
    except FileNotFoundError as error:
        raise UnpreparedSettingError(str(error)) from None


def _picture_names(judges: tuple[Judge, ...]) -> list[str]:
    """Return the file names of the request's pictures."""
    images = judges[-1].task.meta.get("images")
    return [str(one) for one in images] if isinstance(images, list | tuple) else []


def _read_images(root: Path, judges: tuple[Judge, ...]) -> dict[str, bytes]:
    paths = [root / ANCHORS / name for name in _picture_names(judges)]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _describe_pictures(root: Path, judges: tuple[Judge, ...]) -> dict[str, str]:
    """Return a text that lists the places in a request's pictures, by the text's heading; empty without pictures."""
    pictures = _picture_names(judges)
    task = judges[-1].task.id.partition("@")[0]
    paths = [root / name for name in QUERIES if (root / name).is_file()]
    line = next((line for path in paths if (line := line_of(path, task))), None)
    query: dict[str, Any] = {} if line is None else json.loads(line)
    if not pictures or len(query.get("shown") or ()) != len(pictures):
        return {}
    lines = [f"{number}. {place}" for number, place in enumerate(query["shown"], 1)]
    return {"What the pictures show": "\n".join(lines)}


_CHINESE = """\
Documents are in English or in Chinese, and searches may be in either. A Chinese document writes the English name of a place beside the
Chinese one; the answer has the English names."""
_CHINESE_IMPRINTS = """\
In the imprints of Chinese documents 经营方 with 公告 is a notice of the operator, 登记 a register entry,
亲身 or 亲自 a visit of the writer, 听说 or 听来 hearsay, 未注明 not named, 转载 a reprint, 有效 or 施行 the days in force."""

SETTINGS: Mapping[str, Setting] = {
    "tools": partial(_open_documents, form="tools", clean=False),
    "pictures": partial(_open_documents, form="pictures", clean=False),
    "text": partial(_open_documents, form="text", clean=False),
    "tools-clean": partial(_open_documents, form="tools", clean=True),
    "pictures-clean": partial(_open_documents, form="pictures", clean=True),
    "text-clean": partial(_open_documents, form="text", clean=True),
    "facts": open_facts,
    PAPER: partial(_open_documents, form="tools", clean=False, has_rules=False),
    f"{PAPER}-pictures": partial(_open_documents, form="pictures", clean=False, has_rules=False),
    f"{PAPER}-text": partial(_open_documents, form="text", clean=False, has_rules=False),
    f"{PAPER}{CLEAN}": partial(_open_documents, form="tools", clean=True, has_rules=False),
    f"{PAPER}-pictures{CLEAN}": partial(_open_documents, form="pictures", clean=True, has_rules=False),
    f"{PAPER}-text{CLEAN}": partial(_open_documents, form="text", clean=True, has_rules=False),
    f"{PAPER}-facts": partial(open_facts, has_rules=False),
}
