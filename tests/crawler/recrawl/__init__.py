"""When pages are fetched again (R)."""
