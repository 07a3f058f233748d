//! The device as its host sees it: requests, queue, buffer and the event loop.

pub mod request;
