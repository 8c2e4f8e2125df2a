"""Pages with labelled topics, on hosts of their own (`--topic-pages N`): for focused crawls (D6).

Every page has one topic, and says more about it than about others; pages link mostly to pages of their own topic, as on
the web. Neither host nor path tells the topic. The pages are a tree from one root as well, so that a crawl without a
focus finds all of them. The manifest has the topic of each page.
"""

from html import escape
from random import Random
from typing import Final

from hondius.testweb.model import Answer, Content, Host, Labelled, Resource, RobotsMode, SitemapMode
from hondius.testweb.site import Site
from hondius.testweb.words import BY_CODE, TOPICS, Topic, make_phrase, make_slug

HOSTS: Final = 5
LINKS_PER_PAGE: Final = 14
CHILDREN: Final = 6
SHARE_OF_TOPIC: Final = 0.55
"""Links to pages of the same topic; the others lead anywhere."""
TELLING_ANCHORS: Final = 0.3
"""Anchors with a word of the topic that they lead to."""
STRAY_WORDS: Final = 0.25
"""Pages that mention another topic."""


def make_topic_host(number: int, address: str, count: int) -> Host:
    return Host(number, f"topics{count}.test", "http", address, "en", RobotsMode.PLAIN, SitemapMode.ABSENT)


def plan_topics(sites: list[Site], count: int) -> list[Labelled]:
    """Adds `count` pages to these hosts; the first, on the first host, is the root."""
    random = Random("topics")
    topics = [random.choice(TOPICS) for _ in range(count)]
    targets = [_make_target(random, number) for number in range(count)]
    hrefs = [sites[number % len(sites)].href(target) for number, target in enumerate(targets)]
    alike = {topic.name: [number for number in range(count) if topics[number] is topic] for topic in TOPICS}
    for number, target in enumerate(targets):
        children = range(CHILDREN * number + 1, min(CHILDREN * number + CHILDREN + 1, count))
        chosen = [*children, *(_choose(random, alike[topics[number].name], count) for _ in range(LINKS_PER_PAGE))]
        random.shuffle(chosen)
        links = [(hrefs[to], topics[to]) for to in chosen]
        text = _write_page(random, topics[number], links)
        answer = Answer(content=Content.READY, media_type="text/html; charset=utf-8", text=text)
        _add(sites[number % len(sites)], target, answer)
    return [Labelled(href, topic.name) for href, topic in zip(hrefs, topics, strict=True)]


def _add(site: Site, target: str, answer: Answer) -> Resource:
    return site.add("labelled", target, answer)


def _choose(random: Random, alike: list[int], count: int) -> int:
    return random.choice(alike) if random.random() < SHARE_OF_TOPIC else random.randrange(count)


def _make_target(random: Random, number: int) -> str:
    return "/" if number == 0 else f"/{make_slug(random, 2)}/{number}.html"


def _write_page(random: Random, topic: Topic, links: list[tuple[str, Topic]]) -> str:
    title = _make_title(random, topic)
    stray = random.choice(TOPICS) if random.random() < STRAY_WORDS else None
    body = "".join(f"<p>{_make_text(random, topic, stray)}</p>\n" for _ in range(random.randint(3, 8)))
    items = "".join(f'<li><a href="{escape(href)}">{_make_anchor(random, to)}</a>\n' for href, to in links)
    return (
        f'<!doctype html>\n<html lang="{topic.language}"><head><title>{title}</title></head>\n'
        f"<body><h1>{title}</h1>\n<main>{body}</main>\n<ul>{items}</ul></body></html>\n"
    )


def _make_title(random: Random, topic: Topic) -> str:
    """Every second title names its topic."""
    words = make_phrase(random, BY_CODE[topic.language], 3)
    if random.random() >= 0.5:
        return words
    return BY_CODE[topic.language].separator.join((words, random.choice(topic.words)))


def _make_anchor(random: Random, topic: Topic) -> str:
    if random.random() < TELLING_ANCHORS:
        return random.choice(topic.words)
    return make_phrase(random, BY_CODE[topic.language], 2)


def _make_text(random: Random, topic: Topic, stray: Topic | None) -> str:
    language = BY_CODE[topic.language]
    words = random.choices(language.words, k=random.randint(30, 60))
    for _ in range(random.randint(1, 4)):
        words.insert(random.randrange(len(words)), random.choice(topic.words))
    if stray is not None:
        words.insert(random.randrange(len(words)), random.choice(stray.words))
    return language.separator.join(words) + language.full_stop
