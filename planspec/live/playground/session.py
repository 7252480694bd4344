"""Playground project: its texts, and requests about them, as JSON in and JSON out for the page's worker.

Python in a browser has no threads and nothing to wait for: each call is answered before the next one, and a
call is cancelled by ending the worker.
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
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.diagnostics.rendering import diagnostic_json
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.resources.limits import ANSWER_BYTES, DOCUMENT_BYTES
from planspec.dsl.resources.reading import read_text, size
from planspec.dsl.workspace.workspace import Workspace, kind_and_id, shown
from planspec.errors import LimitReachedError, PlanspecError
from planspec.live.language.answers import answer as answer_of
from planspec.live.language.desk import EditorDesk
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
Notify = Callable[[str], None]
"""Callback that receives parts of an answer as JSON while the call is running."""


class PlaygroundRequest(BaseModel):
    """Base class of all calls."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Open(PlaygroundRequest):
    """Open a project: its texts by path, which are added to the shipped files or replace them."""

    verb: Literal["open"]
    files: dict[str, str]


class Edit(PlaygroundRequest):
    """Change or add a text of the project; a text of None removes it and restores the shipped file."""

    verb: Literal["edit"]
    file: str
    text: str | None


class Read(PlaygroundRequest):
    """Return the text of a file, such as a table that the project uses."""

    verb: Literal["read"]
    file: str


class Check(PlaygroundRequest):
    """Return the diagnostics of the project's documents."""

    verb: Literal["check"]


class FormatDocument(PlaygroundRequest):
    """Return the canonical text of a document."""

    verb: Literal["format"]
    file: str


class Explain(PlaygroundRequest):
    """Return the meaning of a diagnostic code, with an example."""

    verb: Literal["explain"]
    code: str


class Language(PlaygroundRequest):
    """Send a request of the language server protocol about a document, with file names instead of URIs.

    Code actions are quick fixes for all diagnostics of the document.
    """

    verb: Literal["language"]
    method: Literal["hover", "completion", "definition", "codeAction"]
    file: str
    params: dict[str, JsonValue]


class AboutTask(PlaygroundRequest):
    """Base class of calls about a task, given by its file."""

    file: str


class Verify(AboutTask):
    """Judge an answer."""

    verb: Literal["verify"]
    answer: str


class Draw(AboutTask):
    """Return the plan of an answer as the panel draws it, by days or lanes and on a map."""

    verb: Literal["draw"]
    answer: str


