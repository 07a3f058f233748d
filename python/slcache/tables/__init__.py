"""Tables: of results and traces, for terminals, notebooks, pages and other programs."""
