"""A request explained: rows, prices, reasons, the drop order, and differences."""
