"""Hondius: a web crawler that is fast, durable, provably polite and easy."""

__version__ = "0.1.0"
