"""Where an export goes: a file, a directory, standard output, or S3.

A target is a context. What was written appears under its final name only when it is complete; after an exception,
Ctrl-C included, nothing of it is left.

    target.py      the interface, and which target a name means
    files.py       a file, or a few beside each other
    directory.py   a directory of many files
    stream.py      standard output
    s3.py          objects of a bucket
"""

from hondius.use.export.targets.target import Target, is_remote, target_of

__all__ = ["Target", "is_remote", "target_of"]
