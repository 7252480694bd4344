"""Program of the worker process. It reads requests and writes results, each as a line of JSON."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path

from planspec.dsl.workspace.workspace import Workspace
from planspec.live.language.shapes import Json
from planspec.live.language.work import run_panel_action


def handle_request(request: Json) -> Json:
    """Return the result of a request. After an unexpected exception, it has the message under `error`."""
    workspace = Workspace()
    for name, text in request["texts"].items():
        workspace.hold(Path(name), text)
    try:
        return run_panel_action(request["work"], Path(request["path"]), workspace, request["params"])
    except Exception as error:  # noqa: BLE001 the boundary of the process: one piece of work that fails ends no other
        traceback.print_exc()
        return {"error": f"planspec has a bug: {type(error).__name__}: {error}"}


def main() -> None:
    """Read requests until the input ends, and write the result of each."""
    out, sys.stdout = sys.stdout, sys.stderr  # output of solvers must not mix with results
    for line in sys.stdin:
        out.write(json.dumps(handle_request(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
