"""Runs other parsers on the jobs of this project and compares answers and speed.

`answers` is the shape in which everybody answers and how two answers are compared; `jobs` are the
questions; `peers` the parsers that answer them; `worker` runs one peer in a process of its own;
`ours` runs this project's binaries; `driver` starts them all; `table` shows what came out. `measure`
runs a process and says what it used, `machine` where; `environment` has the packages.
"""
