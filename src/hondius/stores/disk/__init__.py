"""Files as the crawl writes them, and the lock that makes it their only writer.

A file is born by its first `append` or by `replace`; its name is durable before its first byte is.
It grows by appends, becomes durable by `sync`, is cut by `truncate` (a torn tail, a batch that did
not fit) and dies by `remove`. Names that start with a dot are temporaries of a `replace` that never
ended: nobody sees them, and the next `replace` of that name writes over them.

One process at a time writes a crawl directory: `DirectoryLock` holds it for as long as it lives.
"""
