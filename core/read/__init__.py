"""Reads trace files into captures."""
