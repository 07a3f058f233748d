//! What a policy in Python may ask: the device, for as long as one call lasts.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use scoped_tls_hkt::scoped_thread_local;
use slcache_sim::custom::{PlaneId, View};
use std::sync::Arc;

scoped_thread_local!(static SHOWN: for<'a> &'a CurrentView<'a>);

/// What is shown during a call, and by which `View`: one that was kept is of other regions.
struct CurrentView<'a> {
    view: &'a View<'a>,
    by: &'a PyView,
}

/// Makes `view` what `by` shows in this thread while `work` is done.
pub fn shown<T>(view: &View, by: &PyView, work: impl FnOnce() -> T) -> T {
    SHOWN.set(&CurrentView { view, by }, work)
}

/// The device during a decision.
#[pyclass(frozen, name = "View", module = "slcache")]
pub struct PyView(pub Arc<Vec<String>>);

impl PyView {
    fn ask<T>(&self, question: impl FnOnce(&View<'_>) -> T) -> PyResult<T> {
        let asked = |shown: &CurrentView<'_>| std::ptr::eq(shown.by, self).then(|| question(shown.view));
        let answer = if SHOWN.is_set() { SHOWN.with(asked) } else { None };
        answer.ok_or_else(|| PyRuntimeError::new_err("a view can be asked during the call that got it alone"))
    }

    fn region(&self, name: &str) -> PyResult<usize> {
        index(&self.0, name).ok_or_else(|| PyValueError::new_err(unknown(&self.0, name)))
    }

    /// Asks about a region and a plane that there are.
    fn ask_region<T>(
        &self,
        name: &str,
        plane: Option<u32>,
        question: impl FnOnce(&View<'_>, usize) -> T,
    ) -> PyResult<T> {
        let region = self.region(name)?;
        let planes = self.ask(|view| view.planes())?;
        if let Some(plane) = plane.filter(|&plane| plane as usize >= planes) {
            return Err(PyValueError::new_err(format!(
                "plane = {plane}: must be between 0 and {}",
                planes - 1
            )));
        }
        self.ask(|view| question(view, region))
    }
}

/// The place of a region among those called `names`.
pub fn index(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|known| known == name)
}

/// What to say of a region that there is not.
pub fn unknown(names: &[String], name: &str) -> String {
    format!("{name:?} is no region; regions: {}", names.join(", "))
}

#[pymethods]
impl PyView {
    /// The present time, ns.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        self.ask(|view| view.now_ns())
    }

    /// The plane that the decision is about; None where it is about the whole device.
    #[getter]
    fn plane(&self) -> PyResult<Option<u32>> {
        self.ask(|view| view.plane.map(|plane| plane.0))
    }

    /// Planes of the device.
    #[getter]
    fn planes(&self) -> PyResult<usize> {
        self.ask(|view| view.planes())
    }

    /// Bytes of a mapping unit.
    #[getter]
    fn unit_bytes(&self) -> PyResult<u32> {
        self.ask(|view| view.unit_bytes())
    }

    /// Mapping units of the device.
    #[getter]
    fn units(&self) -> PyResult<u32> {
        self.ask(|view| view.units())
    }

    /// Mapping units that hold data in flash.
    #[getter]
    fn mapped_units(&self) -> PyResult<u64> {
        self.ask(|view| view.mapped_units())
    }

    /// Free blocks of a region: of a plane, of the one that the decision is about, or of all.
    #[pyo3(signature = (region, plane=None))]
    fn free_blocks(&self, region: &str, plane: Option<u32>) -> PyResult<u32> {
        self.ask_region(region, plane, |view, at| view.free_blocks(at, plane.map(PlaneId)))
    }

    /// Blocks of a region that hold or held data since they were opened, in the planes of `free_blocks`.
    #[pyo3(signature = (region, plane=None))]
    fn used_blocks(&self, region: &str, plane: Option<u32>) -> PyResult<u32> {
        self.ask_region(region, plane, |view, at| view.used_blocks(at, plane.map(PlaneId)))
    }

    /// Blocks per plane that a region may have.
    fn quota(&self, region: &str) -> PyResult<u32> {
        self.ask_region(region, None, |view, at| view.quota(at))
    }

    /// Live mapping units of a region.
    fn live_units(&self, region: &str) -> PyResult<u64> {
        self.ask_region(region, None, |view, at| view.live_units(at))
    }

    /// A region's cell mode: slc, mlc, tlc or qlc.
    fn mode(&self, region: &str) -> PyResult<&'static str> {
        self.ask_region(region, None, |view, at| view.mode(at).name())
    }

    /// Pages of a region's blocks.
    fn pages_per_block(&self, region: &str) -> PyResult<u32> {
        self.ask_region(region, None, |view, at| view.pages_per_block(at))
    }

    /// Service time of what a plane's unit has been given and has not done, ns.
    fn queued_ns(&self, plane: u32) -> PyResult<u64> {
        self.check_plane(plane)?;
        self.ask(|view| view.queued_ns(PlaneId(plane)))
    }

    /// Operations that a plane's unit has been given and has not done.
    fn queued_ops(&self, plane: u32) -> PyResult<u32> {
        self.check_plane(plane)?;
        self.ask(|view| view.queued_ops(PlaneId(plane)))
    }

    /// The region that holds a logical page, or its first unit that has data; None where none does.
    fn region_of(&self, page: u32) -> PyResult<Option<&str>> {
        let found = self.ask(|view| view.region_of(page))?;
        Ok(found.map(|region| self.0[region].as_str()))
    }

    /// The full blocks of a region in the decision's plane: (block, live pages, blocks opened before it).
    fn closed_blocks(&self, region: &str) -> PyResult<Vec<(u32, u32, u32)>> {
        let blocks = self.ask_region(region, None, |view, at| view.closed_blocks(at))?;
        Ok(blocks.into_iter().map(|found| (found.block.0, found.live_pages, found.opened)).collect())
    }
}

impl PyView {
    fn check_plane(&self, plane: u32) -> PyResult<()> {
        let planes = self.ask(|view| view.planes())?;
        match (plane as usize) < planes {
            true => Ok(()),
            false => {
                Err(PyValueError::new_err(format!("plane = {plane}: must be between 0 and {}", planes - 1)))
            }
        }
    }
}
