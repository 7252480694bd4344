"""How fast plans are judged: the compiled verifier, the interpreter, and functions written by hand.

The task is a city trip with 16 rules; plans are a good one and bad ones that differ from it in one cell. Run it as
`python -m benchmarks.verifier`. Figures are medians over rounds; what counts is the ratios.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from time import perf_counter

from benchmarks.trip import HandWritten, bad_plans, good_plan, trip_task, with_a_hole
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan

Judge = Callable[[Plan], Sequence[bool | None]]


def interpreted(of: Ground) -> Judge:
    def judge(plan: Plan) -> Sequence[bool | None]:
        interpreter = of.interpreter.on(Plan(plan.tables))
        return [
            interpreter.holds(each.constraint.body, each.env) if each.applicable else None
            for each in of.instances
        ]

    return judge


def microseconds(judge: Judge, plans: Sequence[Plan], calls: int) -> float:
    """The time for a plan."""
    repeat = max(1, calls // len(plans))
    start = perf_counter()
    for _ in range(repeat):
        for plan in plans:
            judge(plan)
    return (perf_counter() - start) / (repeat * len(plans)) * 1e6


def compile_milliseconds(of: Ground, plan: Plan) -> float:
    """The time from a task without code to the first verdict."""
    gc.collect()
    start = perf_counter()
    compile_task(of).judge(plan)
    return (perf_counter() - start) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, nargs="*", default=[6, 8, 10, 12])
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print("microseconds a plan; with holes: one cell is none, so the careful version runs")
    print(
        "visits  plans  interpreted  compiled  by hand  with holes  compiled/hand  interpreted/compiled  compile ms"
    )
    for visits in args.visits:
        task = trip_task(visits)
        of = ground(task)
        good = good_plan(task)
        compiled, hand, slow = compile_task(of), HandWritten(task), interpreted(of)
        bad = bad_plans(task, good, Random(visits), 20)
        for plan in (good, *bad):
            assert compiled.judge(plan) == tuple(slow(plan)) == hand.judge(plan)
        assert all(compiled.judge(good))
        holed = with_a_hole(good)
        assert compiled.judge(holed) == tuple(slow(holed))
        for name, plans in (("good", [good]), ("bad", bad)):
            # Contenders take turns, so that what else the machine does meets them all.
            rounds = [
                (
                    microseconds(slow, plans, 10),
                    microseconds(compiled.judge, plans, 400),
                    microseconds(hand.judge, plans, 400),
                    microseconds(compiled.judge, [holed], 400),
                    compile_milliseconds(of, good),
                )
                for _ in range(args.rounds)
            ]
            slowly, fast, by_hand, careful, ready = (median(times) for times in zip(*rounds, strict=True))
            to_hand = median(round_[1] / round_[2] for round_ in rounds)
            to_slow = median(round_[0] / round_[1] for round_ in rounds)
            print(
                f"{visits:6}  {name:5}  {slowly:11.1f}  {fast:8.1f}  {by_hand:7.1f}  {careful:10.1f}"
                f"  {to_hand:13.2f}  {to_slow:20.1f}  {ready:10.2f}"
            )


if __name__ == "__main__":
    main()
