"""Text of an expression -> syntax tree."""
