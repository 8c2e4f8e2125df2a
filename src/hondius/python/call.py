"""The arguments of a crawl, as a program writes them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hondius.errors import BadSeed, BadSetting, UnknownSeed, WrongUse
from hondius.session.crawl_log import LogOptions, parse_log_options
from hondius.session.preparation import Prepared, choose_directory, prepare_session
from hondius.settings.overrides import collect_options

Seeds = str | Iterable[str]


class CrawlCall:
    """The types of the arguments are checked at once, so that the error names the line of the call. Their values are
    checked by `prepare`."""

    def __init__(
        self,
        seeds: Iterable[Seeds],
        into: str | Path | None,
        seeds_file: str | Path | None,
        options: Mapping[str, Any],
        *,
        add_seeds: bool = False,
    ) -> None:
        """Raises WrongUse."""
        self.seeds = list_seeds(seeds)
        self.seeds_file = _to_path("seeds_file", seeds_file)
        self.into = _to_path("into", into)
        self.options = dict(options)
        self.add_seeds = add_seeds
        self.log = self._take_log_options()
        named = self.options.pop("set", None)
        if named is not None and not isinstance(named, Mapping):
            raise BadSetting("set is a dictionary, such as set={'limits.max_pages': 3}")
        self.settings: Mapping[str, Any] = named or {}
        if "seeds" in self.options:
            raise BadSeed("seeds are given without a name, like crawl('https://example.com/'), or with seeds_file")
        if "json" in self.options:
            raise BadSetting("json is an option of the command: a program reads the same figures from crawl.summary")

    def prepare(self, say: Callable[[str], None]) -> Prepared:
        """Blocks. Raises WrongUse."""
        if not self.seeds and self.seeds_file is None:
            raise BadSeed("nothing to crawl: name a URL, or a file of them with seeds_file")
        overrides = collect_options(self.options, self.settings)
        directory = choose_directory(self.seeds, self.seeds_file) if self.into is None else self.into
        return prepare_session(directory, overrides, self.seeds, self.seeds_file, say, may_add=self.add_seeds)

    def _take_log_options(self) -> LogOptions | None:
        """None leaves the levels of the loggers as they are."""
        level, as_json = self.options.pop("log_level", None), self.options.pop("log_json", None)
        if level is None and as_json is None:
            return None
        if not isinstance(level, str | None) or not isinstance(as_json, bool | None):
            raise BadSetting("log_level is a text such as 'debug', and log_json is True or False")
        return parse_log_options(level, bool(as_json))


def list_seeds(given: Iterable[Seeds]) -> tuple[str, ...]:
    """Seeds are texts, or lists of texts. Raises BadSeed."""
    seeds: list[str] = []
    for some in given:
        several = [some] if isinstance(some, str) or not isinstance(some, Iterable) else list(some)
        for seed in several:
            if not isinstance(seed, str):
                raise BadSeed(f"{seed!r} is no seed: give URLs as texts, like 'https://example.com/'")
            seeds.append(seed)
    return tuple(seeds)


def describe_in_python(error: UnknownSeed) -> BadSeed:
    return BadSeed(
        f"{error.directory} holds a crawl without the seed {error.url}: add_seeds=True adds it, "
        "another `into` starts a new crawl"
    )


def check_buffer(buffer: Any) -> int:
    if not isinstance(buffer, int) or isinstance(buffer, bool) or buffer < 1:
        raise WrongUse(f"buffer is {buffer!r}: a number from 1 on is expected")
    return buffer


def _to_path(name: str, value: Any) -> Path | None:
    if value is None or isinstance(value, str | Path):
        return None if value is None else Path(value)
    raise WrongUse(f"{name} is {value!r}: a path is expected, as a text or a Path")
