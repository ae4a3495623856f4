"""The process that serves a model's file; `unspoken.agents.llm.local` starts it, by its path.

It stands apart because llama.cpp cannot be taken down cleanly while it answers. Its one argument
is an `Engine` as JSON. It says its address on one line, and ends when its standard input does,
that is with who started it, however that ends.
"""

import json
import os
import signal
import sys

import xllamacpp


def main() -> None:
    """Serve until nobody is left who could ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for who started it
    engine = json.loads(sys.argv[1])
    params = xllamacpp.CommonParams()
    params.model.path = engine["file"]
    params.model_alias = {engine["model"]}
    params.n_parallel = engine["parallel"]
    params.n_ctx = engine["context"] * engine["parallel"]  # which is divided among them
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = engine["threads"]
    params.cache_ram_mib = engine["kept_mib"]
    params.slot_prompt_similarity = 0.0  # else games that begin alike cut each other back to that
    params.verbosity = 1  # errors only
    params.warmup = params.ui = params.endpoint_slots = False
    server = xllamacpp.Server(params)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # nobody reads it from now on
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
