"""The worker's process: a line of JSON with a piece of work comes in, a line with its result goes out."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from planspec.dsl.workspace.workspace import Workspace
from planspec.live.language.shapes import Json
from planspec.live.language.work import work


def result_of(request: Json) -> Json:
    """The result of a piece of work on texts as they are typed; of a bug of ours its last line, under `error`."""
    workspace = Workspace()
    for name, text in request["texts"].items():
        workspace.hold(Path(name), text)
    try:
        return work(request["work"], Path(request["path"]), workspace, request["params"])
    except Exception as error:  # noqa: BLE001 the boundary of the process: one piece of work that fails ends no other
        traceback.print_exc()
        return {"error": f"planspec has a bug: {type(error).__name__}: {error}"}


def main() -> None:
    """Work until the input ends."""
    out, sys.stdout = sys.stdout, sys.stderr  # what a solver prints is no result
    for line in sys.stdin:
        out.write(json.dumps(result_of(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
