"""What others take: rows of suites and of runs, tables and data frames; tasks as folders of other harnesses."""
