"""Train on errands and on parts of schedules, and draw the curves: `python -m planspec_train [--out DIR]`."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

import planspec
from planspec_train.curve import draw_curves
from planspec_train.episodes import observed_facts
from planspec_train.policy import Policy
from planspec_train.preparing import KINDS
from planspec_train.training import Plan, Task, measure, open_tasks, train

PLANS = {"errands": Plan(steps=120), "scheduling": Plan(steps=120, entropy=0.04)}


def main() -> int:
    """Train with each seed, write curves and figures, and print a table; 1 if a kind of task was not learnt."""
    parser = argparse.ArgumentParser(prog="python -m planspec_train", description=__doc__)
    parser.add_argument(
        "--kind", action="append", choices=list(KINDS), help="kind of tasks, repeatable; all by default"
    )
    parser.add_argument("--out", type=Path, default=Path("build/train/runs"), help="folder of suites and results")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds, at least 2")
    parser.add_argument("--steps", type=int, help="number of updates, instead of the usual one")
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("--seeds is at least 2, since a spread is measured")
    learnt = [_learn(kind, options.out / kind, options.seeds, options.steps) for kind in options.kind or KINDS]
    print(f"{sum(os.times()[:4]) / 60:.1f} CPU minutes in all")
    return 0 if all(learnt) else 1


def _learn(kind: str, folder: Path, seeds: int, steps: int | None) -> bool:
    """Train on one kind of tasks; return whether the held-out reward rose by more than twice its spread."""
    usual = PLANS[kind]
    plan = Plan(steps or usual.steps, usual.groups, usual.episodes, usual.every, usual.entropy)
    suites = KINDS[kind](folder)
    tasks, held_out = open_tasks(suites.train), open_tasks(suites.held_out)
    shipped = [Task(each, observed_facts(each)) for each in map(planspec.environment, suites.shipped)]
    print(
        f"\n{kind}: {len(tasks)} tasks to learn on, {len(held_out)} held out, {plan.steps} updates of "
        f"{plan.groups} x {plan.episodes} episodes, {Policy().size} parameters"
    )
    print("seed  start    end   pass  calls  greedy  CPU s  shipped tasks")
    curves, records = {}, []
    for seed in range(seeds):
        begun = time.process_time()
        policy = Policy()
        curve: list[tuple[int, float]] = []

        def on_step(step: int, policy: Policy = policy, curve: list[tuple[int, float]] = curve) -> None:
            if step % plan.every == 0 or step == plan.steps:
                curve.append((step, measure(policy, held_out, step)["reward"]))

        train(policy, tasks, plan, seed, on_step)
        end, greedy = (measure(policy, held_out, plan.steps, greedy=greedy) for greedy in (False, True))
        whole = [each.attempt(policy, np.random.default_rng(seed), greedy=True)[1]["reward"] for each in shipped]
        seconds = time.process_time() - begun
        curves[f"seed {seed}"] = curve
        records.append({"seed": seed, "curve": curve, "end": end, "greedy": greedy, "shipped": whole, "cpu_s": seconds})
        print(
            f"{seed:4}  {curve[0][1]:5.3f}  {curve[-1][1]:5.3f}  {end['pass']:5.3f}  {end['calls']:5.1f}  "
            f"{greedy['reward']:6.3f}  {seconds:5.0f}  {' '.join(f'{reward:.2f}' for reward in whole)}",
            flush=True,
        )
        np.save(folder / f"seed-{seed}.npy", policy.weights)
    starts, ends = ([curve[place][1] for curve in curves.values()] for place in (0, -1))
    rise, spread = fmean(ends) - fmean(starts), stdev(ends)
    print(f"mean  {fmean(starts):5.3f}  {fmean(ends):5.3f}  spread {spread:.3f}: the reward rose by {rise:.3f}")
    (folder / "curves.json").write_text(json.dumps(records), "utf-8")
    (folder / "curve.svg").write_text(draw_curves(f"{kind}: reward of tasks not learnt on", curves), "utf-8")
    return rise > 2 * spread


if __name__ == "__main__":
    raise SystemExit(main())
