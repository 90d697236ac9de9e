"""Understanding what other programs send: readers, conversations, causes, forecasts, findings and exports."""
