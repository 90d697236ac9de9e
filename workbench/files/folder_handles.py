"""Holding a folder open while it is used: by handles where the system has them."""

from __future__ import annotations

import os

from workbench.files.checked_folders import CheckedFolder
from workbench.files.folders import DirectoryFolder, Folder

HAS_FOLDER_HANDLES = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd


def open_folder(path: str) -> Folder:
    """A folder that somebody named, which may be reached through links; `OSError` where it is none."""
    return DirectoryFolder.at(path) if HAS_FOLDER_HANDLES else CheckedFolder.at(path)
