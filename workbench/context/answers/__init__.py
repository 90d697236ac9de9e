"""What an answer says, held against the request that it was made from."""
