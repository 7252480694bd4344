"""What is wrong with an author's text: sources with positions, codes, and the forms in which it is told."""
