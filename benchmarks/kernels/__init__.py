"""One step of a crawl at a time: what it takes, and that it does not come to take more.

python -m benchmarks.kernels            each hot kernel: microseconds and instructions, beside the committed count
python -m benchmarks.kernels --guard    what `make test` asks: does one need over 10 % more instructions than committed?
python -m benchmarks.kernels.analyse    reading a page, against the best library that does the same from Python

Time on a shared machine is noise; instructions under callgrind are not, so they are what is guarded. A kernel is run
for some laps and for twice as many: the difference has no start-up in it.

    catalogue.py      which kernels there are, and how each is run
    build.py          the native ones as a program, from what the module was built from
    callgrind.py      instructions of an operation
    baseline.py       the committed counts, what they were made with, and who exceeds them
    log_append.py     the kernel that is Python
"""
