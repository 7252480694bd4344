"""Operations of planspec: load, verify, solve, prove, certify, converse."""
