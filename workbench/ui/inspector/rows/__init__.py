"""What every page of the inspector says and does about rows."""
