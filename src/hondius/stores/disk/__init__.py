"""The files of a crawl, and the lock that gives it one writer.

The first `append` or a `replace` creates a file; its name is durable before its first byte. `append` extends it, `sync`
makes it durable, `truncate` cuts it (a torn tail, a batch that did not fit), and `remove` removes it. Names that start
with a dot are temporary files of an interrupted `replace`. `list` hides them, and the next `replace` of that name
overwrites them.

One process at a time writes a crawl directory: it holds the `DirectoryLock` as long as it lives.
"""
