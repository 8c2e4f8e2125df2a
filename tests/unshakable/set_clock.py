"""A wall clock that a test can set, for `hondius` in a process of its own.

A small C library replaces the call that reads the wall clock: it adds a number of seconds from a file. Every other
clock is unchanged, as on a machine whose operator sets the time.
"""

import asyncio
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from tests.journeys.scripted_site import Ended

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile long long *set_by;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCK_SET_BY");
    int file = path ? open(path, O_RDONLY) : -1;
    void *map = file < 0 ? MAP_FAILED : mmap(0, 8, PROT_READ, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) set_by = map;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, found);
    if (!status && set_by && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) found->tv_sec += *set_by;
    return status;
}

time_t time(time_t *found) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (found) *found = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
    struct timespec now;
    (void)zone;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    found->tv_sec = now.tv_sec;
    found->tv_usec = now.tv_nsec / 1000;
    return status;
}
"""


class SetClock:
    def __init__(self, directory: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None or sys.platform != "linux":
            pytest.skip("setting the clock of one process needs Linux and a C compiler (cc)")
        self._library = directory / "clock.so"
        self._file = directory / "clock-set-by"
        source = directory / "clock.c"
        source.write_text(SOURCE)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", self._library, source, "-ldl"], check=True)
        self.set_by(0)

    def set_by(self, seconds: int) -> None:
        """Sets the wall clock off by so many seconds, also for a running process. Writes in place, because the process
        has mapped the file."""
        file = os.open(self._file, os.O_RDWR | os.O_CREAT)
        os.pwrite(file, struct.pack("=q", seconds), 0)
        os.close(file)

    async def hondius(self, *arguments: str | Path, seconds: float = 25) -> Ended:
        """Runs the command; kills it if it does not end in time."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hondius", *map(str, arguments)),
            stdout=pipe,
            stderr=pipe,
            env={**os.environ, "LD_PRELOAD": str(self._library), "CLOCK_SET_BY": str(self._file)},
        )
        told = asyncio.create_task(process.communicate())
        await asyncio.wait([told], timeout=seconds)
        if not told.done():
            process.kill()
        out, error = await told
        assert process.returncode is not None
        return Ended(process.returncode, out.decode(), error.decode())
