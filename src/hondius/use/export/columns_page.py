"""The page of the documentation that lists all columns: `make columns-page` writes it."""

from hondius.use.export.columns import COLUMNS, describe_columns
from hondius.use.export.formats import FORMATS

NOTES = """\
- `state`: `gone` is reserved for a later version, and no URL has it yet. A page that answers 404 or 410 is `failed`,
  with the cause `http_404` or `http_410`.
- `body`: Parquet, Arrow and SQL have bytes. JSON lines have the text as `body`, or base64 as `body_b64` if the body is
  not text. CSV has both columns, one of them empty. Markdown has the text, or `null`.
- `links` is a number. In Python, `page.links` is the list of those that the crawl read. The column also counts links
  beyond them: how many are read of a page follows from `fetch.page_cap`."""


def make_columns_page() -> str:
    """`docs/columns.md`."""
    return (
        "# Columns of exports\n\n"
        "`hondius export DIR --columns url,title,…` chooses from these. `make columns-page` writes this page.\n\n"
        f"{describe_columns()}\n\n"
        "Times are UTC: text in JSON lines and CSV, timestamps in Parquet. JSON is an object in JSON lines,\n"
        "and text in other formats. A column of the archive takes longer to read.\n\n"
        f"{NOTES}\n\n"
        "## Default columns\n\n"
        "Without `--columns`, each format has these. In `markdown` they are the front matter.\n"
        "WARC and WACZ have records instead of columns.\n\n"
        f"{_describe_defaults()}\n"
    )


def _describe_defaults() -> str:
    forms = [form for form in FORMATS.values() if form.columns]
    rows = [
        f"| `{column.name}` | {' | '.join('yes' if column.name in form.columns else '' for form in forms)} |"
        for column in COLUMNS
        if any(column.name in form.columns for form in forms)
    ]
    heading = f"| column | {' | '.join(f'`{form.name}`' for form in forms)} |"
    return "\n".join([heading, "|---" * (len(forms) + 1) + "|", *rows])
