"""Entry point of `planspec` and `python -m planspec`; handles Ctrl-C before anything else is loaded."""

import os
import signal


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGINT, _leave)
    from planspec.cli import main as run

    run()


def _leave(*_: object) -> None:
    """End the process without a traceback of the interrupted import."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
