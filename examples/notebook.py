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
    sizes, means = (study.table[name].to_list() for name in (key, "write_mean_ns"))
    study.table.select([key, "write_mean_ns", "read_mean_ns", "waf"])
    return means, sizes


@app.cell
def _(means, sizes):
    import altair as alt

    rows = [{"blocks": b, "ms": mean / 1e6} for b, mean in zip(sizes, means, strict=True)]
    alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(
        x=alt.X("blocks:Q", title="SLC blocks per plane"),
        y=alt.Y("ms:Q", title="mean write latency (ms)"),
    )
    return


if __name__ == "__main__":
    app.run()
