import type { Logger } from 'pino'
import { AppError } from '../../domain/errors.ts'

type Row = { organizationId: number }
export type Pass<R extends Row> = {
  work: (row: R) => Promise<unknown>
  log: Pick<Logger, 'warn'>
  /** Names it in the log. */
  task: string
  atOnce?: number
}

/** Rows of a pass that could not be handled; all others were. */
export class RowsFailed extends Error {
  readonly rows: number
  constructor(rows: number) {
    super(`${rows} rows could not be handled`)
    this.name = 'RowsFailed'
    this.rows = rows
  }
}

/** Fails every further row in the same way, after a timeout each. */
const endsPass = new Set(['database_unavailable', 'temporal_unavailable'])

/**
 * Handles the rows of all organizations, each in isolation: a row that throws would otherwise stop
 * the work of every organization behind it, in each pass again. Throws at the end if a row failed.
 */
export async function eachByItself<R extends Row>(
  rows: Iterable<R> | AsyncIterable<R>,
  { work, log, task, atOnce = 1 }: Pass<R>,
): Promise<void> {
  let failed = 0
  const left = iterate(rows)
  const handleAll = async () => {
    for await (const row of left)
      try {
        await work(row)
      } catch (error) {
        if (error instanceof AppError && endsPass.has(error.code)) throw error
        failed += 1
        log.warn({ task, ...idsOf(row), ...causeOf(error) }, 'a row of a recurring task failed')
      }
  }
  await Promise.all(Array.from({ length: atOnce }, handleAll))
  if (failed > 0) throw new RowsFailed(failed)
}

/** Each row goes to one of those that ask for the next. */
async function* iterate<R>(rows: Iterable<R> | AsyncIterable<R>): AsyncGenerator<R> {
  yield* rows
}

/** A row can have names beside its ids. */
const idsOf = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key.endsWith('Id')))

/** Without message and detail: those of the database quote values of the row. */
function causeOf(error: unknown): { error: string; code: string; at: string[] } {
  if (!(error instanceof Error)) return { error: typeof error, code: '', at: [] }
  const { name, stack = '', code = '' } = error as Error & { code?: unknown }
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line))
  return { error: name, code: String(code), at: frames.slice(0, 5).map((line) => line.trim()) }
}
