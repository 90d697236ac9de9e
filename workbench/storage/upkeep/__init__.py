"""Looking after the store: checks, copies, rescue, removal for good."""
