"""The command line `hondius`: one file a command, named as the command.

A command checks everything it was given before it writes anything; what is wrong is said in one line on
standard error, with what to do about it. Exit status: 0 done, 1 failed, 2 wrong use, 130 interrupted.

Beside the commands: `main.py` finds them; `options.py`, `wishes.py` and `settings_option.py` have the options that
several of them take; `starting.py` and `session.py` run a crawl for `crawl` and `resume`; `orders.py` gives an order to
a crawl, whether it runs or not; `display/` draws.
"""
