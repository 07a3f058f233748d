//! Twins by block bootstrap: a source's blocks of requests in random order, at addresses of their own.

mod blocks;
mod coder;
mod extents;
mod recency;
mod record;
mod regions;
