"""Units of what is an integer inside."""

MINUTES_A_DAY = 1440
