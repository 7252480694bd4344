"""Classical problems of planning and scheduling, solved by planspec and, for comparison, by other systems."""
