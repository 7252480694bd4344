"""Two agents that wrap another agent. One sends it the verifier's findings, the other repairs its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from planspec.agents.agent import Agent, AgentSpec, Answer, agent
from planspec.agents.baselines import OpenedTask, PrivilegedAgent, encode_plan
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.optional import FormerAttribute, about, agent_info, close, conceal, privilege
from planspec.agents.view import TaskView
from planspec.traces.json_text import text_of
from planspec.verifiers.meaning.verdict import Verdict

MAX_FINDINGS = 20
"""Maximum number of findings in the feedback."""


class _OuterAgent(PrivilegedAgent):
    """Base class of agents that wrap an inner agent, which gets only what it is allowed to see.

    Attributes:
        info: the inner agent's `info`, except that the agent is privileged and answers tasks of all families.
    """

    siteless = FormerAttribute()
    sightless = FormerAttribute()
    uncontained = FormerAttribute()

    def __init__(self, of: str) -> None:
        self._spec = AgentSpec.read(of)
        self._inner: Agent = agent(self._spec)
        self._inner_info = agent_info(self._inner)
        self.info = replace(self._inner_info, privileged=True, referees=False, families=None)

    def privilege(self, opened: OpenedTask) -> None:
        """Store the task, and pass it on to the inner agent if that agent is privileged or has a referee."""
        super().privilege(opened)
        if self._inner_info.gets_task:
            privilege(self._inner, opened)

    def resolve_answer(self, view: TaskView, desk: Desk, answer: Answer) -> Any:
        """Return an answer in the form for the verifier, with references to tool calls resolved."""
        text = text_of(answer)
        if self._opened.resolve is None:
            return text
        return self._opened.resolve(text, desk.trace(view.task, str(self._spec), text, None))

    def conceal(self, folders: Iterable[Path]) -> None:
        """Hide folders from the inner agent's programs."""
        conceal(self._inner, folders)

    def close(self) -> None:
        """Close the inner agent."""
        close(self._inner)

    def about(self) -> Mapping[str, Any]:
        """Return the description of the inner agent."""
        return {"of": str(self._spec), "inner": about(self._inner)}


class RepairLoop(_OuterAgent):
    """Repeats the request to another agent, with the verifier's findings on its last answer.

    Args:
        of: the other agent, as a spec.
        k: maximum number of repeated requests.
    """

    def __init__(self, of: str, k: int = 3) -> None:
        super().__init__(of)
        self._max_repeats = k

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the first passing answer. If there is none, or the other agent fails, return its last answer."""
        judge = self.judge(view)
        request, answer = view, self._inner.answer(view, desk)
        statuses = []
        for repeats in range(self._max_repeats + 1):
            verdict = judge.answer(self.resolve_answer(view, desk, answer))
            statuses.append(verdict.status)
            desk.note("repair", {"rounds": repeats, "statuses": list(statuses)})
            if verdict.status == "pass" or repeats == self._max_repeats:
                break
            request = replace(
                view,
                query=feedback(verdict),
                earlier=(*request.earlier, (request.query, text_of(answer))),
            )
            try:
                answer = self._inner.answer(request, desk)
            except AttemptFailedError as failed:
                desk.note("repair_ended", f"{failed.boundary}: {failed.message}")
                break
        return answer


class MinimalRepair(_OuterAgent):
    """Replaces another agent's answer by the nearest plan that satisfies every hard constraint.

    The attempt records the edits, their distance and any failure of the other agent.

    Args:
        of: the other agent, as a spec.
        backend: name of the solver back end.
        seconds: time limit of the search for each turn.
    """

    def __init__(self, of: str, backend: str = "cpsat", seconds: float = 60.0) -> None:
        super().__init__(of)
        self._backend, self._seconds = backend, seconds

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the feasible plan nearest to the answer. An unreadable answer counts as an empty plan."""
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions import repair as search
        from planspec.verifiers.meaning.plan_rows import Plan

        judge = self.judge(view)
        answer: Answer | None = None
        failed: AttemptFailedError | None = None
        try:
            answer = self._inner.answer(view, desk)
        except AttemptFailedError as failure:
            failed = failure
        resolved = None if answer is None else self.resolve_answer(view, desk, answer)
        plan = None if resolved is None else judge.read(resolved)
        repair = search.repair(
            judge.ground,
            plan if plan is not None else Plan({table.name: () for table in judge.task.plan_tables}),
            backend=self._backend,
            limits=Limits(seconds=min(self._seconds, desk.left / 2), seed=view.seed),
        )
        desk.note(
            "minimal_repair",
            {
                "status": repair.status.value,
                "edits": len(repair.edits),
                "distance": dict(repair.distance or {}),
                "answered": plan is not None,
                "failure": f"{failed.boundary}: {failed.message}" if failed else None,
                "before": "undelivered" if resolved is None else judge.answer(resolved, details="violated").status,
            },
        )
        if repair.plan is None:
            if answer is None:
                assert failed is not None
                raise failed
            return answer
        return encode_plan(judge, repair.plan)


def feedback(verdict: Verdict) -> str:
    """Return feedback for an agent: the verifier's findings on its answer, except soft ones."""
    broken = [f for f in verdict.findings if f.status == "violated" and f.level != "soft"]
    lines = ["The answer is not right yet. The verifier found:"]
    lines += [f"- {finding.constraint}: {finding.message}" for finding in broken[:MAX_FINDINGS]]
    if len(broken) > MAX_FINDINGS:
        lines.append(f"- and {len(broken) - MAX_FINDINGS} more")
    return "\n".join([*lines, "Give the whole answer again, mended."])
