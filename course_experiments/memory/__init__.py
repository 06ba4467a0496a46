"""Memory: questions about stories, and sequences written to a tape and read again."""
