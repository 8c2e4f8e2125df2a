"""What a release must show: the real command against whole webs, judged from outside.

Each module is a command of its own (`python -m tests.acceptance.manifest`), prints what it saw in lines of its own and
one last line of figures, and exits with status 1 when a bar is missed. `lossless` runs them all.
`commands` and `synthetic_web` start what is judged; nothing here imports the crawler.
"""
