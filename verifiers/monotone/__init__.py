"""What can only get worse while a plan grows."""
