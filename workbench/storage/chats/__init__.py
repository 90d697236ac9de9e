"""What is kept in the store, table by table."""
