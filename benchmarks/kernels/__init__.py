"""One step of a crawl at a time, against the best library that does the same from Python.

python -m benchmarks.kernels.analyse
"""
