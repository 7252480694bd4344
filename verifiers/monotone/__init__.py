"""Parts of rules that can only get worse while a plan grows."""
