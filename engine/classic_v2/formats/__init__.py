"""The files of version 2: `.qi`, `.qs`, `.rdq`, and the term of a message in them."""
