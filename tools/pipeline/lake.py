"""Where tables are kept: Parquet files by table, version, cluster and date.

`ROOT/<table>/v<version>/cluster=<name>/date=<day>/*.parquet` is all that there is, and any reader
of Parquet can read it. What a job writes becomes part of it at once or not at all (see `Change`);
one job at a time writes. The folder must be one that driver and executors all see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from klamm.tools.pipeline.changes import Change, LakeError, changes, listing
from klamm.tools.pipeline.tables import TEXT, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Change", "Lake", "LakeError", "check_cluster", "check_file", "day_folder"]

#: What rows that are written take the place of: all that their clusters had, or nothing.
Mode: TypeAlias = Literal["replace", "append"]

#: The columns that are folders' names, of tables that have them.
FOLDERS = ("cluster", "date")
#: The folder of rows without a date, as Hive and Spark call it.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class Lake:
    """The tables below a folder, which need not be there yet."""

    def __init__(self, root: str | Path) -> None:
        if ":/" in str(root):
            raise LakeError(f"{root} is no folder: a lake is in one that all executors see")
        self.root = Path(root).absolute()

    def path(self, table: Table) -> str:
        """Return the folder of a table."""
        return str(self.folder(table))

    def folder(self, table: Table) -> Path:
        """Return the same as a path."""
        return self.root / table_folder(table)

    def files(self, table: Table, clusters: Collection[str] | None = None) -> list[Path]:
        """Name the files that a table is made of, in order: of these clusters, or of all."""
        folder = self.folder(table)
        if clusters is None or not table.clustered:
            return sorted(folder.rglob("*.parquet"))
        named = (folder / f"cluster={cluster}" for cluster in clusters)
        return sorted(file for each in named for file in each.rglob("*.parquet"))

    def read(self, spark: SparkSession, table: Table) -> DataFrame:
        """Return a table's rows, none if it was never written.

        Raises LakeError if a file does not keep the table's contract.
        """
        with listing(self.root):
            files = self.files(table)
            for file in files:
                check_file(file, table)
            if not files:
                return spark.createDataFrame([], table.struct)
            # Spark lists the folder here, and reads what it has listed when it comes to it.
            frame = spark.read.schema(table.struct).parquet(self.path(table))
        return frame.select(*table.schema.names)

    def read_plain(self, table: Table, clusters: Collection[str] | None = None) -> pa.Table:
        """Return the same rows in memory, in the files' order; raises LakeError."""
        with listing(self.root):
            files = self.files(table, clusters)
            for file in files:
                check_file(file, table)
            if not files:
                return table.schema.empty_table()
            return ds.dataset(
                [str(file) for file in files],
                schema=table.schema,
                format="parquet",
                partitioning=_partitioning(table),
                partition_base_dir=self.path(table),
            ).to_table()

    def write(
        self,
        frame: DataFrame,
        table: Table,
        mode: Mode = "replace",
        clusters: Collection[str] | None = None,
    ) -> int:
        """Write a frame's rows, and return how many; few files, whatever the frame's partitions.

        Mode `replace` puts them in the place of what the clusters had that they are of, or
        `clusters`, which says the same where there may be no rows. Raises LakeError if the frame
        does not have the table's columns.
        """
        _check_frame(frame, table)
        with self.change() as change:
            folders = FOLDERS if table.clustered else ()
            rows = frame.select(*table.schema.names)
            rows = rows.hint("rebalance", *folders) if folders else rows.coalesce(1)
            writer = rows.write.mode("append").option("compression", "zstd")
            if folders:
                writer = writer.partitionBy(*folders)
            writer.parquet(str(change.folder(table_folder(table))))
            return self._written(change, table, mode, clusters)

    def write_plain(
        self,
        rows: pa.Table,
        table: Table,
        mode: Mode = "replace",
        clusters: Collection[str] | None = None,
    ) -> int:
        """Do the same with rows in memory; ArrowInvalid if they are not of the table's types."""
        with self.change() as change:
            self.put(change, rows, table)
            return self._written(change, table, mode, clusters)

    def put(self, change: Change, rows: pa.Table, table: Table) -> None:
        """Make the files of rows in memory in a change."""
        ds.write_dataset(
            rows.select(table.schema.names).cast(table.schema),
            change.folder(table_folder(table)),
            format="parquet",
            partitioning=_partitioning(table),
            basename_template=f"part-{change.name}-{{i}}.parquet",
            existing_data_behavior="overwrite_or_ignore",
            max_partitions=100_000,
            file_options=ds.ParquetFileFormat().make_write_options(compression="zstd"),
        )

    @contextmanager
    def change(self, wait: bool = False) -> Iterator[Change]:
        """Give a change that comes true at the end of the block, unless that fails.

        Raises LakeError if another job writes, unless its end is to be waited for.
        """
        with changes(self.root, wait) as change:
            yield change

    def _written(
        self, change: Change, table: Table, mode: Mode, clusters: Collection[str] | None
    ) -> int:
        folder = change.folder(table_folder(table))
        if mode == "replace":
            found = {each.name.partition("=")[2] for each in folder.glob("cluster=*")}
            for file in self.files(table, found | set(clusters or ())):
                change.remove(file)
        return sum(pq.read_metadata(file).num_rows for file in folder.rglob("*.parquet"))


