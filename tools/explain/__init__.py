"""Why a move has not ended, and what to do: `klamm explain`.

`facts` is what can be seen from outside, `gather` looks at a cluster, `diagnose` judges without
any I/O, `report` puts it into words.
"""
