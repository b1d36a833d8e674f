"""Computes every number once, over columns, as small tables (no thresholds, no drawing)."""
