"""What a caller gives: arguments, files, quantities and configurations, read and checked."""
