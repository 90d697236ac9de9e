"""`workbench watch`: shows what other programs send to their models."""
