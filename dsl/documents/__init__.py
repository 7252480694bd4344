"""Documents -> a checked task: declarations, givens, definitions, constraints, scope, turns."""
