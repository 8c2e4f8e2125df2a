"""Every example of the README and the guide runs, in order, in an empty directory (O2)."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.examples.blocks import ROOT, find_blocks, find_documents
from tests.examples.reader import Reader
from tests.examples.site import serve_example


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    certificates, place = tmp_path / "certificates", tmp_path / "reader"
    certificates.mkdir()
    place.mkdir()
    with serve_example(certificates) as (resolve, ca_file), closing(Reader(place, resolve, ca_file)) as reader:
        yield reader


@pytest.mark.parametrize("document", find_documents(), ids=lambda document: str(document.relative_to(ROOT)))
def test_every_example_of_a_document_runs(document: Path, reader: Reader) -> None:
    blocks = list(find_blocks(document))
    assert blocks, f"{document.name} has no example that can be run"
    for block in blocks:
        reader.run(block)


def test_an_example_that_fails_is_found(tmp_path: Path, reader: Reader) -> None:
    document = tmp_path / "guide.md"
    document.write_text("# A guide\n\n```sh\nhondius status nowhere\n```\n")
    (block,) = find_blocks(document)
    with pytest.raises(AssertionError, match="line 4: hondius status nowhere"):
        reader.run(block)
