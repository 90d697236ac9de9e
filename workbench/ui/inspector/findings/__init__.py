"""What is worth knowing of a watched request, above its layers."""
