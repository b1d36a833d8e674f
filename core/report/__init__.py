"""Writes what was measured: markdown for people, JSON for programs."""
