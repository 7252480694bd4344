"""The project of a page: its texts, and what is asked about them. The page's worker calls this with JSON and gets JSON back.

Python has no threads in a browser and nothing to wait for: each call is answered before the next, and whoever wants to stop one
ends the worker.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.codes import CODES
from planspec.dsl.diagnostics.rendering import diagnostic_json
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.resources.limits import ANSWER_BYTES, DOCUMENT_BYTES
from planspec.dsl.resources.reading import read_text, size
from planspec.dsl.workspace.workspace import Workspace, kind_and_id, shown
from planspec.errors import DiagnosticError, LimitReachedError, PlanspecError
from planspec.live.language.answers import answer as answer_of
from planspec.live.language.desk import Desk
from planspec.verifiers.answers.format import plain_json
from planspec.verifiers.meaning.margin import in_words

if TYPE_CHECKING:
    from planspec.api.outputs.claims import UniqueOutput
    from planspec.dsl.diagnostics.diagnostic import Diagnostic
    from planspec.solvers.proofs.obligation import NoOtherPlan
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

Backend = Literal["smt", "sat"]
Tell = Callable[[str], None]
"""Hears JSON while a call goes on: a part of its answer that is there already."""


class Request(BaseModel):
    """The base of all calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Open(Request):
    """Begin a project: its texts by their paths stand beside, or in place of, what ships."""

    verb: Literal["open"]
    files: dict[str, str]


class Edit(Request):
    """Change a text of the project, or add one; None takes it out, and what ships stands there again."""

    verb: Literal["edit"]
    file: str
    text: str | None


class Read(Request):
    """The text of a file, as a table that the project uses."""

    verb: Literal["read"]
    file: str


class Check(Request):
    """Everything that is wrong with the project's documents."""

    verb: Literal["check"]


class Format(Request):
    """The canonical text of a document."""

    verb: Literal["format"]
    file: str


class Explain(Request):
    """The meaning of a diagnostic code, with an example."""

    verb: Literal["explain"]
    code: str


class Language(Request):
    """What an editor asks about a place of a document, as the language server answers it; files stand for addresses.

    Of code actions those that mend a diagnostic of the document are given, wherever it stands.
    """

    verb: Literal["language"]
    method: Literal["hover", "completion", "definition", "codeAction"]
    file: str
    params: dict[str, JsonValue]


class AboutTask(Request):
    """The base of questions about a task, which the path of its file names."""

    file: str


class Verify(AboutTask):
    """Judge an answer."""

    verb: Literal["verify"]
    answer: str


class Draw(AboutTask):
    """The plan of an answer as the panel draws it, by days or lanes and on a map."""

    verb: Literal["draw"]
    answer: str


