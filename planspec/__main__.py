"""The program `planspec`, and `python -m planspec`: Ctrl-C is heard before anything else is loaded."""

import os
import signal


def main() -> None:
    """Runs the command line and leaves the process."""
    signal.signal(signal.SIGINT, _leave)
    from planspec.cli import main as run

    run()


def _leave(*_: object) -> None:
    """Ends the process where nothing is under way yet, or any more: what loads would print where it was broken off."""
    os.write(2, b"interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
