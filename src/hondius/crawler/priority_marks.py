"""What a priority tells of itself (`native/src/rank/estimate.rs`): whether it was computed, and of a news article."""

STEPS = 256
"""A priority is kept in steps of this part. Within its step, it says what it is."""
COMPUTED, NEWS = 0.5, 0.25


def is_computed(priority: float) -> bool:
    """False: somebody gave it (a seed, a hook, the operator)."""
    return priority * STEPS % 1 in (COMPUTED, NEWS)


def is_of_news(priority: float) -> bool:
    """Whether a news sitemap lists the page."""
    return priority * STEPS % 1 == NEWS
