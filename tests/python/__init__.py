"""The public Python interface (O2)."""
