"""Redirects that lead somewhere, and those that do not (H3). What lies on a redirect's way is mentioned nowhere else,
so that the number of hops to it is the same in every crawl."""

from functools import partial
from itertools import pairwise

from hondius.testweb.cards.card import Card
from hondius.testweb.model import Answer, Content, Expected, Resource
from hondius.testweb.site import Site
from hondius.testweb.variants import with_session, with_tracking

MOST_HOPS = 5
STATUSES = (301, 302, 303, 307, 308)


def _redirect(site: Site, kind: str, target: str, status: int, location: str, to: str) -> Resource:
    answer = Answer(status=status, content=Content.NOTICE, location=location)
    return site.add(kind, target, answer, Expected("redirected", f"http_{status}", redirect_to=to))


def _broken(site: Site, kind: str, target: str, location: str, cause: str) -> Resource:
    """Written plainly: to a variant, a redirect to itself would be one to another href of the same key form."""
    answer = Answer(status=302, content=Content.NOTICE, location=location)
    return site.add(kind, target, answer, Expected("failed", cause), (site.href(target),))


def _to_own_page(status: int, site: Site, kind: str) -> None:
    page = site.any_page()
    location = site.random.choice(
        (page.key_form, page.target, f"{page.target}#part", with_tracking(page.target, site.random))
    )
    site.offer(_redirect(site, kind, site.fresh("/moved/"), status, location, page.key_form))


def _to_another_host(status: int, site: Site, kind: str) -> None:
    page = site.elsewhere().any_page()
    redirect = _redirect(site, kind, site.fresh("/out/"), status, page.key_form, page.key_form)
    site.offer(redirect)
    site.link(site.elsewhere().any_page(), redirect)


def _loop(site: Site, other: Site, kind: str) -> None:
    there, back = site.fresh("/circle/"), other.fresh("/circle/back-")
    first = _redirect(site, kind, there, 302, other.href(back), other.href(back))
    _redirect(other, f"{kind}_back", back, 301, site.href(there), site.href(there))
    site.offer(first)


def _own_loop(site: Site, kind: str) -> None:
    _loop(site, site, kind)


def _loop_across_hosts(site: Site, kind: str) -> None:
    _loop(site, site.elsewhere(), kind)


def _to_itself(site: Site, kind: str) -> None:
    target = site.fresh("/circle/")
    site.offer(_broken(site, kind, target, site.href(target), "redirect_loop"))


def _chain(hops: int, site: Site, kind: str) -> None:
    """Redirects one behind the other, the last of which leads to a page, if a crawl goes that far."""
    targets = [site.fresh("/relay/", f"-{hop}") for hop in range(hops + 1)]
    for hop, (here, there) in enumerate(pairwise(targets)):
        if hop < MOST_HOPS:
            member = _redirect(site, kind, here, STATUSES[hop % 5], there, site.href(there))
        else:
            member = _broken(site, kind, here, there, "too_many_redirects")
        if hop == 0:
            site.offer(member)
    if hops <= MOST_HOPS:
        site.add(f"{kind}_leaf", targets[-1])
    else:
        site.hidden(f"{kind}_hidden", targets[-1])


def _to_nowhere(location: str, site: Site, kind: str) -> None:
    site.offer(_broken(site, kind, site.fresh("/astray/"), location, "bad_redirect"))


def _away_from_session(site: Site, kind: str) -> None:
    """Known only with a session id; the key form is the same with and without, and both are requested."""
    target = site.fresh("/account/")
    href = site.href(with_session(target, site.random))
    expected = Expected("completed", requests=2)
    site.offer(site.add(kind, target, Answer(session_redirect=True), expected, (href,)))


def _to_forbidden(site: Site, kind: str) -> None:
    site.rules.append("Disallow: /vault/")
    target = site.fresh("/vault/")
    site.add(f"{kind}_blocked", target, Answer(), Expected("blocked", "robots", requests=0), (site.href(target),))
    site.offer(_redirect(site, kind, site.fresh("/moved/"), 302, target, site.href(target)))


REDIRECTS = (
    *(Card(f"redirect_{status}", partial(_to_own_page, status)) for status in STATUSES),
    *(Card(f"redirect_{status}_elsewhere", partial(_to_another_host, status)) for status in STATUSES),
    Card("redirect_loop", _own_loop),
    Card("redirect_loop_across_hosts", _loop_across_hosts),
    Card("redirect_to_itself", _to_itself),
    Card("five_redirects", partial(_chain, MOST_HOPS)),
    Card("six_redirects", partial(_chain, MOST_HOPS + 1)),
    Card("redirect_to_mail", partial(_to_nowhere, "mailto:nobody@example.test")),
    Card("redirect_to_file_transfer", partial(_to_nowhere, "ftp://files.example.test/list")),
    Card("redirect_to_bad_url", partial(_to_nowhere, "http://[not-an-address/")),
    Card("redirect_away_from_session", _away_from_session),
    Card("redirect_to_forbidden", _to_forbidden, needs_rules=True),
)
