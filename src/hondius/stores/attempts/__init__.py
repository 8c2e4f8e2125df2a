"""Records of requests: one file per run. The engine writes them when it sends, and never syncs them.

A run begins with an empty file, which grows by 64 bytes per record. It survives `kill -9`, but not a crash of the
machine. After a crash the last records show which hosts were contacted since the last frame.

    files.py    the files; the same in every world, because the engine writes them itself
"""
