"""Defects that were found from outside, one test each. Every test fails on the earlier build and passes today.

The tests run twice in `make accept ONLY=unshakable`: with the `hondius` of today and with that of the commit which
`tests/acceptance/earlier_build/COMMIT` names. Therefore a test imports nothing of `hondius` at the top of its file: it
drives the command (`tests.journeys.scripted_site.hondius`), or, where the command cannot show the defect within
minutes, it is marked `inside=True` and imports what it needs in its body, by names that both builds have. Files of the
repository are looked at by `repository.py`, in the sources of the build that is tested. A test is red where an
assertion fails or what it waits for does not come; any other exception means that the test itself is broken there, and
counts as such.
"""
