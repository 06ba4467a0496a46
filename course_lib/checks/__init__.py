"""What the test cells of papers are written with; it imports nothing else of the course."""
