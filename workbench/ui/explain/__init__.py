"""The command "What is this?": explains the window in place, with the figures it shows."""
