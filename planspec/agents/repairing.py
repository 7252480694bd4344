"""Agents around another agent: one tells it what the verifier found, one takes the nearest plan that is right."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from planspec.agents.agent import Agent, AgentSpec, Answer, agent, uncontained
from planspec.agents.baselines import OpenedTask, Privileged, written
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import TaskView
from planspec.verifiers.meaning.verdict import Verdict

MOST_TOLD = 20
"""The most findings that the feedback lists."""


class _Around(Privileged):
    """Passes on what the inner agent may know."""

    def __init__(self, of: str) -> None:
        self._spec = AgentSpec.read(of)
        self._inner: Agent = agent(self._spec)

    def privilege(self, opened: OpenedTask) -> None:
        """Take the task, and give it to the inner agent if it may have it."""
        super().privilege(opened)
        if getattr(self._inner, "privileged", False) or getattr(self._inner, "referees", False):
            self._inner.privilege(opened)  # type: ignore[attr-defined]

    def standing(self, view: TaskView, desk: Desk, said: Answer) -> Any:
        """An answer as the verifier takes it: what it refers to by calls is looked up."""
        text = text_of(said)
        if self._opened.resolve is None:
            return text
        return self._opened.resolve(text, desk.trace(view.task, str(self._spec), text, None))

    @property
    def uncontained(self) -> str | None:
        """Why programs of the inner agent are not contained; None where they are, or there are none."""
        return uncontained(self._inner)

    @property
    def siteless(self) -> str | None:
        """Why the inner agent cannot work at a site; None where it can."""
        found: str | None = getattr(self._inner, "siteless", None)
        return found

    @property
    def sightless(self) -> str | None:
        """Why the inner agent sees no pictures; None where it may."""
        found: str | None = getattr(self._inner, "sightless", None)
        return found

    def conceal(self, folders: Iterable[Path]) -> None:
        """Hide folders from the inner agent's programs."""
        concealing = getattr(self._inner, "conceal", None)
        if callable(concealing):
            concealing(folders)

    def close(self) -> None:
        """End what the inner agent keeps open."""
        closing = getattr(self._inner, "close", None)
        if callable(closing):
            closing()

    def about(self) -> Mapping[str, Any]:
        """The record of the inner agent."""
        told = getattr(self._inner, "about", None)
        return {"of": str(self._spec), "inner": dict(told()) if callable(told) else {}}


class RepairLoop(_Around):
    """Tells another agent what the verifier found in its answer, and asks again.

    Args:
        of: the other agent.
        k: how often it is asked again at most.
    """

    def __init__(self, of: str, k: int = 3) -> None:
        super().__init__(of)
        self._most = k

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The first answer that passes, or the last one: also where the other agent then fails."""
        judge = self.judge(view)
        asked, said = view, self._inner.answer(view, desk)
        statuses = []
        for again in range(self._most + 1):
            verdict = judge.answer(self.standing(view, desk, said))
            statuses.append(verdict.status)
            desk.note("repair", {"rounds": again, "statuses": list(statuses)})
            if verdict.status == "pass" or again == self._most:
                break
            asked = replace(
                view,
                query=feedback(verdict),
                earlier=(*asked.earlier, (asked.query, text_of(said))),
            )
            try:
                said = self._inner.answer(asked, desk)
            except AttemptFailedError as failed:
                desk.note("repair_ended", f"{failed.boundary}: {failed.message}")
                break
        return said


class MinimalRepair(_Around):
    """Takes another agent's answer to the nearest plan that satisfies every hard constraint.

    What the other agent had right, and what it lost, is noted: the edits, and how far the plan is.

    Args:
        of: the other agent.
        backend: who searches.
        seconds: for each turn.
    """

    def __init__(self, of: str, backend: str = "cpsat", seconds: float = 60.0) -> None:
        super().__init__(of)
        self._backend, self._seconds = backend, seconds

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The nearest right plan; for an unreadable answer, the nearest to an empty plan."""
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions import repair as search
        from planspec.verifiers.meaning.plan_rows import Plan

        judge = self.judge(view)
        said: Answer | None = None
        failed: AttemptFailedError | None = None
        try:
            said = self._inner.answer(view, desk)
        except AttemptFailedError as failure:
            failed = failure
        stands = None if said is None else self.standing(view, desk, said)
        read = None if stands is None else judge.read(stands)
        found = search.repair(
            judge.ground, read if read is not None else Plan({table.name: () for table in judge.task.plan_tables}),
            backend=self._backend, limits=Limits(seconds=min(self._seconds, desk.left / 2), seed=view.seed),
        )  # fmt: skip
        desk.note(
            "minimal_repair",
            {
                "status": found.status.value, "edits": len(found.edits), "distance": dict(found.distance or {}),
                "answered": read is not None, "failure": f"{failed.boundary}: {failed.message}" if failed else None,
                "before": "undelivered" if stands is None else judge.answer(stands, details="violated").status,
            },
        )  # fmt: skip
        if found.plan is None:
            if said is None:
                assert failed is not None
                raise failed
            return said
        return written(judge, found.plan)


def feedback(verdict: Verdict) -> str:
    """The verifier's findings, as feedback for an agent."""
    broken = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
    lines = ["The answer is not right yet. The verifier found:"]
    lines += [f"- {finding.constraint}: {finding.message}" for finding in broken[:MOST_TOLD]]
    if len(broken) > MOST_TOLD:
        lines.append(f"- and {len(broken) - MOST_TOLD} more")
    return "\n".join([*lines, "Give the whole answer again, mended."])


def text_of(said: Answer) -> str:
    """An answer as text."""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
