"""Runs a command of whichever hondius is installed, and notes the files whose functions it called.

`python trace_files.py NOTES crawl …`
"""

import inspect
import json
import os
import runpy
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import NoReturn

called: set[str] = set()
notes, command = Path(sys.argv[1]), sys.argv[2:]


def note(frame: FrameType, event: str, argument: object) -> None:
    """Bodies of modules and classes are no functions: they run when a file is imported."""
    if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        called.add(frame.f_code.co_filename)


def write() -> None:
    sys.setprofile(None)
    inside = [file.rpartition("/hondius/")[2] for file in called if "/hondius/" in file and file.endswith(".py")]
    notes.write_text(json.dumps(sorted(set(inside))))


def exit_after_writing(status: int) -> NoReturn:
    write()
    leave(status)


leave = os._exit
os._exit = exit_after_writing
sys.setprofile(note)
threading.setprofile(note)
sys.argv = ["hondius", *command]
try:
    runpy.run_module("hondius", run_name="__main__", alter_sys=True)
finally:
    write()
