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
    "http_401": Explained("the server asks for a login", "give credentials with --header 'HOST|Authorization: …'"),
    "http_403": Explained("the server forbids it"),
    "http_404": Explained("there is no such page", "check the path"),
    "http_429": Explained("the server asks for fewer requests", "try again later, or with a longer --delay"),
    "http_503": Explained("the server is not available at the moment", "try again later"),
}
CERTIFICATES = (
    ("UnknownIssuer", "its certificate is signed by an authority that is not trusted here"),
    ("NotValidForName", "its certificate is for another host name"),
    ("Expired", "its certificate has expired"),
    ("NotValidYet", "its certificate is not valid yet"),
    ("Revoked", "its certificate was revoked"),
)
TLS_HELP = "trust an authority of your own with --ca-file FILE, or record and go on with --set fetch.verify_tls=false"


def explain_cause(cause: str, detail: str) -> Explained:
    if cause == "tls_failed":
        words = next((words for sign, words in CERTIFICATES if sign in detail), "")
        if words:
            return Explained(words, TLS_HELP)
        return Explained("no secure connection could be made", "check that this port speaks TLS, or use http://")
    if cause in CAUSES:
        return CAUSES[cause]
    if cause.startswith("http_"):
        return Explained(f"the server answered with status {cause.removeprefix('http_')}")
    return Explained(cause.replace("_", " "))
