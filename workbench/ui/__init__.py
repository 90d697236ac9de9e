"""The graphical user interface: PySide6 and qasync are used only here."""
