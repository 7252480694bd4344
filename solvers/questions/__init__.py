"""Questions about a problem: a plan, all plans, conflicts, repairs, uniqueness, difficulty."""
