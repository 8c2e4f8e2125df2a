"""Requests and answers, as WARC files that outlive Hondius (S3).

The first append of a run creates a file with its `warcinfo` record, and so does each further gigabyte. A file grows by
whole batches, each synced before its frame is written. Once complete it never changes: a run never continues a file of
an earlier run. So a copy of a file stays equal to it, and its `warcinfo` is valid for all of it. When a file is
complete, its index lines are sorted into a `.cdxj` file.

After a crash a file may have a tail that no frame records: opening cuts it off, and removes files that no frame records
at all. The index is missing then: opening creates it from the file.

    embedded.py    the files
    reading.py     reads records
    memory.py      the same records, without files
    rewriting.py   copies a file, some records without their bodies
    index.py       the `.cdxj` of a file
    originals.py   which bodies are already archived
"""