def table_folder(table: Table) -> Path:
    """Return the folder of a table below a lake's root."""
    return Path(table.name, f"v{table.version}")


def day_folder(table: Table, cluster: str, date: str | None) -> Path:
    """Return the folder of the rows of a cluster and day, below a lake's root.

    A cluster's name is what can be a folder's name everywhere: see `check_cluster`.
    """
    if not table.clustered:
        return table_folder(table)
    return table_folder(table) / f"cluster={cluster}" / f"date={date or _NO_VALUE}"


def file_schema(table: Table) -> pa.Schema:
    """Return the columns that are in a file: all but those that its folders' names say."""
    return pa.schema([field for field in table.schema if not _is_folder(field.name, table)])


def check_cluster(name: str) -> str:
    """Return the name; LakeError if it cannot be a folder's name as it stands.

    Kafka's own cluster ids are letters, digits, `-` and `_`.
    """
    if not name or name.startswith(".") or not all(_plain(letter) for letter in name):
        raise LakeError(f"cluster {name!r} must be letters, digits, '-', '_' and '.'")
    return name


def check_file(file: Path, table: Table) -> None:
    """Raise LakeError if a file cannot be read as rows of a table.

    A column that was added since it was written is null in its rows; those of the key must be
    there, and none may have another type.
    """
    found = _types(pq.read_schema(file))
    wanted = {
        name: kind for name, kind in _types(table.schema).items() if not _is_folder(name, table)
    }
    missing = [name for name in table.key if name not in found]
    if missing:
        raise LakeError(f"{file} is no file of {table.name}: it has no column {missing[0]!r}")
    for name, kind in wanted.items():
        if name in found and found[name] != kind:
            raise LakeError(
                f"{file} is no file of {table.name}: column {name!r} is {found[name]}, not {kind}"
            )


def _plain(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter in "-_.")


def _is_folder(name: str, table: Table) -> bool:
    return table.clustered and name in FOLDERS


def _types(schema: pa.Schema) -> Mapping[str, str]:
    """Return columns' types in a form that does not depend on who named a list's elements."""
    return {field.name: _type(field.type) for field in schema}


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list<{_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = (kind.field(number) for number in range(kind.num_fields))
        return f"struct<{', '.join(f'{each.name}: {_type(each.type)}' for each in fields)}>"
    return str(kind)


def _partitioning(table: Table) -> ds.Partitioning | None:
    if not table.clustered:
        return None
    folders = pa.schema([(name, TEXT) for name in FOLDERS])
    return ds.HivePartitioning(folders, null_fallback=_NO_VALUE)


def _check_frame(frame: DataFrame, table: Table) -> None:
    """Raise LakeError if a frame lacks a column, or has one of another type."""
    found = {field.name: field.dataType.simpleString() for field in frame.schema}
    for field in table.struct:
        wanted = field.dataType.simpleString()
        if found.get(field.name) != wanted:
            is_there = found.get(field.name, "missing")
            raise LakeError(f"column {field.name!r} of {table.name} is {is_there}, not {wanted}")
