"""The only room that names concrete adapters and reads the environment: here the parts are put together."""
