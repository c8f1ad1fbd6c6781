#!/usr/bin/env python3
"""Lowers a folder of shaders on the workers of a Dask cluster.

A task is one shard, `polyshade batch SHADERS … --shard I/N --cache CACHE`. Workers share nothing but two folders: that
of the shaders and that of the results. A worker that is lost costs the shader it was at: its shard is run again by
another one, which finds in the cache what is done. At the end the outputs are taken from the cache into one folder, and
the reports of the shards are joined into the report that one machine writes.

    shards.py shaders out --report report.json -- capture --varyings v_position

With `--scheduler ADDRESS` the workers are those of a cluster that runs already; else they are processes of this machine.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from dask.distributed import Client, LocalCluster

# The exit codes of `polyshade batch` that are results: success, a failed shader, an unsupported shader.
RESULTS = (0, 1, 3)


def run_shard(batch, verb, index, of, shared):
    """Runs a shard on a worker. What a lost worker began is left to lie: every try has a folder of its own."""
    with tempfile.TemporaryDirectory(dir=shared, prefix=f"shard-{index}-") as folder:
        report = Path(folder) / "report.json"
        command = [*batch, *verb, "-o", f"{folder}/out", "--shard", f"{index}/{of}", "-j", "1", "-q"]
        command += ["--cache", f"{shared}/cache", "--report", str(report)]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in RESULTS:
            raise RuntimeError(f"shard {index} of {of} ended with {code}")
        # An atomic rename, because the same shard may run twice.
        os.replace(report, Path(shared) / f"{index}.json")
    return os.getpid()


def kill_one(client, shared):
    """Kills a worker in the middle of a shard, as a machine that loses its power does, and gives its process and shards."""
    while True:
        # Wait until some results exist, but not all.
        if sum(1 for _ in Path(shared).glob("cache/.polyshade-batch/cache/*/*")) > 20:
            busy = [(worker, keys) for worker, keys in client.processing().items() if keys]
            if busy:
                worker, keys = busy[0]
                pid = client.run(os.getpid, workers=[worker])[worker]
                lost = psutil.Process(pid)
                for process in [lost, *lost.children(recursive=True)]:
                    with contextlib.suppress(psutil.NoSuchProcess):
                        process.kill()
                return pid, keys
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shaders", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("verb", nargs="+", help="what `polyshade batch` runs, with its options")
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--shared", type=Path, help="a folder that all workers reach; by default beside OUT")
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--scheduler", help="the address of a cluster that runs already")
    parser.add_argument("--polyshade", default="polyshade", help="the program, as workers find it")
    parser.add_argument("--kill-one", action="store_true", help="kill a worker on the way, to see that nothing is lost")
    options = parser.parse_args()

    shared = (options.shared or options.out.with_name(f"{options.out.name}.shared")).absolute()
    shared.mkdir(parents=True, exist_ok=True)
    batch = [options.polyshade, "batch", str(options.shaders.absolute())]
    cluster = options.scheduler or LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        names = [f"shard-{index}" for index in range(1, options.shards + 1)]
        shards = {
            name: client.submit(
                run_shard, batch, options.verb, index, options.shards, str(shared), key=name, retries=3, pure=False
            )
            for index, name in enumerate(names, 1)
        }
        killed = kill_one(client, shared) if options.kill_one else None
        pids = client.gather(shards)
    if killed:
        pid, keys = killed
        again = [name for name in keys if pids[name] != pid]
        print(f"process {pid} was killed while it had {', '.join(keys)}; run again by others: {', '.join(again)}")
        if sorted(again) != sorted(keys):
            sys.exit("a killed worker has given a result")

    reports = [str(shared / f"{index}.json") for index in range(1, options.shards + 1)]
    merged = subprocess.run([options.polyshade, "batch", "--merge", *reports, "--report", str(options.report)], check=False)
    # This lowers nothing: all results are in the cache.
    taken = [*batch, *options.verb, "-o", str(options.out), "--cache", str(shared / "cache"), "-q"]
    whole = subprocess.run(taken, stdout=subprocess.DEVNULL, check=False)
    if merged.returncode not in RESULTS or whole.returncode != merged.returncode:
        sys.exit(f"joining the shards ended with {merged.returncode} and {whole.returncode}")
    shutil.rmtree(shared)
    sys.exit(merged.returncode)


if __name__ == "__main__":
    main()
