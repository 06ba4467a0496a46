"""What the widgets share."""
