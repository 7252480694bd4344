"""`python -m planspec.live.panel`: panels with their proofs, in a process that may be ended at any time.

Each line of standard input is a request, `{"task", "seconds", "answer"}`; each line of standard output is the panel that answers it. What
takes long to load is loaded before the first request comes.
"""

import json
import sys
from pathlib import Path

from planspec.live.panel.record import MistakeShown, PanelShown
from planspec.live.panel.telling import proved_panel
from planspec.report.texts import line
from planspec.solvers.backends.register import PROVERS, backend


def main() -> None:
    """Answer requests until nobody asks any more."""
    for name in PROVERS:
        backend(name)
    for request in sys.stdin:
        asked = json.loads(request)
        answer = asked.get("answer")
        try:
            made = proved_panel(asked["task"], asked["seconds"], None if answer is None else Path(answer))
        except Exception as error:  # noqa: BLE001 whoever asked is told, whatever it was
            told = line(f"the proofs failed: {type(error).__name__}: {error}", 1000)
            made = PanelShown(
                task=asked["task"], mistakes=(MistakeShown(severity="error", code="", message=told),)
            )
        sys.stdout.write(made.model_dump_json(exclude_defaults=True) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
