"""`workbench ask`: the arguments, the chat they mean, and the turns."""
