"""The command line `hondius`: one file a family of commands.

A command checks everything it was given before it writes anything; what is wrong is said in one line on
standard error, with what to do about it. Exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.
"""
