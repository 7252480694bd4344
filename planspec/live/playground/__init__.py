"""The playground: planspec as static files, in a browser, without a server."""
