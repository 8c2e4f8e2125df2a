"""Signals, as the commands that tests start inherit them.

A run in the background (`nohup`, `&` in a script) ignores SIGHUP or SIGINT, and so would every command that it starts:
a test that interrupts one would wait in vain.
"""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
