"""Planning tasks that can be written, judged and proved."""
