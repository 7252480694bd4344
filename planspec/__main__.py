"""Entry point of `planspec` and `python -m planspec`. It handles Ctrl-C before anything else is loaded."""

import os
import signal


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGINT, _leave)
    from planspec.cli import main as run

    run()


def _leave(*_: object) -> None:
    """End the process at once, without the traceback of an interrupted import."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
