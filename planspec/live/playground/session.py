"""Session of a playground. It holds the texts of a project, and handles JSON requests from the page's web worker.

Python in a browser has no threads. Requests are handled one after another. To cancel one, the page ends the
worker.
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
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.resources.reading import read_text, size_text
from planspec.dsl.workspace.workspace import Workspace, kind_and_id
from planspec.errors import LimitReachedError, PlanspecError
from planspec.live.language.editor import EditorState
from planspec.live.language.requests import handle_request
from planspec.verifiers.answers.format import plain_json
from planspec.verifiers.meaning.margin import margin_text

if TYPE_CHECKING:
    from planspec.api.outputs.claims import UniqueOutput
    from planspec.dsl.diagnostics.diagnostic import Diagnostic
    from planspec.solvers.proofs.obligation import NoOtherPlan
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan

Backend = Literal["smt", "sat"]
Notify = Callable[[str], None]
"""Function that receives parts of a response, as JSON, while the request is being handled."""


class PlaygroundRequest(BaseModel):
    """Base class of requests to the playground."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class OpenRequest(PlaygroundRequest):
    """Request to open a project.

    Attributes:
        files: texts of the project by path. They are added to the shipped files, or replace those of the same path.
    """

    verb: Literal["open"]
    files: dict[str, str]


class EditRequest(PlaygroundRequest):
    """Request to change, add or remove a file of the project.

    Attributes:
        text: new text; None to remove the file. A shipped file is then restored.
    """

    verb: Literal["edit"]
    file: str
    text: str | None


class ReadRequest(PlaygroundRequest):
    """Request for the text of a file, such as a table used in the project."""

    verb: Literal["read"]
    file: str


class CheckRequest(PlaygroundRequest):
    """Request for the diagnostics of the project's documents."""

    verb: Literal["check"]


class FormatRequest(PlaygroundRequest):
    """Request for a document's text in the standard format."""

    verb: Literal["format"]
    file: str


class ExplainRequest(PlaygroundRequest):
    """Request for the explanation of a diagnostic code, with an example."""

    verb: Literal["explain"]
    code: str


class LanguageRequest(PlaygroundRequest):
    """Request of the Language Server Protocol about a document, with file names in place of URIs.

    For code actions, the result has the quick fixes of all diagnostics in the document.
    """

    verb: Literal["language"]
    method: Literal["hover", "completion", "definition", "codeAction"]
    file: str
    params: dict[str, JsonValue]


class TaskRequest(PlaygroundRequest):
    """Base class of requests about a task.

    Attributes:
        file: path of the task's file.
    """

    file: str


class VerifyRequest(TaskRequest):
    """Request to judge an answer."""

    verb: Literal["verify"]
    answer: str


class DrawRequest(TaskRequest):
    """Request for panel contents that draw the plan in an answer."""

    verb: Literal["draw"]
    answer: str


