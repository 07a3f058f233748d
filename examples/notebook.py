"""A study in a notebook: load a trace, compare schemes, vary one of them, plot.

Open it with `marimo edit examples/notebook.py`; `python examples/notebook.py` runs it.
"""

import marimo

app = marimo.App()


@app.cell
def _():
    from pathlib import Path

    import slcache

    here = Path(__file__).parent
    trace = here / "linkbench-40s.blkparse.zst"
    device = here / "demo.toml"
    return device, slcache, trace


@app.cell
def _(slcache, trace):
    # What the trace holds: 40 seconds of a database.
    info = slcache.trace.info(trace)
    {key: info[key] for key in ("requests", "write_share", "touched_4kib_pages", "mean_iops")}
    return


@app.cell
def _(device, slcache, trace):
    # Without and with an SLC cache, four requests outstanding at all times.
    how = {"device": device, "address": "compact", "replay": "closed:4"}
    comparison = slcache.compare(trace, schemes=["tlc-only", "baseline"], **how)
    comparison
    return (comparison,)


@app.cell
def _(comparison):
    comparison.plot_attribution()
    return


@app.cell
def _(device, slcache, trace):
    # How large must the cache be? One run per size, in parallel.
    key = "scheme.baseline.slc_blocks"
    study = slcache.sweep(
        trace,
        device=device,
        scheme="baseline",
        vary={key: [4, 6, 8]},
        settings={"trace.address": "compact"},
        replay="closed:4",
    )
    sizes, means = (study.table[name].to_pylist() for name in (key, "write_mean_ns"))
    study.table.select([key, "write_mean_ns", "read_mean_ns", "waf"])
    return means, sizes


@app.cell
def _(means, sizes):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.subplots()
    axes.plot(sizes, [mean / 1e6 for mean in means], marker="o")
    axes.set(xlabel="SLC blocks per plane", ylabel="mean write latency (ms)")
    figure
    return


if __name__ == "__main__":
    app.run()
