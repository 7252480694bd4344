"""What is asked of a problem: a plan, all plans, conflicts, repairs, uniqueness, difficulty."""
