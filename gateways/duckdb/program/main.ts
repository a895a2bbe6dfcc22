import { text } from 'node:stream/consumers'
import { BillRefused, DiskFull, type ProgramReply, type ProgramRequest } from './protocol.ts'
import { readFiles } from './read-files.ts'
import { withFewerThreads } from './with-fewer-threads.ts'

/*
 * Reads the files of one bill, in the sandbox: native code meets a stranger's bytes here, and nothing of the service
 * is within reach. What comes back are files for COPY, their sums, or why there are none.
 */

// What the worker sends, in this shape.
const request = JSON.parse(await text(process.stdin)) as ProgramRequest
const answer = await withFewerThreads(request, async (threads) =>
  readFiles(request, threads),
).catch((error: unknown): ProgramReply => {
  if (error instanceof DiskFull) return { kind: 'disk_full' }
  if (!(error instanceof BillRefused)) throw error
  return { kind: 'refused', rejected: error.rejected, errors: error.errors }
})
// The database has threads of its own, which an end by itself would wait for.
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
