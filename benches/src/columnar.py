"""Prints the shortest CPU time from a file to a row-major array: peer, path, rounds."""

import sys
import time

import numpy as np

peer, path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
is_arrow = path.endswith(".arrow")

if peer == "polars":
    import polars as pl

    def rows():
        frame = pl.read_ipc(path) if is_arrow else pl.read_parquet(path)
        if frame.width == 1:
            return frame.to_series().to_numpy()
        return frame.to_numpy(order="c")

else:
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)

    def rows():
        read = pa.feather.read_table if is_arrow else pa.parquet.read_table
        options = {"memory_map": False} if is_arrow else {"use_threads": False}
        table = read(path, **options)
        if table.num_columns == 1:
            column = table.column(0).combine_chunks()
            return column.flatten().to_numpy().reshape(len(column), -1)
        return np.stack([column.to_numpy() for column in table.columns], axis=1)


best = float("inf")
for _ in range(rounds):
    start = time.process_time()
    array = rows()
    best = min(best, time.process_time() - start)
    assert array.flags.c_contiguous and array.ndim == 2, (array.shape, array.flags)
    del array
print(best)
