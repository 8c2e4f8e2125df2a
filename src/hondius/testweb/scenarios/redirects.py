"""Valid and invalid redirects (H3). Nothing else links to the targets on the way, so that the number of hops is the
same in every crawl."""

from functools import partial
from itertools import pairwise

from hondius.testweb.model import Answer, Content, Expected, Resource
from hondius.testweb.scenarios.scenario import Scenario
from hondius.testweb.site import Site
from hondius.testweb.variants import add_session, add_tracking

MOST_HOPS = 5
STATUSES = (301, 302, 303, 307, 308)


def _redirect(site: Site, kind: str, target: str, status: int, location: str, to: str) -> Resource:
    answer = Answer(status=status, content=Content.NOTICE, location=location)
    return site.add(kind, target, answer, Expected("redirected", f"http_{status}", redirect_to=to))


def _broken(site: Site, kind: str, target: str, location: str, cause: str) -> Resource:
    """Uses the plain href: from a variant, a redirect to itself would be one to another href of the same key form."""
    answer = Answer(status=302, content=Content.NOTICE, location=location)
    return site.add(kind, target, answer, Expected("failed", cause), (site.href(target),))


def _to_own_page(status: int, site: Site, kind: str) -> None:
    page = site.choose_page()
    location = site.random.choice(
        (page.key_form, page.target, f"{page.target}#part", add_tracking(page.target, site.random))
    )
    site.link_from_some_page(_redirect(site, kind, site.make_target("/moved/"), status, location, page.key_form))


def _to_another_host(status: int, site: Site, kind: str) -> None:
    page = site.choose_other_host().choose_page()
    redirect = _redirect(site, kind, site.make_target("/out/"), status, page.key_form, page.key_form)
    site.link_from_some_page(redirect)
    site.link(site.choose_other_host().choose_page(), redirect)


def _loop(site: Site, other: Site, kind: str) -> None:
    there, back = site.make_target("/circle/"), other.make_target("/circle/back-")
    first = _redirect(site, kind, there, 302, other.href(back), other.href(back))
    _redirect(other, f"{kind}_back", back, 301, site.href(there), site.href(there))
    site.link_from_some_page(first)


def _own_loop(site: Site, kind: str) -> None:
    _loop(site, site, kind)


def _loop_across_hosts(site: Site, kind: str) -> None:
    _loop(site, site.choose_other_host(), kind)


def _to_itself(site: Site, kind: str) -> None:
    target = site.make_target("/circle/")
    site.link_from_some_page(_broken(site, kind, target, site.href(target), "redirect_loop"))


def _chain(hops: int, site: Site, kind: str) -> None:
    """A chain of redirects, the last of which leads to a page."""
    targets = [site.make_target("/relay/", f"-{hop}") for hop in range(hops + 1)]
    for hop, (here, there) in enumerate(pairwise(targets)):
        if hop < MOST_HOPS:
            member = _redirect(site, kind, here, STATUSES[hop % 5], there, site.href(there))
        else:
            member = _broken(site, kind, here, there, "too_many_redirects")
        if hop == 0:
            site.link_from_some_page(member)
    if hops <= MOST_HOPS:
        site.add(f"{kind}_leaf", targets[-1])
    else:
        site.add_hidden(f"{kind}_hidden", targets[-1])


def _to_nowhere(location: str, site: Site, kind: str) -> None:
    site.link_from_some_page(_broken(site, kind, site.make_target("/astray/"), location, "bad_redirect"))


def _away_from_session(site: Site, kind: str) -> None:
    """Linked only with a session id. The key form is the same with and without it, and both are requested."""
    target = site.make_target("/account/")
    href = site.href(add_session(target, site.random))
    expected = Expected("completed", requests=2)
    site.link_from_some_page(site.add(kind, target, Answer(session_redirect=True), expected, (href,)))


def _to_forbidden(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /vault/")
    target = site.make_target("/vault/")
    site.add(f"{kind}_blocked", target, Answer(), Expected("blocked", "robots", requests=0), (site.href(target),))
    site.link_from_some_page(_redirect(site, kind, site.make_target("/moved/"), 302, target, site.href(target)))


REDIRECTS = (
    *(Scenario(f"redirect_{status}", partial(_to_own_page, status)) for status in STATUSES),
    *(Scenario(f"redirect_{status}_elsewhere", partial(_to_another_host, status)) for status in STATUSES),
    Scenario("redirect_loop", _own_loop),
    Scenario("redirect_loop_across_hosts", _loop_across_hosts),
    Scenario("redirect_to_itself", _to_itself),
    Scenario("five_redirects", partial(_chain, MOST_HOPS)),
    Scenario("six_redirects", partial(_chain, MOST_HOPS + 1)),
    Scenario("redirect_to_mail", partial(_to_nowhere, "mailto:nobody@example.test")),
    Scenario("redirect_to_file_transfer", partial(_to_nowhere, "ftp://files.example.test/list")),
    Scenario("redirect_to_bad_url", partial(_to_nowhere, "http://[not-an-address/")),
    Scenario("redirect_away_from_session", _away_from_session),
    Scenario("redirect_to_forbidden", _to_forbidden, needs_rules=True),
)
