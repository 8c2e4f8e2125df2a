"""The fields of the index."""

import tantivy

from hondius.native import WORDS_VERSION

FORMAT = 2
"""The version of fields and documents."""
VERSION = f"{FORMAT}.{WORDS_VERSION}"
SPLIT = "split"
"""The tokenizer of texts that are split already: words with spaces between them."""
WEIGHTS = {"title": 4.0, "headings": 1.5, "description": 1.5, "address": 1.0, "text": 1.0}
"""Fields with words, and how much a match in each counts."""
EXACT = ("key", "host", "language", "reserved")
"""Fields with values that match as a whole; all but the key may have several."""
AT, COPY, PAGE = "at", "copy", "page"


def make_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name in WEIGHTS:
        builder.add_text_field(name, tokenizer_name=SPLIT)
    for name in EXACT:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(AT, indexed=True, fast=True)
    builder.add_boolean_field(COPY, indexed=True)
    builder.add_bytes_field(PAGE, stored=True)
    return builder.build()


SCHEMA = make_schema()


def open_index(path: str | None) -> tantivy.Index:
    """None: in memory. Raises ValueError if the directory holds an index of another kind, or a damaged one."""
    index = tantivy.Index(SCHEMA, path=path)
    index.config_reader("manual")  # otherwise a thread watches the directory
    index.register_tokenizer(SPLIT, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index
