"""The one place that opens network connections, to servers here or elsewhere: by one set of rules, and recorded."""
