"""The commands of `planspec`, grouped by their objects."""
