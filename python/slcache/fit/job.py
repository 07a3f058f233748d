"""The job that makes the log of a fill: what a user runs, and what a fitted device is run under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slcache import api
from slcache.drives import fills

#: One writer, a MiB at a time.
WRITE_MIB, DEPTH = 1, 1

# The lines of a job stay whole.
# ruff: noqa: E501
_TEXT = """\
# DESTROYS EVERYTHING ON THE DRIVE. Unmounted, whole device, cooled.
# blkdiscard {device}; wait 10 minutes; then
#   fio --section=fill THIS_FILE
# 30 minutes later
#   fio --section=read --section=read32 --output-format=json --output=reads.json THIS_FILE
# blkdiscard {device}; wait 10 minutes; then
#   fio --section=erased --section=write --section=write8 --section=flush --section=sync --output-format=json --output=writes.json THIS_FILE
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
runtime=60
time_based

[read32]
stonewall
rw=randread
bs=4k
iodepth=32
runtime=20
time_based

[erased]
stonewall
rw=randread
bs=4k
runtime=10
time_based

[write]
stonewall
rw=randwrite
bs=4k
size=4g
io_size=512m

[write8]
stonewall
rw=randwrite
bs=4k
size=4g
io_size=2g
iodepth=8

[flush]
stonewall
rw=randwrite
bs=4k
size=4g
fsync=1
runtime=10
time_based

[sync]
stonewall
rw=randwrite
bs=16k
size=4g
sync=1
runtime=5
time_based
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
