"""Work on what strangers send: functions by name, in processes that may be killed, with bounds of memory and time.

`job.py` declares them, `process.py` is the program that does them, `pool.py` the server's end.
"""
