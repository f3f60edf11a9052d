"""The face for programs that speak MCP: the same turns as tools, over stdio and HTTP. Needs the extra `mcp`."""
