"""Train small policies on errands, parts of schedules and trips, and draw learning curves.

Run it as `python -m planspec_train [--out DIR]`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from planspec_train.choosing import trials
from planspec_train.courses import COURSES, Course
from planspec_train.curve import draw_curves
from planspec_train.policy import Policy


def main() -> int:
    """Train with each seed, write curves and figures, and print a table; return 1 if a kind of task was not learnt."""
    parser = argparse.ArgumentParser(prog="python -m planspec_train", description=__doc__)
    parser.add_argument(
        "--kind", action="append", choices=list(COURSES), help="kind of tasks, repeatable; all by default"
    )
    parser.add_argument("--out", type=Path, default=Path("build/train/runs"), help="folder of suites and results")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds, at least 2")
    parser.add_argument("--steps", type=int, help="number of updates, instead of the default of the kind")
    parser.add_argument(
        "--choose",
        action="store_true",
        help="only compare the settings of the grid, on the validation tasks",
    )
    options = parser.parse_args()
    if options.choose:
        for kind in options.kind or COURSES:
            _print_grid(kind, options.out / kind)
        return 0
    if options.seeds < 2:
        parser.error("--seeds is at least 2, since a spread is measured")
    learnt = [_learn(kind, options.out / kind, options.seeds, options.steps) for kind in options.kind or COURSES]
    print(f"{sum(os.times()[:4]) / 60:.1f} CPU minutes in all")
    return 0 if all(learnt) else 1


def _print_grid(kind: str, folder: Path) -> None:
    """Compare the training settings for a kind of tasks: print a table, and the setting with the highest score."""
    print(f"\n{kind}\nsteps  groups  episodes  entropy  addend  score  CPU s  validation rewards", flush=True)
    done = []
    for trial in trials(kind, COURSES[kind], folder):
        done.append(trial)
        settings, rewards = trial.settings, " ".join(f"{reward:.3f}" for reward in trial.rewards)
        print(
            f"{settings.steps:5}  {settings.groups:6}  {settings.episodes:8}  {settings.entropy:7}  {settings.addend:6}  {trial.score:5.3f}  "
            f"{trial.cpu_s:5.0f}  {rewards}",
            flush=True,
        )
    print(f"{kind}: {max(done, key=lambda each: each.score).settings}")


def _learn(kind: str, folder: Path, seeds: int, steps: int | None) -> bool:
    """Train on one kind of tasks with several seeds. Return whether every held-out reward has risen significantly.

    A rise of the mean over the seeds is significant if it exceeds twice their standard deviation at the end.
    """
    course = COURSES[kind]
    course = replace(course, settings=replace(course.settings, steps=steps or course.settings.steps))
    settings = course.settings
    tasks, held_out = (course.open(course.prepare(folder, split)) for split in ("train", "held-out"))
    shipped = [course.open_shipped(each) for each in course.shipped(folder)]
    print(
        f"\n{kind}: {len(tasks)} tasks to learn on, {len(held_out)} held out, {settings.steps} updates of "
        f"{settings.groups} x {settings.episodes} episodes, {Policy().size} parameters"
    )
    print(f"seed  {'   '.join(f'{name} (start end greedy)' for name in course.rewards)}   pass  greedy  calls  CPU s")
    records = [_learn_once(course, tasks, held_out, shipped, seed, folder) for seed in range(seeds)]
    (folder / "curves.json").write_text(json.dumps(records), "utf-8")
    curves = {
        (f"seed {each['seed']}" if len(course.rewards) == 1 else f"{name}, seed {each['seed']}"): [
            (step, rewards[name]) for step, rewards in each["curve"]
        ]
        for name in course.rewards
        for each in records
    }
    drawn = draw_curves(f"{kind}: reward of tasks not learnt on", curves, course.bounds)
    (folder / "curve.svg").write_text(drawn, "utf-8")
    risen = [_has_risen(name, records) for name in course.rewards]
    return all(risen)


def _learn_once(
    course: Course, tasks: list[Any], held_out: list[Any], shipped: list[Any], seed: int, folder: Path
) -> dict[str, Any]:
    """Train with one seed, print a row of the table, and return the measurements."""
    begun, policy, settings = time.process_time(), Policy(), course.settings
    curve: list[tuple[int, dict[str, float]]] = []

    def on_step(step: int) -> None:
        if step % settings.every == 0 or step == settings.steps:
            curve.append((step, dict(course.measure(policy, held_out, step))))

    learnt = course.train(policy, tasks, settings, seed, on_step)
    end, greedy = curve[-1][1], course.measure(policy, held_out, settings.steps, greedy=True)
    whole = [dict(course.measure(policy, [each], seed, greedy=True)) for each in shipped]
    seconds = time.process_time() - begun
    rewards = "   ".join(f"{curve[0][1][name]:6.3f} {end[name]:6.3f} {greedy[name]:6.3f}" for name in course.rewards)
    print(
        f"{seed:4}  {rewards}   {end['pass']:5.3f}  {greedy['pass']:5.3f}  {end['calls']:5.1f}  {seconds:5.0f}   "
        f"shipped tasks: {' '.join(f'{each[course.rewards[0]]:.2f}' for each in whole)}",
        flush=True,
    )
    policy.save(folder / f"seed-{seed}.npy")
    return {
        "seed": seed,
        "curve": curve,
        "learnt": learnt,
        "greedy": greedy,
        "shipped": whole,
        "cpu_s": seconds,
    }


def _has_risen(name: str, records: list[dict[str, Any]]) -> bool:
    """Print the rise of a reward's mean over the seeds. Return whether it exceeds twice the standard deviation."""
    starts, ends = ([each["curve"][place][1][name] for each in records] for place in (0, -1))
    rise, spread = fmean(ends) - fmean(starts), stdev(ends)
    print(f"{name}: {fmean(starts):.3f} to {fmean(ends):.3f}, spread {spread:.3f}: it rose by {rise:.3f}")
    return rise > 2 * spread


if __name__ == "__main__":
    raise SystemExit(main())
