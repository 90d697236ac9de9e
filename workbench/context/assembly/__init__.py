"""The steps from inputs to an envelope: what enters, what is cut, and how it is written."""
