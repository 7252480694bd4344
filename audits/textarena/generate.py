"""Write seeded records of TextArena's puzzle environments as JSON lines.

Usage: python generate.py OUT [COUNT [SEED]]

Each environment has a file NAME.jsonl with the keys `id`, `seed`, `question` (the first observations of the player) and `metadata`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import textarena

Record = dict[str, Any]
ENVIRONMENTS = {
    "slitherlink": "Slitherlink-v0-raw",
    "lights_out": "LightsOut-v0-raw",
    "sudoku": "Sudoku-v0-hard-raw",
}
"""The registered environments, without the wrappers that only change the form of observations."""


def environment(name: str, seed: int) -> Any:
    """Return an environment with the puzzle of a seed."""
    made = textarena.make(ENVIRONMENTS[name])
    made.reset(num_players=1, seed=seed)
    return made


def metadata(name: str, env: Any) -> Record:
    """Return the puzzle of an environment, and its own solution if it stores one."""
    match name:
        case "slitherlink":
            return {"clues": env.clues}
        case "lights_out":
            return {"lights": env.state.game_state["grid"], "max_turns": env.max_turns}
        case "sudoku":
            return {"puzzle": env.game_board, "solution": env.full_grid}
    raise ValueError(f"no environment {name}")


def main(out: Path, count: int = 100, seed: int = 42) -> None:
    """Write the records of every environment."""
    out.mkdir(parents=True, exist_ok=True)
    for name in ENVIRONMENTS:
        with (out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for index in range(count):
                env = environment(name, seed + index)
                question = "\n".join(message for _, message, _ in env.state.observations[0])
                record = {"id": f"{name}-{index}", "seed": seed + index, "question": question}
                file.write(json.dumps({**record, "metadata": metadata(name, env)}) + "\n")
        print(f"{name}: {count} records")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
