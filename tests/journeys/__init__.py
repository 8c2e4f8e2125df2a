"""Whole crawls of small webs by the real command."""
