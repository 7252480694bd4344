"""The intermediate representation: a small language of integers and Booleans that every back end accepts."""
