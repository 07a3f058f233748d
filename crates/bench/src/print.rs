//! The figures as text.

use super::cases::COMPARED_ON;
use super::figures::{Analyser, Environment, Figures, Instructions, Memory, Speed, Spread, TraceSpeed};
use super::reference::{self, Reference};

pub fn print(figures: &Figures) {
    println!("medians of {} rounds, each contestant in turn (lowest - highest)\n", figures.rounds);
    for workload in &figures.workloads {
        print_workload(workload);
    }
    print_ratio(&figures.workloads);
    print_instructions(&figures.instructions);
    print_traces(&figures.traces);
    let preconditioning = &figures.preconditioning;
    println!(
        "preconditioning (32 GiB, fill and one random overwrite): {:.1} million page programs per CPU second, {} CPU s for {:.1} million",
        preconditioning.page_programs_per_cpu_s / 1e6,
        spread(preconditioning.cpu_s, 2),
        preconditioning.page_programs as f64 / 1e6,
    );
    print_environment(&figures.environment);
    print_analyser(&figures.analyser);
    for memory in &figures.memory {
        print_memory(memory);
    }
    let large = &figures.large_device;
    println!(
        "4 TiB device: starts in {:.1} ms; {} writes all over it: {:.0} MiB peak",
        large.start_s * 1e3,
        large.requests,
        mib(large.peak_rss_bytes)
    );
}

fn print_instructions(instructions: &Instructions) {
    match instructions {
        Instructions::PerRequest(counts) => {
            println!("instructions per request, without SHA-256:");
            for (name, count) in counts {
                println!("  {name:60} {count:8.0}");
            }
        }
        Instructions::NotCounted(why) => println!("instructions per request: not counted: {why}"),
    }
}

fn print_environment(environment: &Environment) {
    println!(
        "environment ({} requests of {} on {}, {}; {} windows observed): {:.3} of the requests per CPU second of a run; a fork takes {} ms",
        environment.requests,
        environment.workload,
        environment.device,
        environment.scheme,
        environment.windows,
        environment.speed_beside_run,
        spread(
            Spread {
                median: environment.fork_s.median * 1e3,
                min: environment.fork_s.min * 1e3,
                max: environment.fork_s.max * 1e3,
            },
            2
        ),
    );
    println!(
        "{} episodes side by side: {} s on one thread, {} s on {}: {:.2} of a thread's speed for each",
        environment.threads,
        spread(environment.one_thread_s, 3),
        spread(environment.all_threads_s, 3),
        environment.threads,
        environment.scaling_per_thread,
    );
}

fn print_analyser(analyser: &Analyser) {
    println!(
        "analyser of hyssd on {}: {:.0} us for each of {} windows, {:.2} % of the run ({} CPU s; with a hundred times the windows {})",
        analyser.device,
        analyser.window_us,
        analyser.windows,
        100.0 * analyser.share,
        spread(analyser.run_cpu_s, 3),
        spread(analyser.busier_cpu_s, 3),
    );
}

fn print_traces(traces: &TraceSpeed) {
    println!("text traces, MB per CPU second:");
    for (format, read) in &traces.text_read_mb_per_cpu_s {
        let written = traces.text_written_mb_per_cpu_s.get(format);
        let written = written.map_or_else(String::new, |written| spread(*written, 0));
        println!("  {format:14} read {:22} written {written}", spread(*read, 0));
    }
    let millions = |rate: Spread| {
        spread(Spread { median: rate.median / 1e6, min: rate.min / 1e6, max: rate.max / 1e6 }, 1)
    };
    let parquet = traces.parquet_read_requests_per_cpu_s.zip(traces.parquet_written_requests_per_cpu_s);
    if let (Some((read, written)), Some(bytes)) = (parquet, traces.parquet_bytes_per_request) {
        println!(
            "Parquet, million requests per CPU second: read {}, written {}; {bytes:.1} bytes per request",
            millions(read),
            millions(written)
        );
    }
    println!("workloads, million requests made per CPU second:");
    for (name, rate) in &traces.generated_requests_per_cpu_s {
        println!("  {name:14} {}", millions(*rate));
    }
}

fn print_workload(workload: &Speed) {
    println!("{} on {}, {}", workload.workload, workload.device, workload.scheme);
    println!(
        "  {:.2} million requests/s ({:.2} per CPU second), {:.0} ns per request; wall {} s, CPU {} s",
        workload.requests_per_s / 1e6,
        workload.requests_per_cpu_s / 1e6,
        workload.ns_per_request,
        spread(workload.wall_s, 3),
        spread(workload.cpu_s, 3),
    );
    if let Some(ns) = workload.ns_per_flash_operation {
        println!(
            "  {:.2} million flash commands, {ns:.0} ns each; {:.2} million page operations, {:.1} million per CPU second",
            workload.flash_operations as f64 / 1e6,
            workload.page_operations as f64 / 1e6,
            workload.page_operations_per_cpu_s / 1e6,
        );
    }
    match workload.waf_random_part {
        Some(random) => {
            println!("  write amplification {:.3}, of the random part {random:.3}", workload.waf);
        }
        None => println!("  write amplification {:.3}", workload.waf),
    }
    if let Some(floor) = &workload.floor {
        println!(
            "  floor {} CPU s (scaled by {:.3} to as many page programs): engine takes {:.2} times that",
            spread(floor.cpu_s, 3),
            floor.scaled_by,
            floor.ratio
        );
        print_references(workload);
    }
    println!();
}

fn print_references(workload: &Speed) {
    println!("  measured elsewhere on a like machine, not side by side:");
    let same = |entry: &Reference| entry.workload == workload.workload;
    for entry in reference::all().into_iter().filter(same) {
        let mut line = format!(
            "    {} ({}): {:.1} CPU s, {:.0} k requests/s, {:.0} MiB; slcache {:.1} times the requests/s",
            entry.simulator,
            entry.setting,
            entry.cpu_s,
            entry.requests_per_s / 1e3,
            entry.peak_mib,
            workload.requests_per_cpu_s / entry.requests_per_s,
        );
        if let Some(operations) = entry.page_operations {
            let rate = operations / entry.cpu_s;
            line +=
                &format!(", {:.1} times the page operations/s", workload.page_operations_per_cpu_s / rate);
        }
        if let Some(amplification) = entry.write_amplification {
            line += &format!("; write amplification {amplification}");
        }
        println!("{line}");
    }
}

/// How fast every scheme is beside the plain cache on the same device.
fn print_ratio(workloads: &[Speed]) {
    for device in COMPARED_ON {
        let find = |scheme: &str| workloads.iter().find(|w| w.device == device && w.scheme == scheme);
        let Some(baseline) = find("baseline") else { continue };
        let ratios: Vec<String> = workloads
            .iter()
            .filter(|w| w.device == device && w.scheme != "baseline")
            .map(|w| format!("{} {:.2}", w.scheme, w.requests_per_cpu_s / baseline.requests_per_cpu_s))
            .collect();
        println!("requests/s beside baseline's on {device}: {}", ratios.join(", "));
    }
}

fn print_memory(memory: &Memory) {
    println!(
        "memory of {}: {:.1} bytes per mapping unit ({:.1} million of them), {:.0} MiB of {:.0} MiB allowed",
        memory.device,
        memory.bytes_per_mapping_unit,
        memory.mapping_units as f64 / 1e6,
        mib(memory.grown_bytes),
        mib(memory.budget_bytes),
    );
}

fn spread(values: Spread, decimals: usize) -> String {
    format!("{:.decimals$} ({:.decimals$} - {:.decimals$})", values.median, values.min, values.max)
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
