"""The commands of `planspec`, grouped by what they act on."""
