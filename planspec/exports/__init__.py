"""What others take: rows of suites and of runs, as JSON lines, Parquet and data frames."""
