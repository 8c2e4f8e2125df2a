"""The exchanges themselves, as WARC files that outlive Hondius (S3).

A file is born with its `warcinfo` record by the first append of a run, or of the run's next gigabyte;
it grows by whole batches, each synced before its frame is written, and is then left alone for good: a
run never goes on in a file of an earlier one. So a file that was copied away stays equal to its copy,
and its `warcinfo` speaks for all of it. When a file is done its index lines are sorted into a `.cdxj`
beside it.

A crash leaves a tail that no frame knows: opening cuts it off, and removes a file of which no frame
knows anything. It also leaves no index: opening makes one by reading the file.

    embedded.py    the files
    reading.py     their records, as they are read
    memory.py      the same records, without files
    index.py       the `.cdxj` of a file
    originals.py   which bodies are kept already
"""
