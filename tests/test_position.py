"""How far a view has followed a log of many partitions (C1)."""

from hypothesis import given
from hypothesis import strategies as st

from hondius.position import START, Position

positions = st.builds(Position, st.lists(st.integers(0, 5), max_size=4).map(tuple))


@given(positions, positions)
def test_c1_one_position_covers_another_if_it_lacks_none_of_its_frames(one: Position, other: Position) -> None:
    assert one.covers(other) == (one.frames_behind(other) == 0)
    assert one.covers(START)
    assert one.covers(one)
    if one.covers(other) and other.covers(one):
        assert one.frames == other.frames


@given(positions, positions, positions)
def test_c1_what_both_cover_is_what_their_common_position_covers(
    one: Position, other: Position, third: Position
) -> None:
    assert one.common(other).covers(third) == (one.covers(third) and other.covers(third))
    assert one.common(other).frames_behind(one) + one.common(other).frames == one.frames


def test_c1_two_owners_may_each_know_more() -> None:
    ours, theirs = Position((3, 1)), Position((2, 5))
    assert not ours.covers(theirs)
    assert not theirs.covers(ours)
    assert (ours.frames_behind(theirs), theirs.frames_behind(ours)) == (4, 1)
    assert ours.common(theirs) == Position((2, 1))
    assert Position((0, 4)).frames_behind(Position((7,))) == 7


@given(positions, positions, positions)
def test_c1_what_covers_both_is_what_covers_their_join(one: Position, other: Position, third: Position) -> None:
    assert third.covers(one.join(other)) == (third.covers(one) and third.covers(other))
    assert one.join(other).frames == one.frames + one.frames_behind(other)
