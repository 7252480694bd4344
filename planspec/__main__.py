"""`python -m planspec`."""

from planspec.cli import main

main()
