"""`aslant explore`: a page on which people try words of their own. The server only calls the public functions."""
