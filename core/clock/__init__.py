"""Puts the clocks of all hosts on one time line, and says how far to trust it."""
