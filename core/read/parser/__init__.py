"""From the bytes of a trace file to `Records`.

`fast` is the strict path: `inflate` gives the text, `cut` its pieces, `events` decodes them,
`columns` collects, `finish` makes records of the whole. `split` lets several processes do it.
"""
