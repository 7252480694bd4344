"""What a checked task is made of: types, values, rows, the checked tree and the task itself."""