class SolveRequest(TaskRequest):
    """Request to find the best plan."""

    verb: Literal["solve"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


class ValidateRequest(TaskRequest):
    """Request to prove whether a plan exists and is unique: with Z3, with CaDiCaL, and by a proof that is checked."""

    verb: Literal["validate"]
    seconds: float = Field(default=120.0, gt=0)


class WhyRequest(TaskRequest):
    """Request to explain why there is no plan."""

    verb: Literal["why"]
    backend: Backend = "smt"
    seconds: float = Field(default=60.0, gt=0)


AnyRequest = (
    OpenRequest
    | EditRequest
    | ReadRequest
    | CheckRequest
    | FormatRequest
    | ExplainRequest
    | LanguageRequest
    | VerifyRequest
    | DrawRequest
    | SolveRequest
    | ValidateRequest
    | WhyRequest
)
_REQUESTS: TypeAdapter[AnyRequest] = TypeAdapter(AnyRequest)


class MisplacedFileError(PlanspecError, ValueError):
    """The path, document or diagnostic code in a request is invalid, or a text is too large."""


class PlaygroundSession:
    """A project that is open in the playground, with its caches.

    Args:
        root: writable copy of the shipped folder, used only by this session.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._shipped: dict[str, str | None] = {}  # original texts of replaced shipped files
        self._files: dict[str, str] = {}
        self._editor = EditorState(Workspace(shipped=root))
        self._judges: dict[str, Judge] = {}
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}  # by document

    def answer(self, request: str, notify: Notify = lambda _: None) -> str:
        """Handle a request, and return the response as JSON.

        The response is `{"ok": ...}`, `{"diagnostics": [...]}` for a task with errors, or `{"error": "..."}`.

        Args:
            request: a `PlaygroundRequest` as JSON.
            notify: called with parts of the response during a long request.
        """
        start_time = perf_counter()
        try:
            result: dict[str, Any] = {"ok": self._handle(_REQUESTS.validate_json(request), notify)}
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
        return json.dumps({**result, "seconds": round(perf_counter() - start_time, 4)}, ensure_ascii=False)

    def _handle(self, request: AnyRequest, notify: Notify) -> Any:
        match request:
            case OpenRequest(files=files):
                return self._open_project(files)
            case EditRequest(file=file, text=text):
                return self._edit_file(file, text)
            case ReadRequest(file=file):
                return {"text": read_text(self._project_path(file), DOCUMENT_BYTES)}
            case CheckRequest():
                return self._check_documents()
            case FormatRequest(file=file):
                return {"text": format_text(read_text(self._project_path(file), DOCUMENT_BYTES), file)}
            case ExplainRequest(code=code):
                return _explanation_json(code)
            case LanguageRequest(method=method, file=file, params=params):
                return self._language_result(method, file, params)
            case VerifyRequest(file=file, answer=answer):
                return self._verify(self._judge(file), answer)
            case DrawRequest(file=file, answer=answer):
                return _panel_json(self._judge(file), answer)
            case SolveRequest(file=file, backend=backend, seconds=seconds):
                return _solve(self._judge(file), backend, seconds)
            case ValidateRequest(file=file, seconds=seconds):
                return _validate(self._judge(file), seconds, lambda part: notify(_json(part)))
            case WhyRequest(file=file, backend=backend, seconds=seconds):
                return _explain_conflicts(self._judge(file), backend, seconds)

    # -- texts ------------------------------------------------------------------------------------

    def _open_project(self, files: Mapping[str, str]) -> dict[str, Any]:
        for file in tuple(self._files):
            self._write_file(file, None)
        self._editor = EditorState(Workspace(shipped=self._root))
        for file, text in files.items():
            self._write_file(file, text)
            self._update_editor(file, text)
        self._clear_caches()
        return self._documents_json()

    def _edit_file(self, file: str, text: str | None) -> dict[str, Any]:
        place = self._project_path(file)
        before = kind_and_id(place) if place.is_file() else None
        self._write_file(file, text)
        self._update_editor(file, text)
        after = kind_and_id(place) if place.is_file() else None
        if text is not None and before == after and after is not None and after[0] == "task":
            self._judges.pop(file, None)  # no document imports a task, so the caches of other documents stay valid
            self._diagnostics.pop(file, None)
        else:
            self._clear_caches()
        return self._documents_json()

    def _update_editor(self, file: str, text: str | None) -> None:
        """Open a text in the editor; close it if the text is None."""
        if not _is_document(file):
            self._editor.reread()
        elif text is None:
            self._editor.close(self._uri(file))
        else:
            self._editor.open(self._uri(file), text)

    def _uri(self, file: str) -> str:
        return self._project_path(file).absolute().as_uri()

    def _write_file(self, file: str, text: str | None) -> None:
        place = self._project_path(file)
        if text is not None and len(text.encode()) > DOCUMENT_BYTES:
            raise MisplacedFileError(f"`{file}` is larger than {size_text(DOCUMENT_BYTES)}")
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

    def _project_path(self, file: str) -> Path:
        path = PurePosixPath(file)
        if not file or path.is_absolute() or ".." in path.parts or "\\" in file or "\0" in file or len(file) > 200:
            raise MisplacedFileError(f"`{file[:80]}` is not the name of a file in the project")
        return self._root / path

    def _clear_caches(self) -> None:
        self._judges.clear()
        self._diagnostics.clear()

    def _documents_json(self) -> dict[str, Any]:
        """Return kind and id of the project's documents, by file."""
        named = {file: kind_and_id(self._project_path(file)) for file in self._files if _is_document(file)}
        return {
            file: None if kind_and_id_ is None else {"kind": kind_and_id_[0], "id": kind_and_id_[1]}
            for file, kind_and_id_ in named.items()
        }

    # -- requests ---------------------------------------------------------------------------------

    def _judge(self, file: str) -> Judge:
        if file not in self._judges:
            self._judges[file] = Judge(load(self._project_path(file), workspace=self._editor.workspace))
        return self._judges[file]

    def _check_documents(self) -> dict[str, Any]:
        diagnostics: dict[str, Any] = {}  # the check of a task also reports errors in documents that the task uses
        for file in self._files:
            if not _is_document(file):
                continue
            if file not in self._diagnostics:
                self._diagnostics[file] = self._diagnostics_json(self._editor.check_file(self._project_path(file)))
            diagnostics |= {_json(one): one for one in self._diagnostics[file]}
        return {"diagnostics": list(diagnostics.values())}

    def _diagnostics_json(self, diagnostics: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
        """Return diagnostics as JSON, with file names of the project."""
        names = {shown_path(self._project_path(file)): file for file in self._files}
        items = [diagnostic_json(diagnostic).model_dump(mode="json") for diagnostic in diagnostics]
        for one in items:
            for place in (one, *one["labels"]):
                place["file"] = names.get(place["file"], place["file"])
        return items

    def _language_result(self, method: str, file: str, params: Mapping[str, Any]) -> Any:
        """Return the result of a request of the Language Server Protocol, with file names in place of URIs."""
        if file not in self._files or not _is_document(file):
            raise MisplacedFileError(f"`{file[:80]}` is not a document of the project")
        uris = {self._uri(name): name for name in self._files}
        request: dict[str, Any] = {**params, "textDocument": {"uri": self._uri(file)}}
        if method == "codeAction":
            diagnostics = handle_request(self._editor, "textDocument/diagnostic", request)["items"]
            request["context"] = {"diagnostics": diagnostics}
            actions = handle_request(self._editor, "textDocument/codeAction", request)
            return _replace_strings([one for one in actions if one["kind"] == "quickfix"], uris)
        return _replace_strings(handle_request(self._editor, f"textDocument/{method}", request), uris)

    def _verify(self, judge: Judge, answer: str) -> dict[str, Any]:
        if len(answer.encode()) > ANSWER_BYTES:
            raise MisplacedFileError(f"the answer is larger than {size_text(ANSWER_BYTES)}")
        return _verdict_json(judge, answer)


def _is_document(file: str) -> bool:
    return file.endswith((".yaml", ".yml"))


def _replace_strings(value: Any, names: Mapping[str, str]) -> Any:
    """Replace strings everywhere in a JSON value, including its keys."""
    match value:
        case str():
            return names.get(value, value)
        case list():
            return [_replace_strings(item, names) for item in value]
        case dict():
            return {names.get(key, key): _replace_strings(item, names) for key, item in value.items()}
        case _:
            return value


def _verdict_json(judge: Judge, answer: Any) -> dict[str, Any]:
    """Return the verdict on an answer as JSON, with margins as text."""
    verdict = asdict(judge.answer(answer))
    for finding in verdict["findings"]:
        margin = finding["margin"]
        finding["by"] = None if margin is None else margin_text(margin, finding["unit"])
    return verdict


def _panel_json(judge: Judge, answer: str) -> dict[str, Any] | None:
    """Return the plan in an answer as contents of a panel; None if the answer cannot be read."""
    from planspec.live.panel.panels import plan_with_verdict  # this import is slow and not needed for verdicts

    plan = judge.read(answer)
    if plan is None:
        return None
    return plan_with_verdict(judge, "the answer", plan, judge.answer(answer)).model_dump(
        mode="json", exclude_defaults=True
    )


def _explanation_json(code: str) -> dict[str, str]:
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
        "task": judge.task.id,
        "status": solution.status.value,
        "plan": plan,
        "reason": solution.reason,
        "backend": backend,
        "soft": {"satisfied": solution.soft_weight, "total": solution.soft_total},
        "objectives": [
            {"said": level.objective.span.text, "word": level.objective.word, "value": value}
            for level, value in zip(solution.levels, solution.values_in_words(), strict=True)
        ],
        "verdict": None if plan is None else _verdict_json(judge, plan),
    }


def _validate(judge: Judge, seconds: float, notify: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Prove claims with each back end, and check a proof of them.

    `notify` is called with each part of the result as soon as it is ready.
    """
    from planspec.api.claim_outputs import best_output, claim_output, unique_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import claims
    from planspec.solvers.questions.claims import variant_for_best

    limits = Limits(seconds=seconds)
    proved: dict[str, Any] = {}
    validation: Validation | None = None
    for name in ("smt", "sat"):
        notify({"doing": name})
        validation = claims.validate_claims(judge.ground, backends=(name,), limits=limits)
        best = best_output(judge, validation, None, is_requested=False)
        proved[name] = {
            "feasible": claim_output(validation.feasible).model_dump(mode="json"),
            "unique": _unique_json(unique_output(judge, judge.ground, validation, None, is_requested=False)),
            "best": None if best is None else best.model_dump(mode="json") | {"unique": _unique_json(best.unique)},
        }
        notify({"proved": {name: proved[name]}})
    assert validation is not None
    proofs = []
    ground = None if validation.best is None else variant_for_best(judge.ground, validation.best.witness)
    parts = [
        ("all", judge.ground, validation),
        *([] if ground is None or validation.best is None else [("best", ground, validation.best)]),
    ]
    for about, whole, claims_ in parts:
        if claims_.unique.status in ("unique", "infeasible"):
            notify({"doing": "proof"})
            proofs.append({"about": about, **_prove_no_other_plan(whole, claims_.witness, limits.seconds)})
            notify({"proof": proofs[-1]})
    reference = judge.reference_verdict()
    return {
        "task": judge.task.id,
        "backends": proved,
        "proofs": proofs,
        "witness": None if validation.witness is None else plain_json(judge.encode(validation.witness)),
        "reference": None if reference is None else reference.status,
    }


def _unique_json(unique: UniqueOutput) -> dict[str, Any]:
    """Return a claim of uniqueness as JSON, with the differences between two plans as text."""
    return unique.model_dump(mode="json") | {"apart": [one.said for one in unique.differences]}


def _prove_no_other_plan(ground: Ground, witness: Plan | None, seconds: float | None) -> dict[str, Any]:
    """Prove that the witness is the only plan (without a witness: that there is no plan), and check the proof.

    Returns:
        The sizes and times of the proof, or the reason why there is none.
    """
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
        "status": "checked",
        "variables": obligation_.formula.variables,
        "clauses": len(obligation_.formula.clauses),
        "steps": len(refutation.steps),
        "prover": refutation.prover,
        "seconds": round(refutation.seconds, 4),
        "checking_s": round(refutation.checking_s, 4),
        "because_of": list(reasons_of(ground, obligation_, refutation, limits)),
    }


def _explain_conflicts(judge: Judge, backend: Backend, seconds: float) -> dict[str, Any]:
    from planspec.api.conflict_outputs import conflict_output
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions import conflicts

    conflict = conflicts.why(judge.ground, every=True, backend=backend, limits=Limits(seconds=seconds))
    output = conflict_output(judge.task, conflict).model_dump(mode="json")
    for relaxation in output["relaxations"]:
        for amount in relaxation["amounts"]:
            amount["said"] = margin_text(amount["by"], amount["unit"]).lstrip("+")
    return output


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
