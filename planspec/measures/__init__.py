"""What is measured of plans and of runs: intervals of numbers, ways between places."""
