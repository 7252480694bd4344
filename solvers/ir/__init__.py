"""The intermediate representation (IR): a small language of integers and Booleans that every back end accepts."""
