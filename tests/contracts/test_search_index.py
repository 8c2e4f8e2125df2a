"""The contract of `SearchIndex`, for every adapter."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hondius.errors import BadSetting, DirectoryInUse
from hondius.native import split_query_words
from hondius.ports import SearchIndex
from hondius.position import Cursor, Position
from hondius.search_model import Clause, IndexedPage, SearchQuery
from hondius.stores.search.embedded import EmbeddedSearchIndex
from hondius.stores.search.memory import MemorySearchIndex

FIRST, SECOND = Cursor(7), Cursor(7, Position((5, 9)))
Open = Callable[[], SearchIndex]


def _in_memory() -> Open:
    index = MemorySearchIndex()
    return lambda: index


ADAPTERS: dict[str, Callable[[Path], Open]] = {
    "directory": lambda root: lambda: EmbeddedSearchIndex(root, is_writable=True),
    "in memory": lambda root: _in_memory(),
}


@pytest.fixture(params=ADAPTERS)
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Each call opens the same index."""
    return ADAPTERS[request.param](tmp_path)


@pytest.fixture
def index(open_index: Open) -> Iterator[SearchIndex]:
    with closing(open_index()) as index:
        yield index


def make_page(number: int, text: str = "", **values: object) -> IndexedPage:
    usual: dict[str, object] = {
        "key": bytes([number]) * 16,
        "url": f"https://a.test/{number}",
        "host": "a.test",
        "title": "",
        "description": "",
        "headings": "",
        "text": text,
        "language": "en",
        "fetched_at": 1000.5 + number,
        "is_copy": False,
        "reserved": (),
    }
    return IndexedPage(**(usual | values))  # type: ignore[arg-type]


def write(index: SearchIndex, pages: Sequence[IndexedPage], cursor: Cursor = FIRST, *, anew: bool = False) -> None:
    with closing(index.begin(FIRST, anew=anew)) as writer:
        for page in pages:
            writer.put(page)
        writer.commit(cursor)
    index.refresh()


def ask(*texts: str, **conditions: object) -> SearchQuery:
    clauses = tuple(Clause(tuple(words), is_prefix) for words, is_prefix in map(split_query_words, texts))
    return SearchQuery(clauses=clauses, **conditions)  # type: ignore[arg-type]


def find(index: SearchIndex, *texts: str, **conditions: object) -> list[int]:
    """The numbers of the pages, best first."""
    found = index.search(ask(*texts, **conditions), limit=100, offset=0)
    numbers = [page.key[0] for _, page in found.hits]
    assert found.total == len(numbers)
    return numbers


def test_s7_there_is_no_index_at_first(index: SearchIndex) -> None:
    assert index.refresh() is None
    assert (index.count(), index.list_keys(), find(index, "word")) == (0, [], [])


def test_s7_pages_and_cursor_are_committed_together(index: SearchIndex, open_index: Open) -> None:
    with closing(index.begin(FIRST, anew=False)) as writer:
        writer.put(make_page(1, "atlas"))
        assert (index.refresh(), index.count()) == (FIRST, 0)
        writer.commit(SECOND)
        assert (index.refresh(), index.count()) == (SECOND, 1)
        writer.put(make_page(2, "atlas"))
    again = open_index()
    assert (again.refresh(), again.list_keys()) == (SECOND, [b"\1" * 16])
    assert find(again, "atlas") == [1]


def test_s7_a_page_replaces_itself_and_can_be_removed(index: SearchIndex) -> None:
    write(index, [make_page(1, "old words"), make_page(2, "old words"), make_page(1, "new words")])
    assert sorted(find(index, "words")) == [1, 2]
    assert find(index, "new") == [1]
    with closing(index.begin(FIRST, anew=False)) as writer:
        writer.remove(b"\1" * 16)
        writer.remove(rb"\x09" * 16)
        writer.commit(SECOND)
    index.refresh()
    assert (find(index, "words"), index.count()) == ([2], 1)


def test_s7_one_process_writes_while_others_read(index: SearchIndex, open_index: Open) -> None:
    write(index, [make_page(1, "atlas")])
    reader = open_index()
    with closing(index.begin(FIRST, anew=False)) as writer:
        with pytest.raises(DirectoryInUse, match="another"):
            open_index().begin(FIRST, anew=False)
        writer.put(make_page(2, "atlas"))
        assert find(reader, "atlas") == [1]
        writer.commit(SECOND)
        assert reader.refresh() == SECOND
        assert sorted(find(reader, "atlas")) == [1, 2]
    write(index, [make_page(3, "atlas")], anew=True)
    assert reader.refresh() == FIRST
    assert find(reader, "atlas") == [3]


def test_s7_a_title_weighs_more_than_text_and_rare_words_more_than_frequent_ones(index: SearchIndex) -> None:
    pages = [make_page(number, f"filler words of page {number} atlas") for number in range(10, 30)]
    pages += [make_page(1, "about maps", title="Atlas"), make_page(2, "atlas", title="Maps")]
    write(index, pages)
    assert find(index, "atlas")[0] == 1
    assert find(index, "atlas", "maps") == [1, 2]


