"""From the bytes of a trace file to `Records`.

`parse` is the way: `inflate` gives the text, `cut` its pieces, `events` decodes them, `columns`
collects, `finish` makes records of the whole. `split` lets several processes do it. What does not
parse is recovered by `resync` and `repair`, beside this folder.
"""
