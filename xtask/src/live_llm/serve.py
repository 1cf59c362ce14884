"""Serves a model file on the loopback until standard input ends; prints the base address.

Usage: python3 serve.py MODEL.gguf
"""

import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.model_alias = {"smollm2"}
params.n_ctx = 4096
params.n_parallel = 1
# More threads spin against each other on small machines.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.sampling.seed = 1
server = xllamacpp.Server(params)
print(f"{server.listening_address}/v1", flush=True)
sys.stdin.read()
