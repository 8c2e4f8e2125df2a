"""Defects that were found from outside, one test each. Every test fails on the earlier build and passes today.

The tests run twice in `make accept ONLY=unshakable`: with the `hondius` of today and with that of the commit which
`tests/acceptance/earlier_build/COMMIT` names. Therefore a test imports nothing of `hondius` at the top of its file: it
runs the command (`tests.journeys.scripted_site.hondius`). If the command cannot show the defect within minutes, the
test is marked `inside=True` and imports what it needs in its body, by names that both builds have. `repository.py`
reads files of the repository, from the sources of the tested build. A test is red if an assertion fails or if an
expected event does not happen. Any other exception means that the test itself is broken.
"""
