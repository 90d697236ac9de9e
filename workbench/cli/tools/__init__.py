"""`workbench tools`: the MCP servers of a workspace, and what its folder offers."""
