"""NearIndex: which pages say nearly the same.

    index.py    the native index, in a directory or in memory, as a view of the log

A frame brings the sketches of its pages (`Finished.sketch`). Pages that are near copies have `near_of`, and are not
added. What a kill loses of the index is applied again from the log.
"""
