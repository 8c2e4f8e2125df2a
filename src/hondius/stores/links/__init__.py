"""The links of pages, in segment files of their own: who links to whom, with which words.

A segment is born with its header by the first append of a run, or of the run's next 256 MiB. It grows by blocks, each
synced before its frame is written, and is then left alone for good, like a WARC file. A crash leaves a tail that no
frame knows: opening cuts it off, and removes a file of which no frame knows anything. Where a block is lost, `rebuild`
reads the links of its pages again from the archive, and a frame says where they lie since then.

    embedded.py    writes the files, and reads the links of one page
    reading.py     reads blocks, one after the other
"""
