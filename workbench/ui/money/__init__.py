"""What requests cost: a page in place of chat and inspector."""
