"""Runs every example of the README and the guide, as a reader would: in order, in an empty directory.

blocks.py     finds the examples of a document
site.py       serves `https://example.com/` on loopback, for the examples that crawl it
reader.py     a reader of one document: has a shell, a Python and a terminal for servers
"""
