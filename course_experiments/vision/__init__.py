"""How the numbers about pictures came about."""
