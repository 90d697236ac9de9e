"""What of the past fits a question: found while it is typed, in small slices, and again when it is sent."""
