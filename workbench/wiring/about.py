"""Version and parts of the program; a module of its own, so that `--version` loads nothing else."""

from __future__ import annotations

from workbench.sources.about import about, program_facts

__all__ = ["about", "program_facts"]
