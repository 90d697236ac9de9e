"""What people choose: for a request, for the program, under a name, and what is wrong with a file of it."""
