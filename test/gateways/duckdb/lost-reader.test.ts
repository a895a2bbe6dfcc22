import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBills } from '../../../gateways/duckdb/read-bills.ts'
import type { Benches, StepEnd, Workbench } from '../../../gateways/sandbox/workbench.ts'

/** What is said of a bill whose reader ends in this way. */
async function answerTo(end: Partial<StepEnd>) {
  const folder = mkdtempSync(join(tmpdir(), 'cc-lost-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'bill.csv')
  writeFileSync(path, 'x')
  const killed: StepEnd = {
    how: 'killed',
    exitCode: null,
    signal: 'SIGKILL',
    stdout: Buffer.alloc(0),
    stdoutBytes: 0,
  }
  // What the reader calls of a workbench.
  const bench = {
    inside: (name: string) => `/bench/${name}`,
    makeFolder: async () => undefined,
    place: async () => undefined,
    run: async () => ({ ...killed, ...end }),
    close: async () => undefined,
  } as unknown as Workbench
  const benches = { open: async () => bench } as unknown as Benches
  return readBills(
    { benches, entry: 'main.ts', log: { warn: () => undefined } },
    {
      files: [{ path, key: 'bill.csv' }],
      tagAliases: {},
      limits: { bytes: 1024 ** 2 },
      outFolder: folder,
    },
  )
}

test('a reader that went over its own memory refuses the bill', async () => {
  expect(await answerTo({ limit: 'memory' })).toMatchObject({
    kind: 'refused',
    errors: [{ file: 'bill.csv', message: expect.stringContaining('more memory') }],
  })
})

test('one that was killed for the memory of the host, or by a person, is started again', async () => {
  const lost = { fault: 'unavailable', code: 'reader_lost' }
  await expect(answerTo({ limit: 'memory', ofHost: true })).rejects.toMatchObject(lost)
  await expect(answerTo({})).rejects.toMatchObject(lost)
})
