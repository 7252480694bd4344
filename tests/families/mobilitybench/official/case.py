"""Cases and runs of an invented town, in the form of the public table and of the toolkit's results."""

import json
from typing import Any

from planspec.families.mobilitybench.official.evaluator import Truth, truth_of
from planspec.families.mobilitybench.traces_reading import trace_of_mobilitybench
from planspec.traces import Trace


def case(scenario: str, *tools: str, **cells: Any) -> Truth:
    """Return a case of a scenario whose reference program calls these tools. `cells` are further columns of its record."""
    program = [{"name": tool, "arguments": {}} for tool in tools]
    record = {"task_scenario": scenario, "intent_family": "Some family", "tool_list": str(program), **cells}
    return truth_of(record, "case_1")


def run(
    answer: Any = None,
    *calls: tuple[str, Any],
    intent: str = "",
    thinking: str = "",
    steps: Any = (("x",),),
    **more: Any,
) -> Trace:
    """Return an agent's run with planned steps, the given calls (tool and arguments), and an answer."""
    listed = [{"id": str(n), "name": name, "args": args} for n, (name, args) in enumerate(calls)]
    return trace_of_mobilitybench(
        {
            "case_id": "case_1",
            "planner_output": {"intent": intent, "thinking": thinking, "steps": [list(group) for group in steps]},
            "worker_output": [{"tool_calls": [call]} for call in listed],
            "reporter_output": answer,
        }
        | more
    )


def fenced_answer(**fields: Any) -> str:
    """Return an answer in the form that the toolkit requests from agents."""
    return f"```json\n{json.dumps(fields, ensure_ascii=False)}\n```"
