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
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from planspec.agents.tools import Toolset
from planspec.api.judging import Judge
from planspec.dsl.model.task import Task
from planspec.environments.agent_task import AgentTask, ExtendedSetting, Setting, UnpreparedSettingError
from planspec.environments.declared import open_declared
from planspec.environments.line_index import FileState, folder_with, line_of

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
_PICTURES = """\
Some places may be shown in pictures instead of being named: a traveller's own, taken from elsewhere, at another hour or in other weather than those of the
corpus. `imgSearch` takes the title of such a picture and finds pictures of the corpus that look like it. A score of 0.5 or more says that it is likely the
place, but not surely; with all else other it may be low for the right one, too, so compare what you see. `docID` is the document in which the picture stands; `getDocument` says what it shows."""
_PICTURES_ALONE = """\
Some places may be shown in pictures instead of being named. Find out which they are by looking at the pictures: there is no tool that knows them."""
_CITATION_RULE = """ The notes of an attraction name the documents
  that tell its facts (that it is there, its ticket, its hours, its closed days, the length of a visit) by their ids, as in [20] or [20, 31]."""
_NOTES = "Palms and orchids."
_CITING_NOTES = "Palms and orchids [20, 31]."


def _shared_brief(task: Task, name: str) -> str:
    """Return a text of the library `veritrip`, which settings with documents share with those that it declares.

    Raises:
        UnpreparedSettingError: the task's library has no such text.
    """
    if name not in task.environment.briefs:
        raise UnpreparedSettingError(f"the library of `{task.id}` has no brief `{name}`; use planspec's `veritrip`")
    return task.environment.briefs[name].text


def _citing_answer(task: Task, refusal: str) -> str:
    """Return the description of the answer's format, with the rule that notes cite documents.

    Args:
        task: task with the library `veritrip`.
        refusal: name of the library's text about impossible trips.
    """
    answer, example, refusal_text = (_shared_brief(task, name) for name in ("answer", "example", refusal))
    return "\n\n".join([answer + _CITATION_RULE, example.replace(_NOTES, _CITING_NOTES), refusal_text])


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
    if has_rules:
        end = [_shared_brief(task, "rules"), _citing_answer(task, "refusal")]
        parts = [_DOCUMENTS, *languages, *trust, *picture_texts, *end]
    else:
        request = _shared_brief(task, "paper_request")
        parts = [request, *languages, *picture_texts, _citing_answer(task, "paper_refusal")]
    return AgentTask(
        name,
        judges,
        setting + CLEAN * is_clean,
        brief="\n\n".join(parts),
        tools=tools,
        folder=folder,
        images={} if form == "text" else _read_images(root, judges),
        materials=_describe_pictures(root, judges) if form == "text" else {},
    )


def _open_facts(name: str, judges: tuple[Judge, ...], folder: Path | None, *, setting: str) -> AgentTask:
    """Prepare a task in a declared setting with tools that read the fact base, and describe the request's pictures.

    It needs no corpus of documents.

    Args:
        name: name under which the task was loaded.
        judges: judges of the turns so far.
        folder: folder of the suite; None to look for it beside the task.
        setting: name of the setting.
    """
    opened = open_declared(name, judges, folder, setting)
    assert opened.declared is not None, "it was opened under a declared setting"
    root = _suite_folder(name, folder)
    pictures = {} if root is None else _describe_pictures(root, judges)
    return replace(
        opened,
        brief=opened.declared.brief,  # it describes refusals itself
        materials={**opened.materials, **pictures},
        turns=(),
        declared=None,
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
    "facts": ExtendedSetting(partial(_open_facts, setting="facts")),
    PAPER: partial(_open_documents, form="tools", clean=False, has_rules=False),
    f"{PAPER}-pictures": partial(_open_documents, form="pictures", clean=False, has_rules=False),
    f"{PAPER}-text": partial(_open_documents, form="text", clean=False, has_rules=False),
    f"{PAPER}{CLEAN}": partial(_open_documents, form="tools", clean=True, has_rules=False),
    f"{PAPER}-pictures{CLEAN}": partial(_open_documents, form="pictures", clean=True, has_rules=False),
    f"{PAPER}-text{CLEAN}": partial(_open_documents, form="text", clean=True, has_rules=False),
    f"{PAPER}-facts": ExtendedSetting(partial(_open_facts, setting=f"{PAPER}-facts")),
}
