"""The links of pages, in segment files: source, target and anchor text.

The first append of a run creates a segment with its header, and so does each further 256 MiB. A segment grows by
blocks, each synced before its frame is written. Once complete it never changes, like a WARC file. After a crash it may
have a tail that no frame records: opening cuts it off, and removes files that no frame records at all. If a block is
lost, `rebuild` reads the links of its pages again from the archive, and a frame records where they are now.

    embedded.py    writes the files, and reads the links of one page
    reading.py     reads blocks, one after the other
"""
