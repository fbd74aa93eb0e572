"""Jobs: work on input from strangers, in processes that may be killed, with bounds on memory and time.
`job.py` declares jobs, `process.py` is the program that does them, and `pool.py` is the server's end.
"""
