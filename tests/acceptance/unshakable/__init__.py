"""`make accept ONLY=unshakable`: no byte from a stranger stops a crawl.

defects    each defect that was found from outside: red on the earlier build, green today plants     planted bugs: the
seed that finds each, on the earlier build and today; exceptions at each step, which must be survived hostile    800
healthy hosts beside 200 hostile ones: nothing healthy is lost, the event loop stays responsive speed      CPU and
memory of a page against the earlier build, in pairs; instructions of the kernels suites     no regressions: tests,
kills, simulation, and the older acceptance commands; only planted bugs end a URL as `internal`

`make accept ONLY=unshakable PART=hostile` runs one part alone.
"""
