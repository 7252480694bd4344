"""Speed of judging plans: the compiled verifier, the interpreter, and hand-written functions.

The task is a city trip with 16 rules. The plans are a good plan, and bad plans that differ from it in one cell.
Figures are medians over rounds; the ratios are more comparable than the times. Run it as
`python -m benchmarks.verifier`.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from time import perf_counter

from benchmarks.trip import HandWrittenJudge, bad_plans, good_plan, plan_with_missing_cell, trip_task
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan

Judge = Callable[[Plan], Sequence[bool | None]]


def interpreting_judge(grounded: Ground) -> Judge:
    def judge(plan: Plan) -> Sequence[bool | None]:
        interpreter = grounded.interpreter.on(Plan(plan.tables))
        return [
            interpreter.holds(each.constraint.body, each.env) if each.applicable else None
            for each in grounded.instances
        ]

    return judge


def microseconds(judge: Judge, plans: Sequence[Plan], calls: int) -> float:
    """Return the time to judge one plan, in microseconds."""
    repeat = max(1, calls // len(plans))
    start = perf_counter()
    for _ in range(repeat):
        for plan in plans:
            judge(plan)
    return (perf_counter() - start) / (repeat * len(plans)) * 1e6


def compile_milliseconds(grounded: Ground, plan: Plan) -> float:
    """Return the milliseconds until the first verdict on a task whose verifier is not compiled yet."""
    gc.collect()
    start = perf_counter()
    compile_task(grounded).judge(plan)
    return (perf_counter() - start) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, nargs="*", default=[6, 8, 10, 12])
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print("microseconds a plan; with holes: one cell is none, so the careful version runs")
    print("visits  plans  interpreted  compiled  by hand  with holes  compiled/hand  interpreted/compiled  compile ms")
    for visits in args.visits:
        task = trip_task(visits)
        grounded = ground(task)
        good = good_plan(task)
        compiled, hand, slow = compile_task(grounded), HandWrittenJudge(task), interpreting_judge(grounded)
        bad = bad_plans(task, good, Random(visits), 20)
        for plan in (good, *bad):
            assert compiled.judge(plan) == tuple(slow(plan)) == hand.judge(plan)
        assert all(compiled.judge(good))
        plan_with_gap = plan_with_missing_cell(good)
        assert compiled.judge(plan_with_gap) == tuple(slow(plan_with_gap))
        for name, plans in (("good", [good]), ("bad", bad)):
            # The judges alternate, so that other load on the machine affects all equally.
            rounds = [
                (
                    microseconds(slow, plans, 10),
                    microseconds(compiled.judge, plans, 400),
                    microseconds(hand.judge, plans, 400),
                    microseconds(compiled.judge, [plan_with_gap], 400),
                    compile_milliseconds(grounded, good),
                )
                for _ in range(args.rounds)
            ]
            interpreter_us, compiled_us, hand_us, holes_us, compile_ms = (
                median(times) for times in zip(*rounds, strict=True)
            )
            to_hand = median(round_[1] / round_[2] for round_ in rounds)
            to_slow = median(round_[0] / round_[1] for round_ in rounds)
            print(
                f"{visits:6}  {name:5}  {interpreter_us:11.1f}  {compiled_us:8.1f}  {hand_us:7.1f}  {holes_us:10.1f}"
                f"  {to_hand:13.2f}  {to_slow:20.1f}  {compile_ms:10.2f}"
            )


if __name__ == "__main__":
    main()
