"""Why requests were slow: from the log of a run, what they waited for, together and one by one."""

from slcache.slow.answer import Answer, Chosen, Moved, moved, why
from slcache.slow.log import Log, read

__all__ = ["Answer", "Chosen", "Log", "Moved", "moved", "read", "why"]
