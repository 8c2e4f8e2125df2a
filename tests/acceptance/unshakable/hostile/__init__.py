"""800 healthy hosts beside 200 hostile ones, crawled by the real command.

`kinds.py` has the hostile answers, `server.py` serves them in a separate process, `watched.py` runs the command and
measures its event loop and memory, `crawls.py` judges the results.
"""
