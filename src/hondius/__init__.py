"""Hondius: a web crawler that is fast, durable, provably polite and easy."""

import logging

__version__ = "0.1.0"

logging.getLogger(__name__).addHandler(logging.NullHandler())  # as a library it is silent; the command sets up a file
