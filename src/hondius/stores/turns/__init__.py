"""Turns at addresses: when a request may start at one, whichever host it is for (P3)."""
