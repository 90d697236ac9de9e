"""Files and folders as every adapter needs them: written whole, walked without following a link; nothing else."""
