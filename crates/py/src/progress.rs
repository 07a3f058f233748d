//! Work beside Python: progress to a callback, and Ctrl-C from Python's signal handlers.
//!
//! The work runs on a thread of its own, and the calling thread looks at Python
//! many times a second. So an interrupt is answered at once, whatever the work is
//! in the middle of: it is told to stop, and left alone if it takes long to.

use super::errors::RunError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use slcache_sim::memory::watch;
use slcache_sim::Stop;
use std::sync::mpsc::{channel, sync_channel, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

/// Time between two looks at Python's signals.
const LOOK: Duration = Duration::from_millis(20);
/// Time between two calls of the callback in one phase.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long work that was told to stop is waited for.
const GRACE: Duration = Duration::from_millis(120);

/// As much as a program's first thread has.
const STACK_BYTES: usize = 8 << 20;

/// What the work tells the thread that waits for it.
enum Message<T> {
    /// A new state; the work goes on when it has the answer.
    Progress(State, SyncSender<bool>),
    Done(T),
}

#[derive(Clone, Default)]
struct State {
    phase: String,
    done: u64,
    total: u64,
}

/// Runs `work` without the GIL. `callback(phase, done, total)` is called about
/// ten times a second, also while the work is silent; `False` cancels. The work
/// gets a function to report with, which says whether to go on, and the order
/// to stop for what cannot report.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(&str, u64, u64) -> bool, &Stop) -> T + Send + 'static,
) -> PyResult<T> {
    run_known(py, false, callback, work)
}

/// Like [`run`]. Work that asks Python again and again is `known` to it all the while: to introduce a thread
/// for every question takes longer than the answer.
pub fn run_known<T: Send + 'static>(
    py: Python<'_>,
    known: bool,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(&str, u64, u64) -> bool, &Stop) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let stop = Stop::default();
    let ordered = stop.clone();
    let thread = std::thread::Builder::new().name("slcache".to_owned()).stack_size(STACK_BYTES);
    let work = move || {
        let mut reporter = Reporter { sender: sender.clone(), last: None };
        let result = work(&mut |phase, done, total| reporter.report(phase, done, total), &ordered);
        // Nobody listens any more after an interrupt.
        let _ = sender.send(Message::Done(result));
    };
    let spawned = thread.spawn(move || match known {
        true => Python::attach(|py| py.detach(work)),
        false => work(),
    })?;
    let mut listener =
        Listener { receiver, callback, state: State::default(), called: None, looked: Instant::now() };
    let result = listener.listen(py);
    if matches!(result, Err(NoResult::Panicked)) {
        if let Err(reason) = py.detach(|| spawned.join()) {
            std::panic::resume_unwind(reason);
        }
    }
    result.map_err(|ended| {
        stop.order();
        py.detach(|| listener.wait());
        ended.into()
    })
}

/// Why there is no result.
enum NoResult {
    /// A signal handler or the callback raised.
    Raised(PyErr),
    /// The callback said so.
    Cancelled,
    /// The work ended without a word.
    Panicked,
}

impl From<NoResult> for PyErr {
    fn from(ended: NoResult) -> Self {
        match ended {
            NoResult::Raised(error) => error,
            NoResult::Cancelled | NoResult::Panicked => PyKeyboardInterrupt::new_err("cancelled"),
        }
    }
}

/// The end of the work.
struct Reporter<T> {
    sender: Sender<Message<T>>,
    last: Option<(String, Instant)>,
}

impl<T> Reporter<T> {
    /// Tells where the work is, if that is due; whether to go on.
    fn report(&mut self, phase: &str, done: u64, total: u64) -> bool {
        let is_due = match &self.last {
            Some((last, at)) => last != phase || at.elapsed() >= INTERVAL,
            None => true,
        };
        if !is_due {
            return true;
        }
        let (answer, answered) = sync_channel(1);
        let state = State { phase: phase.to_owned(), done, total };
        let go_on = self.sender.send(Message::Progress(state, answer)).is_ok() && answered.recv() == Ok(true);
        self.last = Some((phase.to_owned(), Instant::now()));
        go_on
    }
}

/// The end of Python.
struct Listener<T> {
    receiver: Receiver<Message<T>>,
    callback: Option<Py<PyAny>>,
    state: State,
    called: Option<Instant>,
    /// When memory was looked at.
    looked: Instant,
}

impl<T: Send> Listener<T> {
    fn listen(&mut self, py: Python<'_>) -> Result<T, NoResult> {
        loop {
            let receiver = &mut self.receiver;
            let message = py.detach(|| next(receiver));
            py.check_signals().map_err(NoResult::Raised)?;
            self.look_at_memory()?;
            match message {
                Ok(Message::Done(result)) => return Ok(result),
                Ok(Message::Progress(state, answer)) => {
                    self.state = state;
                    self.ask(py)?;
                    let _ = answer.send(true);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if self.called.is_some_and(|at| at.elapsed() >= INTERVAL) {
                        self.ask(py)?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(NoResult::Panicked),
            }
        }
    }

    /// Ends the work before the system does.
    fn look_at_memory(&mut self) -> Result<(), NoResult> {
        if self.looked.elapsed() >= INTERVAL {
            self.looked = Instant::now();
            watch().map_err(|error| NoResult::Raised(RunError::new_err(error.to_string())))?;
        }
        Ok(())
    }

    /// Calls the callback; a callback that returns nothing goes on.
    fn ask(&mut self, py: Python<'_>) -> Result<(), NoResult> {
        self.called = Some(Instant::now());
        let Some(callback) = &self.callback else { return Ok(()) };
        let State { phase, done, total } = &self.state;
        let go_on = callback
            .call1(py, (phase, *done, *total))
            .and_then(|answer| Ok(answer.is_none(py) || answer.is_truthy(py)?))
            .map_err(NoResult::Raised)?;
        if go_on {
            Ok(())
        } else {
            Err(NoResult::Cancelled)
        }
    }

    /// Lets work that was told to stop clean up.
    fn wait(&mut self) {
        let end = Instant::now() + GRACE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            // A question is answered by dropping it.
            match self.receiver.recv_timeout(left) {
                Ok(Message::Progress(..)) => {}
                Ok(Message::Done(_)) | Err(_) => return,
            }
        }
    }
}

/// Takes the unique reference that lets a receiver cross into code without the GIL.
fn next<T>(receiver: &mut Receiver<Message<T>>) -> Result<Message<T>, RecvTimeoutError> {
    receiver.recv_timeout(LOOK)
}
