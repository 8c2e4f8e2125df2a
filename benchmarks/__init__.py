"""What is measured, and against what. A benchmark is a command, never a timed test."""
