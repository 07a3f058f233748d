//! `seeds FOLDER`: writes the seeds of every target there and prints the names
//! of the formats, one a line.

use slcache_traces_fuzz::{checks, seeds, snapshots};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: seeds FOLDER")?;
    for format in checks::names() {
        write(&Path::new(&folder).join("reader").join(format), &seeds::of_reader(format))?;
        println!("{format}");
    }
    write(&Path::new(&folder).join("input"), &seeds::of_input())?;
    write(&Path::new(&folder).join("layout"), &seeds::of_layout())?;
    write(&Path::new(&folder).join("workload"), &seeds::of_workload())?;
    write(&Path::new(&folder).join("snapshot"), &snapshots::seeds())?;
    Ok(())
}

fn write(folder: &Path, seeds: &[Vec<u8>]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}
