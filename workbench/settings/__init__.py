"""What a person set for the whole program, in a file that can be read and edited."""