def test_s7_all_clauses_must_hold_and_phrases_are_sequences(index: SearchIndex) -> None:
    write(index, [make_page(1, "old maps of towns"), make_page(2, "maps of old towns"), make_page(3, "maps")])
    assert sorted(find(index, "old", "maps")) == [1, 2]
    assert find(index, "old maps") == [1]
    assert find(index, "old towns") == [2]
    excluded = SearchQuery(clauses=(Clause(("maps",)), Clause(("old",), is_excluded=True)))
    assert [page.key[0] for _, page in index.search(excluded, limit=9, offset=0).hits] == [3]
    beginning = SearchQuery(clauses=(Clause(("old", "tow"), is_prefix=True),))
    assert [page.key[0] for _, page in index.search(beginning, limit=9, offset=0).hits] == [2]


@pytest.mark.parametrize(
    ("text", "queries", "strangers"),
    [
        ("世界地図帳を東京都の書店で買った。", ["地図", "東京都の書店", "図", "東京"], ["京東", "世界書店"]),
        ("北京欢迎你，故宫博物院今天开放。", ["欢迎", "博物院", "宫"], ["迎欢", "京宫"]),
        ("แผนที่โลกเก่าอยู่ในห้องสมุดของเมือง", ["แผนที่", "โลกเก่า", "ห้องสมุด"], ["สมุดห้อง", "ไม้"]),
        ("서울에서 오래된 지도를 샀습니다.", ["서울", "지도", "오래된 지도"], ["울서", "지도서울"]),
    ],
    ids=["Japanese", "Chinese", "Thai", "Korean"],
)
def test_s7_text_without_spaces_is_found_by_words_and_phrases(
    index: SearchIndex, text: str, queries: list[str], strangers: list[str]
) -> None:
    write(index, [make_page(1, text), make_page(2, "something else")])
    for query in queries:
        assert find(index, query) == [1], query
    for stranger in strangers:
        assert find(index, stranger) == [], stranger


def test_s7_conditions_hold_together(index: SearchIndex) -> None:
    pages = [
        make_page(1, "atlas"),
        make_page(2, "atlas", host="www.a.test", language="en-GB"),
        make_page(3, "atlas", host="b.test", language="de_AT", reserved=("search", "ai-train")),
        make_page(4, "atlas", is_copy=True),
    ]
    write(index, pages)
    assert sorted(find(index, "atlas")) == [1, 2, 3]
    assert sorted(find(index, "atlas", copies=True)) == [1, 2, 3, 4]
    assert find(index, "atlas", hosts=("a.test",)) == [1]
    assert find(index, "atlas", hosts=("*.a.test",)) == [2]
    assert sorted(find(index, "atlas", hosts=("*.a.test", "b.test"))) == [2, 3]
    assert sorted(find(index, "atlas", languages=("EN",))) == [1, 2]
    assert find(index, "atlas", languages=("en-gb",)) == [2]
    assert find(index, "atlas", languages=("de-AT",)) == [3]
    assert sorted(find(index, "atlas", purpose="search")) == [1, 2]
    assert sorted(find(index, "atlas", purpose="ai-input")) == [1, 2, 3]
    assert find(index, "atlas", since=1002.0) == find(index, "atlas", since=1002.0, until=1004.0)
    assert find(index, "atlas", until=1002.0) == [1]
    assert find(index, hosts=("*.test",)) == [3, 2, 1], "the newest first"


def test_s7_results_come_in_parts(index: SearchIndex) -> None:
    write(index, [make_page(number, "atlas " * number) for number in range(1, 21)])
    whole = index.search(ask("atlas"), limit=20, offset=0)
    parts = [index.search(ask("atlas"), limit=7, offset=offset) for offset in (0, 7, 14)]
    assert [part.total for part in parts] == [20, 20, 20]
    hits = list(whole.hits)
    assert [hit for part in parts for hit in part.hits] == hits
    assert hits[0][1].text.startswith("atlas ")


def test_q2_a_phrase_whose_end_means_too_many_words_is_refused_and_the_index_is_not_taken_for_damaged(
    index: SearchIndex,
) -> None:
    texts = [" ".join(f"old w{number}" for number in range(start, start + 6_000)) for start in range(0, 18_000, 6_000)]
    write(index, [make_page(number, text) for number, text in enumerate(texts)])
    for is_excluded in (False, True):
        clauses = (Clause(("old",)), Clause(("old", "w"), is_prefix=True, is_excluded=is_excluded))
        with pytest.raises(BadSetting, match="write more letters"):
            index.search(SearchQuery(clauses=clauses), limit=10, offset=0)
    narrower = SearchQuery(clauses=(Clause(("old", "w17"), is_prefix=True),))
    assert index.search(narrower, limit=10, offset=0).total == 2


def test_s7_words_in_the_address_are_found(index: SearchIndex) -> None:
    write(index, [make_page(1, url="https://a.test/old-maps/%C3%84rmel")])
    assert find(index, "maps") == find(index, "ärmel") == [1]
