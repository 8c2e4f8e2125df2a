"""Log, as segment files."""

from collections import deque
from collections.abc import Iterator, Sequence

from hondius.errors import BrokenLog, DiskFull, HondiusError, is_internal
from hondius.hints import suggest_salvage
from hondius.model import NO_EPOCH, AnyEvent, Epoch, Frame
from hondius.ports import Disk
from hondius.position import START, Position
from hondius.stores.log import frames
from hondius.stores.log.frames import FrameError, UnreadableFrame
from hondius.stores.log.partitions import refuse_partition
from hondius.stores.log.segments import (
    HEADER_SIZE,
    Compaction,
    Segment,
    create,
    list_segments,
    read_segment,
    remove_superseded,
)

SEGMENT_BYTES = 64 * 1024 * 1024
LEAST_COMPRESSED = 64 * 1024
"""Bytes of a sealed segment that each append compresses at least."""


class EmbeddedLog:
    """One writer. With `read_only` it changes nothing on disk, and does not see a frame that is being written."""

    def __init__(self, disk: Disk, *, segment_bytes: int = SEGMENT_BYTES, read_only: bool = False) -> None:
        self._disk = disk
        self._segment_bytes = segment_bytes
        self._read_only = read_only
        self._unusable: str | None = "it was opened for reading" if read_only else None
        if not read_only:
            remove_superseded(disk)
        known = list_segments(disk)
        self._read_up_to: tuple[Segment, int, int] | None = None
        """The end of a frame that was read: its segment, offset and sequence. The next reader may begin there."""
        self._identity = self._identify(known)
        self._current: Segment | None = known[-1] if known else None
        self._last_sequence = known[-1].first - 1 if known else 0
        self._size = self._recover(known[-1]) if known else 0
        sealed = known if self._current is None else known[:-1]
        self._uncompressed = deque(segment for segment in sealed if not segment.compressed)
        self._compaction: Compaction | None = None

    @property
    def place(self) -> str:
        return self._disk.place

    @property
    def last_sequence(self) -> int:
        return self._last_sequence

    @property
    def end(self) -> Position:
        return Position((self._last_sequence,))

    @property
    def identity(self) -> int:
        return self._identity if self._last_sequence else 0

    @property
    def partitions(self) -> int:
        return 1

    def append(self, events: Sequence[AnyEvent], at: float, partition: int = 0, *, epoch: Epoch = NO_EPOCH) -> Frame:
        refuse_partition(partition)
        if self._unusable is not None:
            raise HondiusError(f"the log takes no more frames: {self._unusable}")
        self._begin_segment_when_due()
        assert self._current is not None
        data = frames.encode(self._last_sequence + 1, at, events, epoch)
        self._write(self._current.path, data)
        self._size += len(data)
        self._last_sequence += 1
        if self._last_sequence == 1:
            self._identity = frames.compute_identity(data)
        self._compress(len(data))
        return Frame(self._last_sequence, at, tuple(events), self._identity, epoch)

    def refresh(self) -> None:
        """Reads only what was appended to the last segment, unless a new one was begun."""
        known = list_segments(self._disk)
        if not self._read_only or not known:
            return
        last = known[-1]
        start, sequence = (self._size, self._last_sequence) if last == self._current else (HEADER_SIZE, last.first - 1)
        self._identity = self._identity or self._identify(known)
        self._current, self._last_sequence = last, sequence
        self._size = self._recover(last, start)

    def read(self, after: Position = START) -> Iterator[Frame]:
        """Includes frames that are appended meanwhile, but none that is not yet synced."""
        return self._read(after.frames)

    def newest(self, most: int) -> Iterator[Frame]:
        return self._read(max(0, self._last_sequence - most))

    def frame(self, number: int) -> Frame | None:
        return next(self._read(number - 1), None) if 0 < number <= self._last_sequence else None

    def _read(self, after: int) -> Iterator[Frame]:
        while after < self._last_sequence:
            segment = self._find_segment(after + 1)
            before = after
            start = self._find_start(segment, after)
            try:
                for raw in frames.split(read_segment(self._disk, segment, start), start):
                    if after < raw.sequence <= self._last_sequence:
                        self._expect(after + 1, raw.sequence, segment)
                        self._read_up_to = (segment, raw.end, raw.sequence)
                        yield frames.decode(raw, segment.path, self._identity)
                        after = raw.sequence
            except FrameError as bad:
                if after < self._last_sequence:
                    raise self._make_damage(segment, bad.offset) from None
            except UnreadableFrame as bad:
                raise UnreadableFrame(
                    f"{bad}, or, if no newer Hondius wrote it, {suggest_salvage(self.place)}"
                ) from bad
            except HondiusError:
                if self._disk.exists(segment.path):
                    raise
                continue  # compressed meanwhile: continue with the compressed file
            if after == before:
                raise self._make_broken(f"frame {after + 1} is missing behind {segment.path}")

    def close(self) -> None:
        self._unusable = "it is closed"

    def _identify(self, known: Sequence[Segment]) -> int:
        """Ignores an unreadable first frame: if the views have applied it, nobody needs it, and otherwise `read`
        raises."""
        try:
            first = next(frames.split(read_segment(self._disk, known[0]), HEADER_SIZE), None) if known else None
        except (FrameError, HondiusError):
            return 0
        return frames.compute_identity(frames.reencode(first)) if first is not None and first.sequence == 1 else 0

    def _recover(self, last: Segment, end: int = HEADER_SIZE) -> int:
        """Cuts a torn tail off the last segment, syncs it and returns its size. `end`: that of the frame with the last
        known sequence."""
        size = self._disk.size(last.path)
        try:
            for raw in frames.split(read_segment(self._disk, last, end), end):
                self._expect(self._last_sequence + 1, raw.sequence, last)
                frames.refuse_newer(raw, last.path)
                self._last_sequence, end = raw.sequence, raw.end
        except FrameError as bad:
            self._refuse_damage(last, bad.offset, size)
            if not self._read_only:
                self._disk.truncate(last.path, bad.offset)
        if last.compressed:
            self._current = None
        elif not self._read_only:
            self._disk.sync(last.path)
        return end

    def _refuse_damage(self, last: Segment, offset: int, size: int) -> None:
        """A bad frame is a torn tail only if no good frame follows it. `size` was read before: another process may have
        completed its frame by now."""
        if last.compressed or size - offset > frames.MOST_BYTES:  # longer than any frame, so not a torn one
            raise self._make_damage(last, offset)
        if frames.find(self._disk.read(last.path, offset, max(0, size - offset)), 0, self._last_sequence + 1):
            raise self._make_damage(last, offset)

    def _begin_segment_when_due(self) -> None:
        if self._current is not None and self._size < self._segment_bytes:
            return
        following = create(self._disk, self._last_sequence + 1)
        if self._current is not None:
            self._uncompressed.append(self._current)
        self._current, self._size = following, HEADER_SIZE

    def _write(self, path: str, data: bytes) -> None:
        try:
            self._disk.append(path, data)
        except DiskFull:
            raise
        except Exception as error:
            raise self._close_after(error) from error
        try:
            self._disk.sync(path)
        except DiskFull:
            self._take_back(path)
            raise
        except Exception as error:
            raise self._close_after(error) from error

    def _take_back(self, path: str) -> None:
        try:
            self._disk.truncate(path, self._size)
            self._disk.sync(path)
        except HondiusError as error:
            raise self._close_after(error) from error

    def _close_after(self, error: Exception) -> HondiusError:
        """After a failed write or sync the content on disk is unknown until it is read again."""
        self._unusable = f"{error}; start again once the disk is repaired"
        return HondiusError(self._unusable)

    def _compress(self, appended: int) -> None:
        """Compresses twice as many bytes as were appended: this keeps up, and delays a commit in proportion to its
        size.

        Never fails an append: a segment that cannot be compressed now stays as it is until the next start.
        """
        try:
            if self._compaction is None and self._uncompressed:
                self._compaction = Compaction(self._disk, self._uncompressed.popleft())
            if self._compaction is not None and self._compaction.step(max(LEAST_COMPRESSED, 2 * appended)):
                self._compaction = None
        except BaseException as error:
            if not isinstance(error, HondiusError) and not is_internal(error):
                raise
            self._compaction = None

    def _find_start(self, segment: Segment, after: int) -> int:
        """Where the frame after this sequence begins, if that is known; otherwise where the first frame does."""
        if self._read_up_to is not None and not segment.compressed and self._read_up_to[::2] == (segment, after):
            return self._read_up_to[1]
        return HEADER_SIZE

    def _find_segment(self, sequence: int) -> Segment:
        for segment in reversed(list_segments(self._disk)):
            if segment.first <= sequence:
                return segment
        raise self._make_broken(f"the log does not start with frame {sequence}")

    def _expect(self, expected: int, sequence: int, segment: Segment) -> None:
        if sequence != expected:
            raise self._make_broken(f"{segment.path} continues with frame {sequence} instead of {expected}")

    def _make_damage(self, segment: Segment, offset: int) -> BrokenLog:
        return self._make_broken(f"{segment.path} is damaged at byte {offset}, and this is not its end")

    def _make_broken(self, what: str) -> BrokenLog:
        return BrokenLog(f"{what}; {suggest_salvage(self.place)}")
