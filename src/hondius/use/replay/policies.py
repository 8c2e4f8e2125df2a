"""What an answer allows a browser to do.

The policy of archived answers is what confines them, whatever is in them: a sandbox without an origin (so no storage,
no cookies, no service workers, no other windows, nothing of our own pages), and sources that are all on this server.
A page can still lead away by navigating: the policy of the page around its frame stops that. Browsers stop neither
WebRTC nor connections ahead of time: where scripts run, native code puts a guard before them (`rewriting/guard.js`),
and trusted types, where a browser has them, pass markup that scripts make to that guard.
"""

SANDBOX = "sandbox allow-forms"
COMMON_HEADERS = (
    ("Cache-Control", "no-store"),
    ("X-DNS-Prefetch-Control", "off"),
    ("Referrer-Policy", "no-referrer"),
)
NO_OPENER = (("Cross-Origin-Opener-Policy", "same-origin"),)
"""Another site that opened a page of ours would read the number of its frames. A browser refuses to show a sandboxed
answer with this header, so archived answers and notes are without it."""
FEATURES = (
    "camera microphone geolocation display-capture usb serial hid midi bluetooth payment publickey-credentials-get "
    "screen-wake-lock idle-detection clipboard-read local-fonts window-management browsing-topics encrypted-media "
    "attribution-reporting identity-credentials-get join-ad-interest-group run-ad-auction shared-storage "
    "private-aggregation private-state-token-issuance private-state-token-redemption"
).split()


def make_archived_policy(origin: str, *, scripts: bool) -> str:
    """`origin`: of this server. Without scripts, each kind of answer has a path of its own. A script may build any
    address, so all paths are open to it: our own pages are of no use to it, because it cannot read them."""
    assets, frames = (f"{origin}/", f"{origin}/") if scripts else (f"{origin}/asset/", f"{origin}/frame/")
    code, requests = "'none'", "'none'"
    if scripts:
        code, requests = f"{origin}/ 'unsafe-inline' 'unsafe-eval' data: blob:", f"{origin}/"
    parts = [
        f"{SANDBOX} allow-scripts" if scripts else SANDBOX,
        "default-src 'none'",
        f"script-src {code}",
        f"connect-src {requests}",
        f"style-src {assets} 'unsafe-inline' data:",
        f"img-src {assets} data: blob:",
        f"font-src {assets} data:",
        f"media-src {assets} data: blob:",
        f"object-src {assets}",
        f"frame-src {frames}",
        f"form-action {origin}/view/ {origin}/page/ {origin}/frame/",
        "worker-src 'none'",
        "manifest-src 'none'",
        "base-uri 'none'",
        "webrtc 'block'",
    ]
    if scripts:
        parts += ["require-trusted-types-for 'script'", "trusted-types default"]  # they ask the guard
    return "; ".join(parts)


def make_frame_policy(origin: str, nonce: str) -> str:
    """Of the page around an archived page: its frame leads nowhere but here."""
    return (
        f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; "
        f"frame-src {origin}/page/ {origin}/view/; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def make_bounce_policy(nonce: str) -> str:
    """Of the page that brings the page around it to another one."""
    return f"default-src 'none'; script-src 'nonce-{nonce}'; base-uri 'none'; frame-ancestors 'self'"


def make_own_policy(origin: str) -> str:
    """Of our other pages: a look and a form."""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action {origin}/; frame-ancestors 'none'"
    )


def make_archived_headers(origin: str, *, scripts: bool) -> tuple[tuple[str, str], ...]:
    return (
        ("Content-Security-Policy", make_archived_policy(origin, scripts=scripts)),
        ("Permissions-Policy", ", ".join(f"{name}=()" for name in FEATURES)),
        *COMMON_HEADERS,
    )


def make_note_policy() -> str:
    """Of a note in the place of an archived page: confined as that would be."""
    return "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox"


def make_own_headers(policy: str) -> tuple[tuple[str, str], ...]:
    opener = () if "sandbox" in policy else NO_OPENER
    return (("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), *opener, *COMMON_HEADERS)
