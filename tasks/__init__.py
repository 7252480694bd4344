"""Everything that is written in the language: libraries, worlds and suites, kept as data."""
