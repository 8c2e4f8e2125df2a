"""800 healthy hosts beside 200 hostile ones, crawled by the real command.

`kinds.py` has the hostile answers, `server.py` serves them in a process of its own, `watched.py` runs the command with
a watch on its event loop and memory, `crawls.py` judges what came of it.
"""
