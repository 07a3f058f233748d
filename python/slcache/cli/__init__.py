"""The `slcache` command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        from slcache.cli.app import execute

        status = execute(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        status = 130
    sys.exit(status)
