"""Questions that solvers answer about a task: a plan, all plans, conflicts, repairs, uniqueness, difficulty."""
