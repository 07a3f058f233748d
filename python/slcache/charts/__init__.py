"""Charts: a function per picture, which returns a Vega-Lite specification."""
