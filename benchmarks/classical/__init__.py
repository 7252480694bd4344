"""Classical problems of planning and scheduling, solved by planspec and by the systems of the field side by side."""
