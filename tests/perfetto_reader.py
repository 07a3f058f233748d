"""A timeline, read with Perfetto's own messages as its format says."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages

#: Arrows from what was in the way have numbers from here on.
ARROWS = 2**62
#: The clock whose times are told as differences.
DIFFERENCES = 64


@dataclass
class Slice:
    """A slice, with its name and facts spelled out."""

    track: str
    parent: str
    name: str
    begin_ns: int
    flows: list[int]
    facts: dict[str, int]
    end_ns: int = -1
    #: Arrows that leave from its end.
    leaves: list[int] = field(default_factory=list)


@dataclass
class Read:
    """A timeline, read as its format says."""

    tracks: dict[int, Any] = field(default_factory=dict)
    slices: list[Slice] = field(default_factory=list)
    instants: list[Slice] = field(default_factory=list)
    counters: dict[str, list[tuple[int, float]]] = field(default_factory=dict)

    def on(self, parent: str) -> list[Slice]:
        """Return the slices on the tracks below one."""
        return [each for each in self.slices if each.parent.startswith(parent)]


def read(path: Path) -> Read:
    """Return what a file holds; events of one time are in the order of the file."""
    content = path.read_bytes()
    trace = messages.Trace()
    trace.ParseFromString(gzip.decompress(content) if path.suffix == ".gz" else content)
    found = Read()
    names: dict[int, dict[int, str]] = defaultdict(dict)
    facts: dict[int, dict[int, str]] = defaultdict(dict)
    clock: dict[int, int] = {}
    flags = defaultdict(list)
    events: list[tuple[int, int, Any, Slice]] = []
    for place, packet in enumerate(trace.packet):
        sequence = packet.trusted_packet_sequence_id
        if packet.HasField("track_descriptor"):
            found.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            continue
        flags[sequence].append(packet.sequence_flags)
        if packet.trace_packet_defaults.timestamp_clock_id:
            assert packet.trace_packet_defaults.timestamp_clock_id == DIFFERENCES
        for each in packet.clock_snapshot.clocks:
            if each.clock_id == DIFFERENCES:
                assert each.is_incremental
                clock[sequence] = each.timestamp
            else:
                assert (each.clock_id, each.timestamp) == (6, clock.get(sequence, 0))
        if packet.HasField("interned_data"):
            told = packet.interned_data
            names[sequence] |= {each.iid: each.name for each in told.event_names}
            facts[sequence] |= {each.iid: each.name for each in told.debug_annotation_names}
        if packet.HasField("track_event"):
            at_ns, event = packet.timestamp, packet.track_event
            if sequence in clock:
                at_ns = clock[sequence] = clock[sequence] + at_ns
            name = names[sequence][event.name_iid] if event.name_iid else ""
            own = {facts[sequence][f.name_iid]: f.uint_value for f in event.debug_annotations}
            begun = Slice("", "", name, at_ns, list(event.flow_ids), own)
            events.append((at_ns, place, event, begun))
    assert set(flags) == {1, 2}
    for said in flags.values():
        assert said == [1] + [2] * (len(said) - 1)
    found.slices = list(_slices(found, sorted(events, key=lambda each: each[:2])))
    return found


def _slices(found: Read, events: list[tuple[int, int, Any, Slice]]) -> Iterator[Slice]:
    """Yield the slices; none begins on a track where another goes on."""
    at_work: dict[int, Slice] = {}
    kinds = messages.TrackEvent
    for at_ns, _, event, begun in events:
        track = found.tracks[event.track_uuid]
        begun.track = track.name
        begun.parent = found.tracks[track.parent_uuid].name if track.parent_uuid else track.name
        if event.type == kinds.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in at_work, (track.name, at_ns)
            at_work[event.track_uuid] = begun
        elif event.type == kinds.TYPE_INSTANT:
            found.instants.append(begun)
        elif event.type == kinds.TYPE_COUNTER:
            assert track.HasField("counter")
            found.counters.setdefault(track.name, []).append((at_ns, event.double_counter_value))
        else:
            assert event.type == kinds.TYPE_SLICE_END
            ended = at_work.pop(event.track_uuid)
            ended.end_ns, ended.leaves = at_ns, begun.flows
            yield ended
    assert not at_work
