/** What the worker asks of the reader's program, as JSON on its standard input. Paths are those of the sandbox. */
export type ProgramRequest = {
  files: readonly { path: string; key: string }[]
  /** `{ team: ['Team'] }`: these keys of tags are one. */
  tagAliases: Readonly<Record<string, readonly string[]>>
  /** Of lines that name no provider. */
  provider: string | null
  outFolder: string
  scratchFolder: string
  /** Of the database, which is most of what the program takes. */
  memoryBytes: number
  scratchBytes: number
  /** Of one file, unpacked. */
  unpackedBytes: number
}

/** What it answers on its standard output: what became of the bill, or that the disk of the worker is full. */
export type ProgramReply = ProgramAnswer | { kind: 'disk_full' }

export type ProgramAnswer =
  | { kind: 'read'; focusVersion: string; slices: ReadSlice[]; rejected: 0 }
  | { kind: 'refused'; rejected: number; errors: BillError[] }

/** One billing period of what was read. Amounts are decimal text. */
export type ReadSlice = {
  /** `2026-09` */
  period: string
  /** The file for COPY (domain/finops/focus/charge-columns.ts). */
  path: string
  /** Rows at day grain, as in the file. */
  rows: number
  /** Lines of the bill. */
  rowsRead: number
  days: number
  billed: string
  effective: string
  list: string
  /** Null where there is more than one. */
  currency: string | null
  firstDay: string
  lastDay: string
}

/** A place of a bill that cannot be read. `row` counts from 1, without the header. */
export type BillError = {
  file: string
  row: number | null
  column: string | null
  message: string
}

export const errorsAtMost = 10

/** Thrown by the program for what is wrong with a bill. */
export class BillRefused extends Error {
  readonly errors: BillError[]
  readonly rejected: number
  constructor(errors: BillError[], rejected = errors.length) {
    super('The bill is refused')
    this.errors = errors
    this.rejected = rejected
  }
}

/** More memory or room is needed than there is; with fewer threads less of it is. */
export class BillTooLarge extends BillRefused {}

/** Thrown where the disk of the worker has no room: the bill may be read later, or by another worker. */
export class DiskFull extends Error {}

/** A fault of a whole file. */
export const fileRefused = (key: string, message: string, column: string | null = null) =>
  new BillRefused([{ file: key, row: null, column, message }])
