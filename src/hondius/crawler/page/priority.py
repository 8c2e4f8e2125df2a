"""The priority of a URL (F2): a weighted sum of what is known about it. Unknown factors count as 0.5."""

from hondius.settings import PrioritySettings

UNKNOWN = 0.5


def compute_priority(
    weights: PrioritySettings,
    depth: int,
    *,
    page_rank: float = UNKNOWN,
    host_authority: float = UNKNOWN,
    change_rate: float = UNKNOWN,
    freshness_need: float = 1.0,
    from_sitemap: bool = False,
    is_news: bool = False,
) -> float:
    value = (
        weights.page_rank * page_rank
        + weights.host_authority * host_authority
        + weights.change_rate * change_rate
        + weights.depth * max(0.0, 1 - 0.1 * depth)
        + weights.freshness * freshness_need
        + (weights.sitemap_bonus if from_sitemap else 0.0)
        + (weights.news_bonus if is_news else 0.0)
    )
    return min(1.0, max(0.0, value))
