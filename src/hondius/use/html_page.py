"""The look of our HTML pages: one self-contained file, which requests nothing and runs no script.

Everything that a stranger wrote goes through `show` or `show_link`, which escape it. The policy in the head forbids
scripts and requests, so that nothing can run even if something were not escaped.
"""

from collections.abc import Iterable
from html import escape

from hondius.sanitise import escape_controls, make_printable, replace_surrogates

LONGEST_URL = 200
"""Characters of a URL that are shown; the link itself is complete."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6470; --paper: #fff; --raised: #f5f6f8; --line: #dfe3e8;
  --accent: #2456c8; --fine: #1a7f37; --warn: #9a5b00; --danger: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa3ae; --paper: #13161a; --raised: #1b1f25;
  --line: #2f363e; --accent: #8ab0ff; --fine: #57d477; --warn: #e8b04b; --danger: #ff8d83; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 64rem; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 3rem 0 .5rem; }
h3 { font-size: .95rem; margin: 1.75rem 0 .35rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .15em; }
.soft { color: var(--soft); } .small { font-size: .875rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { font-weight: 600; font-size: .8125rem; color: var(--soft); }
td, th { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
td:last-child, th:last-child { padding-right: 0; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
pre, code { font: .875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { background: var(--raised); border-radius: .3rem; padding: .75rem 1rem; overflow-x: auto; }
.chart { overflow-x: auto; } svg { display: block; width: 100%; min-width: 44rem; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); }
@media (max-width: 40rem) { body { margin: 1.25rem auto; } h1 { font-size: 1.4rem; } h2 { margin-top: 2.25rem; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --raised: #f3f3f3; --line: #bbb;
  --accent: #1d4ed8; --fine: #166534; --warn: #854d0e; --danger: #991b1b; }
  body { margin: 0; max-width: none; font-size: 10.5pt; } h2, h3 { break-after: avoid; }
  tr, svg { break-inside: avoid; }
  a { color: inherit; text-decoration: none; } }
"""


def render_document(title: str, style: str, parts: Iterable[str], policy: str | None = POLICY) -> str:
    """A whole page. `title` is text; `style` is added to the look that all pages share; `parts` are HTML. `policy`:
    None if a server sends one with the page."""
    head = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy is not None else "",
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{show(title)}</title>",
        f"<style>{STYLE}{style}</style></head><body>",
    ]
    return "\n".join([*head, *(part for part in parts if part), "</body></html>"]) + "\n"


def show(text: str) -> str:
    """Text of anybody as HTML: without control characters, and without those that change the direction of text."""
    return escape(make_printable(text))


def show_lines(text: str) -> str:
    """The same for text of several lines."""
    return escape(escape_controls(replace_surrogates(text)))


def show_link(url: str) -> str:
    """A link, if it is one of the web."""
    shown = show(url if len(url) <= LONGEST_URL else f"{url[:LONGEST_URL]}…")
    if not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{show(url)}" rel="noopener noreferrer nofollow">{shown}</a>'
