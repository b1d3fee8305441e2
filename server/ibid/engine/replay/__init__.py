"""Past sessions once more, with only what was known at each moment (P5).

`scratch` is a memory of its own that is thrown away, `play` gives it the past in order
and asks what the hooks and our read tool would have answered, `witness` and `held` look
what became of that, `log` keeps what was found, and `sums` adds it up.
"""
