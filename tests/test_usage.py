"""W1, W3: what each signal means for each use; the strictest wins."""

import pytest

from hondius import usage
from hondius.usage import Stance, Use, drop_origin_signals, join_signals, judge_usage, parse_signals

RESERVED, ALLOWED, UNSTATED = Stance.RESERVED, Stance.ALLOWED, Stance.UNSTATED

TABLE = {
    "robots content-signal search=yes": (ALLOWED, UNSTATED, UNSTATED),
    "robots content-signal search=no": (RESERVED, UNSTATED, UNSTATED),
    "robots content-signal ai-input=no": (UNSTATED, RESERVED, UNSTATED),
    "robots content-signal ai-train=no": (UNSTATED, UNSTATED, RESERVED),
    "robots content-signal ai-train=yes": (UNSTATED, UNSTATED, ALLOWED),
    "robots content-usage train-ai=n": (UNSTATED, UNSTATED, RESERVED),
    "header content-usage train-ai=y": (UNSTATED, UNSTATED, ALLOWED),
    "header content-usage ai-use=n": (UNSTATED, RESERVED, UNSTATED),
    "header content-usage search=y": (ALLOWED, UNSTATED, UNSTATED),
    "header content-usage all=n": (RESERVED, RESERVED, RESERVED),
    "header tdm-reservation 1": (UNSTATED, RESERVED, RESERVED),
    "meta tdm-reservation 0": (UNSTATED, ALLOWED, ALLOWED),
    "meta tdm-policy https://a.test/p": (UNSTATED, UNSTATED, UNSTATED),
    "header noai": (UNSTATED, RESERVED, RESERVED),
    "meta noimageai": (UNSTATED, RESERVED, RESERVED),
    "robots rsl https://a.test/license.xml": (UNSTATED, RESERVED, RESERVED),
    "link license https://a.test/by": (UNSTATED, UNSTATED, UNSTATED),
}


@pytest.mark.parametrize("line", TABLE)
def test_w1_each_signal_has_one_meaning_for_each_use(line: str) -> None:
    assert tuple(judgement.stance for judgement in judge_usage(line).values()) == TABLE[line]


def test_w1_without_signals_nothing_is_stated() -> None:
    assert {judgement.stance for judgement in judge_usage(None).values()} == {UNSTATED}
    assert parse_signals(None) == []


@pytest.mark.parametrize(
    "line",
    [
        "header content-usage train-ai=maybe",
        "header content-usage train-ai",
        "header content-usage unheard-of=n",
        "header tdm-reservation 2",
        "header tdm-reservation",
        "header of-tomorrow 1",
        "",
    ],
)
def test_w1_unknown_names_and_values_state_nothing(line: str) -> None:
    assert {judgement.stance for judgement in judge_usage(line).values()} == {UNSTATED}


@pytest.mark.parametrize("name", ["content-signal", "content-usage"])
@pytest.mark.parametrize("value", ["no", "n", "false", "?0", "deny"])
def test_w1_a_refusal_counts_in_any_plain_spelling(name: str, value: str) -> None:
    assert judge_usage(f"robots {name} ai-train={value}")[Use.AI_TRAIN].stance is RESERVED


@pytest.mark.parametrize(("name", "value"), [("content-signal", "y"), ("content-usage", "yes"), ("content-usage", "1")])
def test_w1_a_grant_counts_only_as_its_standard_spells_it(name: str, value: str) -> None:
    assert judge_usage(f"robots {name} search={value}")[Use.SEARCH].stance is UNSTATED


def test_w1_the_strictest_signal_wins_and_is_named() -> None:
    judgement = judge_usage(
        "robots content-signal ai-train=yes\nheader tdm-reservation 0\nmeta noai\nheader content-usage train-ai=n"
    )[Use.AI_TRAIN]
    assert judgement.stance is RESERVED
    assert [signal.source for signal in judgement.because] == ["meta noai", "header content-usage"]


def test_w2_signals_of_robots_and_page_are_joined_once_each() -> None:
    assert join_signals(None, None) is None
    assert join_signals("robots rsl x", None) == "robots rsl x"
    assert join_signals("robots rsl x", "meta noai\nrobots rsl x") == "robots rsl x\nmeta noai"
    assert drop_origin_signals("robots rsl x\ntdmrep tdm-reservation 1") is None
    assert drop_origin_signals("robots rsl x\nmeta noai\nheader tdm-policy a b") == "meta noai\nheader tdm-policy a b"


def test_w3_judgements_of_long_signals_are_not_kept() -> None:
    kept = usage._judge_short.cache_info().currsize
    assert usage.is_reserved(f"link license {'x' * 2_000}\nmeta noai", "ai-train")
    assert usage._judge_short.cache_info().currsize == kept
