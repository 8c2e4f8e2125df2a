"""Describes for a user why a URL was not fetched, which option helps, and why a run stopped."""

from dataclasses import dataclass

from hondius.hints import MEDIA_HELP
from hondius.model import ALL_FAILED, INTERNAL


@dataclass(frozen=True, slots=True)
class CauseText:
    words: str
    help: str = ""


TYPES_OPTION = "--set scope.content_types"
CAUSES = {
    "dns_nxdomain": CauseText(
        "there is no host of this name",
        "check the spelling; names under .test are never looked up in DNS: give an address with --resolve HOST=ADDRESS",
    ),
    "dns_failure": CauseText(
        "the host's name could not be resolved", "check the network, or name its address with --resolve HOST=ADDRESS"
    ),
    "address_refused": CauseText(
        "its address is private or local, and those are not contacted by default",
        "allow it with --allow-private ADDRESS",
    ),
    "connect_refused": CauseText(
        "no server listens there: the connection was refused", "check the host and its port, and that the server runs"
    ),
    "connect_failed": CauseText("no connection could be made", "check the network and the address"),
    "connect_timeout": CauseText(
        "the server did not accept a connection in time",
        "check that it is up, or wait longer with --set fetch.connect_timeout=30",
    ),
    "proxy_failed": CauseText("the proxy did not let the request through", "check --proxy"),
    "read_timeout": CauseText("the server did not answer in time", "wait longer with --set fetch.read_timeout=60"),
    "total_timeout": CauseText("the answer took too long", "wait longer with --set fetch.total_timeout=180"),
    "connection_reset": CauseText("the server closed the connection early"),
    "http_malformed": CauseText("the server sent invalid HTTP", "check that this port speaks HTTP"),
    INTERNAL: CauseText("this URL triggers a bug of Hondius", "the traceback is in crawl.log: please report it"),
    "robots": CauseText("its robots.txt forbids it"),
    "type": CauseText("its content type is not read by default", f"{MEDIA_HELP}, other types with {TYPES_OPTION}"),
    "extension": CauseText("files of this kind are not crawled by default", MEDIA_HELP),
    "too_many_redirects": CauseText("it redirects more than five times", "check the URL in a browser"),
    "redirect_loop": CauseText("it redirects to itself", "check the URL in a browser; some sites want a cookie"),
    "same_identity_elsewhere": CauseText(
        "it redirects to another host, and the settings of [identity] take both names for one URL",
        "crawl the site by the name that it redirects to, or without identity.drop_www",
    ),
    "bad_redirect": CauseText("it redirects to an invalid URL", "check the URL in a browser"),
    "blacklisted": CauseText("its host is on the blacklist", "take it off with `hondius blacklist DIR HOST --lift`"),
    "excluded": CauseText("--include or --exclude keeps it out", "change the option"),
    "scope": CauseText("it is outside the scope", "give it as a seed, or another --scope"),
    "http_401": CauseText("the server asks for a login", "give credentials with --header 'HOST|Authorization: …'"),
    "http_403": CauseText("the server forbids it"),
    "http_404": CauseText("there is no such page", "check the path"),
    "http_429": CauseText("the server asks for fewer requests", "try again later, or with a longer --delay"),
    "http_503": CauseText("the server is not available at the moment", "try again later"),
}
STOP_REASONS = {
    "done": "everything in reach has been crawled",
    "max_pages": "--max-pages was reached",
    "max_bytes": "--max-bytes was reached",
    "max_time": "--max-time was reached",
    "max_pages_per_host": "the remaining hosts have reached --max-pages-per-host",
    "max_pages_per_domain": "the remaining domains have reached scope.max_pages_per_domain",
    "max_hosts_per_domain": "the domains of the remaining hosts have reached scope.max_hosts_per_domain",
    "max_hosts_per_address": "the addresses of the remaining hosts have reached scope.max_hosts_per_address",
    "waiting": "every URL that is left waits for more than a minute",
    "interrupted": "interrupted",
    "hook": "a hook failed",
    ALL_FAILED: "too many internal failures in a row (bugs of Hondius), on several hosts",
    INTERNAL: "the remaining hosts could not be crawled because of internal failures (bugs of Hondius)",
}
"""Why a run stopped, by the reason in the log. Others are shown as they are."""
SKIP_VERIFICATION = "accept it anyway with --set fetch.verify_tls=false"
LIBRARY_ERRORS = {
    "UnknownIssuer": "its certificate is signed by an authority that is not trusted here",
    "NotValidForName": "its certificate is for another host name",
    "Expired": "its certificate has expired",
    "NotValidYet": "its certificate is not valid yet",
    "Revoked": "its certificate was revoked",
}
"""Error names of the TLS library, which crawls of earlier versions stored."""
NO_TLS_HELP = "check that this port speaks TLS, or use http://"
TLS_HELP = {
    "its certificate is for another host name": f"use the name that the certificate is for, or {SKIP_VERIFICATION}",
    "its certificate is self-signed": f"trust it with --ca-file FILE, or {SKIP_VERIFICATION}",
    "its certificate is marked as that of an authority, which no host may use": (
        f"give the server one without CA:TRUE (--ca-file alone does not help), or {SKIP_VERIFICATION}"
    ),
    "its certificate is signed by an authority that is not trusted here": (
        f"trust the authority with --ca-file FILE, or {SKIP_VERIFICATION}"
    ),
    "its certificate has expired": SKIP_VERIFICATION,
    "its certificate is not valid yet": f"check the clock of this machine, or {SKIP_VERIFICATION}",
    "its certificate was revoked": SKIP_VERIFICATION,
    "its certificate is not meant for servers": SKIP_VERIFICATION,
    "its certificate is damaged, or of a kind that is not understood": SKIP_VERIFICATION,
    "what answers on this port does not speak TLS": "check the port, or use http://",
    "the server speaks no version or cipher of TLS that is safe": "",
    "the server refused the secure connection": "",
    "the server broke off while a secure connection was made": NO_TLS_HELP,
}
"""By the description that the engine gives (`tls_words.rs`)."""


def explain_cause(cause: str, detail: str) -> CauseText:
    if cause == "tls_failed":
        named = [words for sign, words in LIBRARY_ERRORS.items() if sign in detail]
        words = [*named, *(words for words in TLS_HELP if words in detail), ""][0]
        return CauseText(words or "no secure connection could be made", TLS_HELP.get(words, NO_TLS_HELP))
    if cause in CAUSES:
        return CAUSES[cause]
    if cause.startswith("http_"):
        return CauseText(f"the server answered with status {cause.removeprefix('http_')}")
    return CauseText(cause.replace("_", " "))
