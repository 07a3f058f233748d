"""Write bandwidth over data written, and the phases of a sequential fill."""
