//! Writing requests as an MQSim ASCII trace.

use slcache_core::device::request::{HostOp, Request};
use std::io::Write;

/// A request that MQSim's format has no words for, or a failed write.
#[derive(Debug, thiserror::Error)]
pub enum MqsimWriteError {
    /// MQSim knows reads and writes only.
    #[error("request {number} is a {op:?}; MQSim's ASCII format knows reads and writes only")]
    Operation {
        /// The request's place, from 1.
        number: u64,
        /// What it asks for.
        op: HostOp,
    },
    /// The output failed.
    #[error("writing the trace failed: {0}")]
    Output(#[from] std::io::Error),
}

/// Writes `time device lba sectors type` lines: nanoseconds, the stream as
/// device, 512-byte sectors, 0 = write and 1 = read.
pub fn write_mqsim(requests: &[Request], output: &mut impl Write) -> Result<(), MqsimWriteError> {
    let mut output = std::io::BufWriter::with_capacity(1 << 18, output);
    for (number, request) in (1..).zip(requests) {
        let code = match request.op {
            HostOp::Write => 0,
            HostOp::Read => 1,
            op => return Err(MqsimWriteError::Operation { number, op }),
        };
        let Request { at_ns, stream, sector, sectors, .. } = request;
        writeln!(output, "{at_ns} {stream} {sector} {sectors} {code}")?;
    }
    output.flush()?;
    Ok(())
}