class Solve(AboutTask):
    """Find the best plan."""

    verb: Literal["solve"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


class Validate(AboutTask):
    """Prove whether there is a plan and only one: with Z3, with CaDiCaL, and by a proof that is checked here."""

    verb: Literal["validate"]
    seconds: float = Field(default=120.0, gt=0)


class Why(AboutTask):
    """Explain why there is no plan."""

    verb: Literal["why"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


Call = Open | Edit | Read | Check | Format | Explain | Language | Verify | Draw | Solve | Validate | Why
_CALLS: TypeAdapter[Call] = TypeAdapter(Call)


class MisplacedFileError(PlanspecError, ValueError):
    """A file of a project that has no place in it."""


class Session:
    """A project and what is known of it.

    Args:
        root: the folder of what ships, which is the session's own and is written to. Names in answers are as seen from the
            current folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._shipped: dict[str, str | None] = {}  # by file of the project: the text that stood there
        self._files: dict[str, str] = {}
        self._desk = Desk(Workspace(shipped=root))
        self._judges: dict[str, Judge] = {}
        self._told_of: dict[str, list[dict[str, Any]]] = {}  # by document: what is wrong with it

    def answer(self, request: str, tell: Tell = lambda _: None) -> str:
        """The answer to a call: `{"ok": ...}`, `{"diagnostics": [...]}` of a task with errors, or `{"error": "..."}`.

        Args:
            request: one of the calls above, as JSON.
            tell: hears the parts of an answer that takes long.
        """
        began = perf_counter()
        try:
            made: dict[str, Any] = {"ok": self._call(_CALLS.validate_json(request), tell)}
        except DiagnosticError as error:
            made = {"diagnostics": self._told(error.diagnostics)}
        except ValidationError as error:
            made = {"error": f"no such call: {error.errors()[0]['msg']}"}
        except LimitReachedError as error:
            made = {"error": str(error), "undecided": True}
        except PlanspecError as error:
            made = {"error": str(error)}
        except OSError as error:
            made = {"error": f"`{Path(error.filename or '').name}`: {error.strerror or error}"}
        except MemoryError:
            made = {"error": str(LimitReachedError("memory")), "undecided": True}
        return json.dumps({**made, "seconds": round(perf_counter() - began, 4)}, ensure_ascii=False)

    def _call(self, call: Call, tell: Tell) -> Any:
        match call:
            case Open(files=files):
                return self._open(files)
            case Edit(file=file, text=text):
                return self._edit(file, text)
            case Read(file=file):
                return {"text": read_text(self._place(file), DOCUMENT_BYTES)}
            case Check():
                return self._check()
            case Format(file=file):
                return {"text": format_text(read_text(self._place(file), DOCUMENT_BYTES), file)}
            case Explain(code=code):
                return _explained(code)
            case Language(method=method, file=file, params=params):
                return self._language(method, file, params)
            case Verify(file=file, answer=answer):
                return self._verify(self._judge(file), answer)
            case Draw(file=file, answer=answer):
                return _drawn(self._judge(file), answer)
            case Solve(file=file, backend=backend, seconds=seconds):
                return _solve(self._judge(file), backend, seconds)
            case Validate(file=file, seconds=seconds):
                return _validate(self._judge(file), seconds, lambda part: tell(_json(part)))
            case Why(file=file, backend=backend, seconds=seconds):
                return _why(self._judge(file), backend, seconds)

    # -- texts ------------------------------------------------------------------------------------

    def _open(self, files: Mapping[str, str]) -> dict[str, Any]:
        for file in tuple(self._files):
            self._put(file, None)
        self._desk = Desk(Workspace(shipped=self._root))
        for file, text in files.items():
            self._put(file, text)
            self._show(file, text)
        self._forget()
        return self._documents()

    def _edit(self, file: str, text: str | None) -> dict[str, Any]:
        place = self._place(file)
        before = kind_and_id(place) if place.is_file() else None
        self._put(file, text)
        self._show(file, text)
        after = kind_and_id(place) if place.is_file() else None
        if text is not None and before == after and after is not None and after[0] == "task":
            self._judges.pop(file, None)  # nothing uses a task: what else was found out stays as it is
            self._told_of.pop(file, None)
        else:
            self._forget()
        return self._documents()

    def _show(self, file: str, text: str | None) -> None:
        """Let the desk know a text."""
        if not _is_document(file):
            self._desk.reread()
        elif text is None:
            self._desk.close(self._uri(file))
        else:
            self._desk.open(self._uri(file), text)

    def _uri(self, file: str) -> str:
        return self._place(file).absolute().as_uri()

    def _put(self, file: str, text: str | None) -> None:
        place = self._place(file)
        if text is not None and len(text.encode()) > DOCUMENT_BYTES:
            raise MisplacedFileError(f"`{file}` is larger than {size(DOCUMENT_BYTES)}")
        if file not in self._shipped:
            self._shipped[file] = read_text(place, DOCUMENT_BYTES) if place.is_file() else None
        if text is None:
            self._files.pop(file, None)
            text = self._shipped.pop(file)
        else:
            self._files[file] = text
        if text is None:
            place.unlink(missing_ok=True)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", newline="\n")

    def _place(self, file: str) -> Path:
        path = PurePosixPath(file)
        if (
            not file
            or path.is_absolute()
            or ".." in path.parts
            or "\\" in file
            or "\0" in file
            or len(file) > 200
        ):
            raise MisplacedFileError(f"`{file[:80]}` is no name of a file in the project")
        return self._root / path

    def _forget(self) -> None:
        self._judges.clear()
        self._told_of.clear()

    def _documents(self) -> dict[str, Any]:
        """The kinds and ids of the project's documents, by their files."""
        named = {file: kind_and_id(self._place(file)) for file in self._files if _is_document(file)}
        return {
            file: None if found is None else {"kind": found[0], "id": found[1]}
            for file, found in named.items()
        }

    # -- questions --------------------------------------------------------------------------------

    def _judge(self, file: str) -> Judge:
        if file not in self._judges:
            self._judges[file] = Judge(load(self._place(file), workspace=self._desk.workspace))
        return self._judges[file]

    def _check(self) -> dict[str, Any]:
        found: dict[str, Any] = {}  # a task has the mistakes of what it uses, too
        for file in self._files:
            if not _is_document(file):
                continue
            if file not in self._told_of:
                self._told_of[file] = self._told(self._desk.check_file(self._place(file)))
            found |= {_json(one): one for one in self._told_of[file]}
        return {"diagnostics": list(found.values())}

    def _told(self, diagnostics: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
        """Diagnostics as JSON, their files as the project names them."""
        names = {shown(self._place(file)): file for file in self._files}
        made = [diagnostic_json(diagnostic).model_dump(mode="json") for diagnostic in diagnostics]
        for one in made:
            for place in (one, *one["labels"]):
                place["file"] = names.get(place["file"], place["file"])
        return made

    def _language(self, method: str, file: str, params: Mapping[str, Any]) -> Any:
        """The answer of the language server, with files in the place of addresses."""
        if file not in self._files or not _is_document(file):
            raise MisplacedFileError(f"`{file[:80]}` is no document of the project")
        uris = {self._uri(name): name for name in self._files}
        asked: dict[str, Any] = {**params, "textDocument": {"uri": self._uri(file)}}
        if method == "codeAction":
            wrong = answer_of(self._desk, "textDocument/diagnostic", asked)["items"]
            asked["context"] = {"diagnostics": wrong}
            made = answer_of(self._desk, "textDocument/codeAction", asked)
            return _renamed([one for one in made if one["kind"] == "quickfix"], uris)
        return _renamed(answer_of(self._desk, f"textDocument/{method}", asked), uris)

    def _verify(self, judge: Judge, answer: str) -> dict[str, Any]:
        if len(answer.encode()) > ANSWER_BYTES:
            raise MisplacedFileError(f"the answer is larger than {size(ANSWER_BYTES)}")
        return _verdict(judge, answer)


def _is_document(file: str) -> bool:
    return file.endswith((".yaml", ".yml"))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """JSON with other words for some texts, wherever they stand."""
    match value:
        case str():
            return names.get(value, value)
        case list():
            return [_renamed(item, names) for item in value]
        case dict():
            return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
        case _:
            return value


def _verdict(judge: Judge, answer: Any) -> dict[str, Any]:
    """The verdict on an answer, or on a plan's rows, with margins as people write them."""
    made = asdict(judge.answer(answer))
    for finding in made["findings"]:
        said = finding["margin"]
        finding["by"] = None if said is None else in_words(said, finding["unit"])
    return made


def _drawn(judge: Judge, answer: str) -> dict[str, Any] | None:
    """What the panel draws; None of an answer without a plan. Its program looks at the plan and the findings."""
    from planspec.live.panel.telling import plan_with_verdict  # a verdict need not wait for all that it loads

    plan = judge.read(answer)
    if plan is None:
        return None
    return plan_with_verdict(judge, "the answer", plan, judge.answer(answer)).model_dump(
        mode="json", exclude_defaults=True
    )


def _explained(code: str) -> dict[str, str]:
    known = CODES.get(code)
    if known is None:
        raise MisplacedFileError(f"no diagnostic is called `{code[:20]}`")
    return {
        "code": known.code,
        "slug": known.slug,
        "why": known.why,
        "wrong": known.wrong,
        "right": known.right,
    }


def _solve(judge: Judge, backend: Backend, seconds: float) -> dict[str, Any]:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import prove

    found = prove.solve(judge.ground, backend=backend, limits=Limits(seconds=seconds))
    plan = None if found.plan is None else plain_json(judge.encode(found.plan))
    return {
        "task": judge.task.id, "status": found.status.value, "plan": plan, "reason": found.reason, "backend": backend,
        "soft": {"satisfied": found.soft_weight, "total": found.soft_total},
        "objectives": [
            {"said": level.objective.span.text, "word": level.objective.word, "value": value}
            for level, value in zip(found.levels, found.values_in_words(), strict=True)
        ],
        "verdict": None if plan is None else _verdict(judge, plan),
    }  # fmt: skip


def _validate(judge: Judge, seconds: float, tell: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """What each back end proves, and a checked proof; `tell` hears each part as it comes."""
    from planspec.api.claim_outputs import best_output, claim_output, unique_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import claims
    from planspec.solvers.questions.claims import among_best

    limits = Limits(seconds=seconds)
    proved: dict[str, Any] = {}
    found: Validation | None = None
    for name in ("smt", "sat"):
        tell({"doing": name})
        found = claims.validate_claims(judge.ground, backends=(name,), limits=limits)
        best = best_output(judge, found, None, is_requested=False)
        proved[name] = {
            "feasible": claim_output(found.feasible).model_dump(mode="json"),
            "unique": _with_words(unique_output(judge, judge.ground, found, None, is_requested=False)),
            "best": None
            if best is None
            else best.model_dump(mode="json") | {"unique": _with_words(best.unique)},
        }
        tell({"proved": {name: proved[name]}})
    assert found is not None
    proofs = []
    ground = among_best(judge.ground)
    parts = [
        ("all", judge.ground, found),
        *([] if ground is None or found.best is None else [("best", ground, found.best)]),
    ]
    for about, whole, told in parts:
        if told.unique.status in ("unique", "infeasible"):
            tell({"doing": "proof"})
            proofs.append({"about": about, **_proof(whole, told.witness, limits.seconds)})
            tell({"proof": proofs[-1]})
    reference = judge.reference_verdict()
    return {
        "task": judge.task.id, "backends": proved, "proofs": proofs,
        "witness": None if found.witness is None else plain_json(judge.encode(found.witness)),
        "reference": None if reference is None else reference.status,
    }  # fmt: skip


def _with_words(unique: UniqueOutput) -> dict[str, Any]:
    """A claim as JSON, with the words for what differs in another plan."""
    return unique.model_dump(mode="json") | {"apart": [one.said for one in unique.differences]}


def _proof(ground: Ground, witness: Plan | None, seconds: float | None) -> dict[str, Any]:
    """A proof that there is no other plan, or none, that CaDiCaL found and planspec's checker accepted."""
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import NoOtherPlan, obligation
    from planspec.solvers.proofs.reasons import reasons_of
    from planspec.solvers.proofs.refutation import Refutation, refute

    limits = Limits(seconds=seconds)
    claim: NoOtherPlan = NoOtherPlan(witness)
    made = obligation(ground, claim)
    if made is None:
        return {"status": "none", "reason": "the witness has more rows than the search"}
    found = refute(made.formula, limits)
    if not isinstance(found, Refutation):
        return {"status": "refused"}
    return {
        "status": "checked", "variables": made.formula.variables, "clauses": len(made.formula.clauses),
        "steps": len(found.steps), "prover": found.prover, "seconds": round(found.seconds, 4),
        "checking_s": round(found.checking_s, 4), "because_of": list(reasons_of(ground, made, found, limits)),
    }  # fmt: skip


def _why(judge: Judge, backend: Backend, seconds: float) -> dict[str, Any]:
    from planspec.api.conflict_outputs import conflict_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import conflicts

    found = conflicts.why(judge.ground, every=True, backend=backend, limits=Limits(seconds=seconds))
    made = conflict_output(judge.task, found).model_dump(mode="json")
    for relaxation in made["relaxations"]:
        for amount in relaxation["amounts"]:
            amount["said"] = in_words(amount["by"], amount["unit"]).lstrip("+")
    return made


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
