"""The published comparisons of JSON parsers, repeated with this project beside all that took part.

`plan` says what there is; `counting`, `documents` run it; `data` makes what is read; `child` is one
peer in a process of its own; `digest` is the answer that all must give; `tables`, `charts` and
`readme` write down what came out.
"""
