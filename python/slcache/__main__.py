"""`python -m slcache` is the command line."""

from slcache.cli import main

main()
