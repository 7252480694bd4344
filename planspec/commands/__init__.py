"""The commands of `planspec`, grouped by what they work on."""
