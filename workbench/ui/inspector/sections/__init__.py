"""The section sheet: a file that is attached whole or in part, its outline, and the text of each part."""
