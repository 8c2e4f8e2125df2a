"""Crawls that are killed; `make crash` does the same to larger ones, and more often."""
