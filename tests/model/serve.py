"""Serves the small model on loopback as llama.cpp's server does, until it is told to end."""

import signal
import sys

import xllamacpp

model, port, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {"small"}
params.port, params.n_ctx, params.n_parallel = port, 16384, 2
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
params.use_jinja, params.warmup = True, False
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
