import fs from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { PROGRAM_VERSION } from '../base/program-files.ts'
import { type Column, GROUP_ROWS, RowGroup } from './columns.ts'

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema']
type Element = Schema[number]

/**
 * Each kind of column as a type of Parquet. A time is an instant: milliseconds, adjusted to UTC. Integers have the converted
 * type alone: the library writes the width of the logical one in four bytes, which DuckDB refuses.
 */
const ELEMENTS: { readonly [K in Column<unknown>['kind']]: Omit<Element, 'name'> } = {
  u64: { type: 'INT64', converted_type: 'UINT_64', repetition_type: 'REQUIRED' },
  u32: { type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
  double: { type: 'DOUBLE', repetition_type: 'REQUIRED' },
  boolean: { type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  text: {
    ...{ type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    logical_type: { type: 'STRING' },
  },
  time: {
    ...{ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'OPTIONAL' },
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
}

/**
 * One file that is being written, row group by row group: no more than a group is in memory. The same rows make the same
 * bytes.
 */
export class ParquetFile<Row> {
  readonly #group: RowGroup<Row>
  readonly #writer: ParquetWriter
  readonly #fd: number
  rows = 0

  /** @throws the error of the system where it cannot be made */
  constructor(path: string, columns: readonly Column<Row>[]) {
    this.#group = new RowGroup(columns)
    this.#fd = fs.openSync(path, 'w')
    this.#writer = new ParquetWriter({
      writer: bytesInto(this.#fd),
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name, kind }) => ({ name, ...ELEMENTS[kind] })),
      ],
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
      createdBy: `mintfeed version ${PROGRAM_VERSION}`,
    })
  }

  add(row: Row): void {
    this.#group.add(row)
    this.rows += 1
    if (this.#group.isFull) this.#write()
  }

  /** Writes what is left; the file is then whole and on the disk. */
  finish(): void {
    if (this.#group.count > 0) this.#write()
    this.#writer.finish()
    fs.fsyncSync(this.#fd)
  }

  close(): void {
    fs.closeSync(this.#fd)
  }

  #write(): void {
    this.#writer.write({ columnData: this.#group.take(), rowGroupSize: GROUP_ROWS })
  }
}

/** What the library writes to: it hands over the bytes of each row group, and those behind the last one. */
function bytesInto(fd: number): ByteWriter {
  const writer = new ByteWriter()
  const flush = () => {
    const bytes = writer.getBytes()
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at)
    writer.index = 0
  }
  return Object.assign(writer, { flush, finish: flush })
}
