"""The job that makes the log of a fill: what a user runs, and what a fitted device is run under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache import api
from slcache.drives import fills

#: One writer, a MiB at a time.
WRITE_MIB, DEPTH = 1, 1

_TEXT = """\
# DESTROYS EVERYTHING ON THE DRIVE. Unmounted, whole device, cooled;
# blkdiscard {device} before [fill] and before [write], and wait 10 minutes.
# A section at a time: fio --section=fill THIS_FILE; [read] 30 minutes after [fill].
[global]
filename={device}
direct=1
ioengine=libaio
iodepth={depth}

[fill]
rw=write
bs={size}M
size=100%
write_bw_log=fill
log_avg_msec=500

[read]
stonewall
rw=randread
bs=4k
offset=25%
size=50%
runtime=60
time_based
write_lat_log=read

[write]
stonewall
rw=randwrite
bs=16k
sync=1
runtime=10
time_based
write_lat_log=write
"""


def text(device: str) -> str:
    """Return fio's job for a device."""
    return _TEXT.format(device=device, size=WRITE_MIB, depth=DEPTH)


def filled(device: Mapping[str, Any], progress: api.Progress | None = None) -> fills.Curve:
    """Return the fill of a device by that job, simulated; raises ConfigError or RunError."""
    run = fills.writes_of("fit", device, WRITE_MIB << 20, DEPTH)
    (found,) = fills.done([run], 1, progress)
    (curve,) = fills.filled(found.documents[0], 1).passes
    return curve
