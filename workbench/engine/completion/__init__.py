"""What is offered while a name is typed behind an @."""
