"""Our speed beside other implementations, and how fast widgets answer."""
