"""Records of what was sent: one file a run, written by the engine at the actual send, and never synced.

A file is born empty when a run begins and grows by 64 bytes a record. It survives `kill -9`, not the machine. After a
crash the last records tell which hosts were contacted since the last frame.

    files.py    the files; in every world, as the engine writes them by itself
"""
