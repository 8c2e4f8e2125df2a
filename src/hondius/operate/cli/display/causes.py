"""Why nothing came of a URL, in words for somebody who has never seen the failure table, and the option that helps."""

from dataclasses import dataclass

from hondius.model import INTERNAL


@dataclass(frozen=True, slots=True)
class Explained:
    words: str
    help: str = ""


MEDIA_HELP = (
    "fetch images, audio, video and documents like PDF with --set scope.media=true, scripts with "
    "--set scope.scripts=true"
)
TYPES_OPTION = "--set scope.content_types"
CAUSES = {
    "dns_nxdomain": Explained("there is no host of this name", "check the spelling"),
    "dns_failure": Explained(
        "the host's name could not be resolved", "check the network, or name its address with --resolve HOST=ADDRESS"
    ),
    "address_refused": Explained(
        "its address is private or local, and those are not contacted by default",
        "allow it with --allow-private ADDRESS",
    ),
    "connect_refused": Explained(
        "no server listens there: the connection was refused", "check the host and its port, and that the server runs"
    ),
    "connect_failed": Explained("no connection could be made", "check the network and the address"),
    "connect_timeout": Explained(
        "the server did not accept a connection in time",
        "check that it is up, or wait longer with --set fetch.connect_timeout=30",
    ),
    "proxy_failed": Explained("the proxy did not let the request through", "check --proxy"),
    "read_timeout": Explained("the server did not answer in time", "wait longer with --set fetch.read_timeout=60"),
    "total_timeout": Explained("the answer took too long", "wait longer with --set fetch.total_timeout=180"),
    "connection_reset": Explained("the server broke the connection off"),
    "http_malformed": Explained("what the server sent is no valid HTTP", "check that this port speaks HTTP"),
    INTERNAL: Explained("Hondius has a bug that this URL meets", "crawl.log has the traceback: please report it"),
    "robots": Explained("its robots.txt forbids it"),
    "type": Explained("its content type is not read by default", f"{MEDIA_HELP}, other types with {TYPES_OPTION}"),
    "extension": Explained("files of this kind are not crawled by default", MEDIA_HELP),
    "too_many_redirects": Explained("it redirects on and on, more than five times", "check the URL in a browser"),
    "redirect_loop": Explained("it redirects to itself", "check the URL in a browser; some sites want a cookie"),
    "bad_redirect": Explained("it redirects to what is no URL", "check the URL in a browser"),
    "blacklisted": Explained("its host is on the blacklist", "take it off with `hondius blacklist DIR HOST --lift`"),
    "excluded": Explained("--include or --exclude keeps it out", "change the option"),
    "scope": Explained("it is outside the scope", "give it as a seed, or another --scope"),
    "http_401": Explained("the server asks for a login", "give credentials with --header 'HOST|Authorization: …'"),
    "http_403": Explained("the server forbids it"),
    "http_404": Explained("there is no such page", "check the path"),
    "http_429": Explained("the server asks for fewer requests", "try again later, or with a longer --delay"),
    "http_503": Explained("the server is not available at the moment", "try again later"),
}
GO_ON = "record it and go on with --set fetch.verify_tls=false"
OF_THE_LIBRARY = {
    "UnknownIssuer": "its certificate is signed by an authority that is not trusted here",
    "NotValidForName": "its certificate is for another host name",
    "Expired": "its certificate has expired",
    "NotValidYet": "its certificate is not valid yet",
    "Revoked": "its certificate was revoked",
}
"""Words of the TLS library, as crawls of earlier versions kept them."""
NO_TLS_HELP = "check that this port speaks TLS, or use http://"
TLS_HELP = {
    "its certificate is for another host name": f"use the name that the certificate is for, or {GO_ON}",
    "its certificate is self-signed": f"trust it with --ca-file FILE, or {GO_ON}",
    "its certificate is marked as that of an authority, which no host may use": (
        f"give the server one without CA:TRUE (--ca-file alone does not help), or {GO_ON}"
    ),
    "its certificate is signed by an authority that is not trusted here": (
        f"trust the authority with --ca-file FILE, or {GO_ON}"
    ),
    "its certificate has expired": GO_ON,
    "its certificate is not valid yet": f"check the clock of this machine, or {GO_ON}",
    "its certificate was revoked": GO_ON,
    "its certificate is not meant for servers": GO_ON,
    "its certificate is damaged, or of a kind that is not understood": GO_ON,
    "what answers on this port does not speak TLS": "check the port, or use http://",
    "the server speaks no version or cipher of TLS that is safe": "",
    "the server refused the secure connection": "",
    "the server broke off while a secure connection was made": NO_TLS_HELP,
}
"""By the words that the engine has for it (`tls_words.rs`)."""


def explain_cause(cause: str, detail: str) -> Explained:
    if cause == "tls_failed":
        named = [words for sign, words in OF_THE_LIBRARY.items() if sign in detail]
        words = [*named, *(words for words in TLS_HELP if words in detail), ""][0]
        return Explained(words or "no secure connection could be made", TLS_HELP.get(words, NO_TLS_HELP))
    if cause in CAUSES:
        return CAUSES[cause]
    if cause.startswith("http_"):
        return Explained(f"the server answered with status {cause.removeprefix('http_')}")
    return Explained(cause.replace("_", " "))
