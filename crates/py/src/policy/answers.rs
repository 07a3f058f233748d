//! What a policy's methods returned, in the engine's terms.

use super::view::{index, unknown};
use pyo3::exceptions::PyTypeError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use slcache_sim::custom::{BlockId, BlockReclaim, Choice, Whither};
use std::sync::Arc;

/// The regions by name, and the texts of Python that name them.
pub struct Names {
    names: Arc<Vec<String>>,
    texts: Vec<Py<PyString>>,
}

impl Names {
    /// Of regions in their order.
    pub fn new(py: Python<'_>, names: Arc<Vec<String>>) -> Self {
        let texts = names.iter().map(|name| PyString::intern(py, name).unbind()).collect();
        Self { names, texts }
    }

    /// All names.
    pub fn all(&self) -> Vec<String> {
        self.names.to_vec()
    }

    /// The name of a region.
    pub fn name<'py>(&self, py: Python<'py>, region: usize) -> Bound<'py, PyString> {
        self.texts[region].bind(py).clone()
    }

    /// The region that an answer names.
    pub fn region(&self, answer: &Bound<'_, PyAny>) -> PyResult<usize> {
        // A text of the class's own source is interned, as these are.
        if let Some(found) = self.texts.iter().position(|text| text.is(answer)) {
            return Ok(found);
        }
        let name = answer.cast::<PyString>().map_err(|_| wrong(answer, "the name of a region"))?;
        let name = name.to_cow()?;
        index(&self.names, &name).ok_or_else(|| PyValueError::new_err(unknown(&self.names, &name)))
    }

    /// The regions that an answer names, in order of preference.
    pub fn choice(&self, answer: &Bound<'_, PyAny>) -> PyResult<Choice> {
        let is_several = answer.is_instance_of::<PyTuple>() || answer.is_instance_of::<PyList>();
        if !is_several {
            return self.region(answer).map(Choice::one);
        }
        let mut choice = None;
        for each in answer.try_iter()? {
            let region = self.region(&each?)?;
            choice.get_or_insert_with(|| Choice::one(region)).add(region);
        }
        choice.ok_or_else(|| wrong(answer, "the name of a region, or several in order of preference"))
    }

    /// The block to be emptied, if any: None, a region to move to, or a `Reclaim`; `from` is the region that
    /// needs a block.
    pub fn reclaim(&self, answer: &Bound<'_, PyAny>, from: Option<usize>) -> PyResult<Option<BlockReclaim>> {
        if answer.is_none() {
            return Ok(None);
        }
        if let (true, Some(region)) = (answer.is_instance_of::<PyString>(), from) {
            let to = Whither::Region(self.region(answer)?);
            return Ok(Some(BlockReclaim { region, to, block: None, open: false, uninterrupted: false }));
        }
        let allowed = "None, a Reclaim, or where a region needs a block the name of one to move to";
        let field = |name: &str| answer.getattr(name).map_err(|_| wrong(answer, allowed));
        let (region, to, block) = (field("region")?, field("to")?, field("block")?);
        let region = match (region.is_none(), from) {
            (true, Some(from)) => from,
            (true, None) => return Err(wrong(&region, "the region of a Reclaim in a pause")),
            (false, _) => self.region(&region)?,
        };
        Ok(Some(BlockReclaim {
            region,
            to: if to.is_none() { Whither::Each } else { Whither::Region(self.region(&to)?) },
            block: if block.is_none() {
                None
            } else {
                Some(BlockId(number(&block, "a block of view.closed_blocks")?))
            },
            open: field("open")?.extract()?,
            uninterrupted: field("uninterrupted")?.extract()?,
        }))
    }

    /// The regions whose number of blocks changes, with the number.
    pub fn quotas(&self, answer: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, u32)>> {
        if answer.is_none() {
            return Ok(Vec::new());
        }
        let changes =
            answer.cast::<PyDict>().map_err(|_| wrong(answer, "None, or a dict of region and blocks"))?;
        let quota = |blocks: &Bound<'_, PyAny>| number(blocks, "blocks per plane, a whole number from 1");
        changes.iter().map(|(name, blocks)| Ok((self.region(&name)?, quota(&blocks)?))).collect()
    }
}

/// A whole number of 32 bits.
fn number(answer: &Bound<'_, PyAny>, allowed: &str) -> PyResult<u32> {
    let is_bool = answer.is_instance_of::<PyBool>();
    let found = if is_bool { None } else { answer.extract().ok() };
    found.ok_or_else(|| wrong(answer, allowed))
}

/// The exception for an answer that is none.
fn wrong(answer: &Bound<'_, PyAny>, allowed: &str) -> PyErr {
    let shown = answer.repr().map_or_else(|_| "what it is".to_owned(), |text| text.to_string());
    PyTypeError::new_err(format!("returned {shown}; allowed: {allowed}"))
}
