"""The model of a checked task: types, values, rows, the checked tree and the task itself."""
