"""`fit`: a device file for the scheme `client`, from the log of a drive that was filled."""
