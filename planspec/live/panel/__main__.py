"""`python -m planspec.live.panel` computes panels with proofs, in a process that can be killed at any time.

Each line of standard input is a request, `{"task": ..., "seconds": ..., "answer": ...}`. Each line of standard output
is a panel, in the order of the requests. Slow imports happen before the first request.
"""

import json
import sys
from pathlib import Path

from planspec.live.panel.panels import proved_panel
from planspec.live.panel.record import MistakeShown, PanelShown
from planspec.report.texts import line
from planspec.solvers.backends.register import PROVERS, backend


def main() -> None:
    """Write a panel for each request until the input ends."""
    for name in PROVERS:
        backend(name)
    for request in sys.stdin:
        params = json.loads(request)
        answer = params.get("answer")
        try:
            panel = proved_panel(params["task"], params["seconds"], None if answer is None else Path(answer))
        except Exception as error:  # noqa: BLE001 any failure becomes an answer
            message = line(f"the proofs failed: {type(error).__name__}: {error}", 1000)
            panel = PanelShown(
                task=params["task"], mistakes=(MistakeShown(severity="error", code="", message=message),)
            )
        sys.stdout.write(panel.model_dump_json(exclude_defaults=True) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