class Solve(AboutTask):
    """Find the best plan."""

    verb: Literal["solve"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


class Validate(AboutTask):
    """Prove whether a plan exists and is unique: with Z3, with CaDiCaL, and by a checked proof."""

    verb: Literal["validate"]
    seconds: float = Field(default=120.0, gt=0)


class Why(AboutTask):
    """Explain why there is no plan."""

    verb: Literal["why"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


Call = (
    Open | Edit | Read | Check | FormatDocument | Explain | Language | Verify | Draw | Solve | Validate | Why
)
_CALLS: TypeAdapter[Call] = TypeAdapter(Call)


class MisplacedFileError(PlanspecError, ValueError):
    """The path cannot belong to a project."""


class PlaygroundSession:
    """A project with its caches.

    Args:
        root: writable copy of the shipped folder, used by this session alone. Answers name files relative to
            the current folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._shipped: dict[str, str | None] = {}  # shipped texts that files replace
        self._files: dict[str, str] = {}
        self._desk = EditorDesk(Workspace(shipped=root))
        self._judges: dict[str, Judge] = {}
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}  # diagnostics by document

    def answer(self, request: str, notify: Notify = lambda _: None) -> str:
        """Return the answer to a call as JSON.

        The answer is `{"ok": ...}`, `{"diagnostics": [...]}` for a task with errors, or `{"error": "..."}`.

        Args:
            request: one of the calls above, as JSON.
            notify: called with the parts of a long-running answer.
        """
        began = perf_counter()
        try:
            result: dict[str, Any] = {"ok": self._call(_CALLS.validate_json(request), notify)}
        except DiagnosticError as error:
            result = {"diagnostics": self._diagnostics_json(error.diagnostics)}
        except ValidationError as error:
            result = {"error": f"no such call: {error.errors()[0]['msg']}"}
        except LimitReachedError as error:
            result = {"error": str(error), "undecided": True}
        except PlanspecError as error:
            result = {"error": str(error)}
        except OSError as error:
            result = {"error": f"`{Path(error.filename or '').name}`: {error.strerror or error}"}
        except MemoryError:
            result = {"error": str(LimitReachedError("memory")), "undecided": True}
        return json.dumps({**result, "seconds": round(perf_counter() - began, 4)}, ensure_ascii=False)

    def _call(self, call: Call, notify: Notify) -> Any:
        match call:
            case Open(files=files):
                return self._open(files)
            case Edit(file=file, text=text):
                return self._edit(file, text)
            case Read(file=file):
                return {"text": read_text(self._place(file), DOCUMENT_BYTES)}
            case Check():
                return self._check()
            case FormatDocument(file=file):
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
                return _validate(self._judge(file), seconds, lambda part: notify(_json(part)))
            case Why(file=file, backend=backend, seconds=seconds):
                return _why(self._judge(file), backend, seconds)

    # -- texts ------------------------------------------------------------------------------------

    def _open(self, files: Mapping[str, str]) -> dict[str, Any]:
        for file in tuple(self._files):
            self._put(file, None)
        self._desk = EditorDesk(Workspace(shipped=self._root))
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
            self._judges.pop(file, None)  # no document uses a task, so the other caches stay valid
            self._diagnostics.pop(file, None)
        else:
            self._forget()
        return self._documents()

    def _show(self, file: str, text: str | None) -> None:
        """Update the open documents with a text."""
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
            raise MisplacedFileError(f"`{file[:80]}` is not the name of a file in the project")
        return self._root / path

    def _forget(self) -> None:
        self._judges.clear()
        self._diagnostics.clear()

    def _documents(self) -> dict[str, Any]:
        """Return the kinds and ids of the project's documents, by file."""
        named = {file: kind_and_id(self._place(file)) for file in self._files if _is_document(file)}
        return {
            file: None if kind_and_id_ is None else {"kind": kind_and_id_[0], "id": kind_and_id_[1]}
            for file, kind_and_id_ in named.items()
        }

    # -- questions --------------------------------------------------------------------------------

    def _judge(self, file: str) -> Judge:
        if file not in self._judges:
            self._judges[file] = Judge(load(self._place(file), workspace=self._desk.workspace))
        return self._judges[file]

    def _check(self) -> dict[str, Any]:
        diagnostics: dict[str, Any] = {}  # a task repeats the mistakes of the documents that it uses
        for file in self._files:
            if not _is_document(file):
                continue
            if file not in self._diagnostics:
                self._diagnostics[file] = self._diagnostics_json(self._desk.check_file(self._place(file)))
            diagnostics |= {_json(one): one for one in self._diagnostics[file]}
        return {"diagnostics": list(diagnostics.values())}

    def _diagnostics_json(self, diagnostics: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
        """Return diagnostics as JSON, with the project's file names."""
        names = {shown(self._place(file)): file for file in self._files}
        items = [diagnostic_json(diagnostic).model_dump(mode="json") for diagnostic in diagnostics]
        for one in items:
            for place in (one, *one["labels"]):
                place["file"] = names.get(place["file"], place["file"])
        return items

    def _language(self, method: str, file: str, params: Mapping[str, Any]) -> Any:
        """Return the answer of the language server, with file names instead of URIs."""
        if file not in self._files or not _is_document(file):
            raise MisplacedFileError(f"`{file[:80]}` is not a document of the project")
        uris = {self._uri(name): name for name in self._files}
        request: dict[str, Any] = {**params, "textDocument": {"uri": self._uri(file)}}
        if method == "codeAction":
            diagnostics = answer_of(self._desk, "textDocument/diagnostic", request)["items"]
            request["context"] = {"diagnostics": diagnostics}
            actions = answer_of(self._desk, "textDocument/codeAction", request)
            return _renamed([one for one in actions if one["kind"] == "quickfix"], uris)
        return _renamed(answer_of(self._desk, f"textDocument/{method}", request), uris)

    def _verify(self, judge: Judge, answer: str) -> dict[str, Any]:
        if len(answer.encode()) > ANSWER_BYTES:
            raise MisplacedFileError(f"the answer is larger than {size(ANSWER_BYTES)}")
        return _verdict(judge, answer)


def _is_document(file: str) -> bool:
    return file.endswith((".yaml", ".yml"))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Replace texts and keys throughout a JSON value."""
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
    """Return the verdict on an answer or on a plan's rows, with margins in words."""
    verdict = asdict(judge.answer(answer))
    for finding in verdict["findings"]:
        margin = finding["margin"]
        finding["by"] = None if margin is None else in_words(margin, finding["unit"])
    return verdict


def _drawn(judge: Judge, answer: str) -> dict[str, Any] | None:
    """Return what the panel draws, or None if the answer has no plan."""
    from planspec.live.panel.panels import plan_with_verdict  # slow import that verdicts do not need

    plan = judge.read(answer)
    if plan is None:
        return None
    return plan_with_verdict(judge, "the answer", plan, judge.answer(answer)).model_dump(
        mode="json", exclude_defaults=True
    )


def _explained(code: str) -> dict[str, str]:
    entry = CODES.get(code)
    if entry is None:
        raise MisplacedFileError(f"no diagnostic is called `{code[:20]}`")
    return {
        "code": entry.code,
        "slug": entry.slug,
        "why": entry.why,
        "wrong": entry.wrong,
        "right": entry.right,
    }


def _solve(judge: Judge, backend: Backend, seconds: float) -> dict[str, Any]:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import prove

    solution = prove.solve(judge.ground, backend=backend, limits=Limits(seconds=seconds))
    plan = None if solution.plan is None else plain_json(judge.encode(solution.plan))
    return {
        "task": judge.task.id, "status": solution.status.value, "plan": plan, "reason": solution.reason, "backend": backend,
        "soft": {"satisfied": solution.soft_weight, "total": solution.soft_total},
        "objectives": [
            {"said": level.objective.span.text, "word": level.objective.word, "value": value}
            for level, value in zip(solution.levels, solution.values_in_words(), strict=True)
        ],
        "verdict": None if plan is None else _verdict(judge, plan),
    }  # fmt: skip


def _validate(judge: Judge, seconds: float, notify: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Prove claims with each back end and check a proof.

    `notify` receives each part when it is ready.
    """
    from planspec.api.claim_outputs import best_output, claim_output, unique_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import claims
    from planspec.solvers.questions.claims import among_best

    limits = Limits(seconds=seconds)
    proved: dict[str, Any] = {}
    validation: Validation | None = None
    for name in ("smt", "sat"):
        notify({"doing": name})
        validation = claims.validate_claims(judge.ground, backends=(name,), limits=limits)
        best = best_output(judge, validation, None, is_requested=False)
        proved[name] = {
            "feasible": claim_output(validation.feasible).model_dump(mode="json"),
            "unique": _with_words(unique_output(judge, judge.ground, validation, None, is_requested=False)),
            "best": None
            if best is None
            else best.model_dump(mode="json") | {"unique": _with_words(best.unique)},
        }
        notify({"proved": {name: proved[name]}})
    assert validation is not None
    proofs = []
    ground = among_best(judge.ground)
    parts = [
        ("all", judge.ground, validation),
        *([] if ground is None or validation.best is None else [("best", ground, validation.best)]),
    ]
    for about, whole, claims_ in parts:
        if claims_.unique.status in ("unique", "infeasible"):
            notify({"doing": "proof"})
            proofs.append({"about": about, **_proof(whole, claims_.witness, limits.seconds)})
            notify({"proof": proofs[-1]})
    reference = judge.reference_verdict()
    return {
        "task": judge.task.id, "backends": proved, "proofs": proofs,
        "witness": None if validation.witness is None else plain_json(judge.encode(validation.witness)),
        "reference": None if reference is None else reference.status,
    }  # fmt: skip


def _with_words(unique: UniqueOutput) -> dict[str, Any]:
    """Return a claim as JSON, with the differences to another plan in words."""
    return unique.model_dump(mode="json") | {"apart": [one.said for one in unique.differences]}


def _proof(ground: Ground, witness: Plan | None, seconds: float | None) -> dict[str, Any]:
    """Return a refutation of other plans (or of all plans) by CaDiCaL that planspec's checker accepted."""
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.proofs.obligation import NoOtherPlan, obligation
    from planspec.solvers.proofs.reasons import reasons_of
    from planspec.solvers.proofs.refutation import Refutation, refute

    limits = Limits(seconds=seconds)
    claim: NoOtherPlan = NoOtherPlan(witness)
    obligation_ = obligation(ground, claim)
    if obligation_ is None:
        return {"status": "none", "reason": "the witness has more rows than the search"}
    refutation = refute(obligation_.formula, limits)
    if not isinstance(refutation, Refutation):
        return {"status": "refused"}
    return {
        "status": "checked", "variables": obligation_.formula.variables, "clauses": len(obligation_.formula.clauses),
        "steps": len(refutation.steps), "prover": refutation.prover, "seconds": round(refutation.seconds, 4),
        "checking_s": round(refutation.checking_s, 4), "because_of": list(reasons_of(ground, obligation_, refutation, limits)),
    }  # fmt: skip


def _why(judge: Judge, backend: Backend, seconds: float) -> dict[str, Any]:
    from planspec.api.conflict_outputs import conflict_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import conflicts

    conflict = conflicts.why(judge.ground, every=True, backend=backend, limits=Limits(seconds=seconds))
    output = conflict_output(judge.task, conflict).model_dump(mode="json")
    for relaxation in output["relaxations"]:
        for amount in relaxation["amounts"]:
            amount["said"] = in_words(amount["by"], amount["unit"]).lstrip("+")
    return output


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
