"""The program around the window: start and end, crashes, the system, a second start."""
