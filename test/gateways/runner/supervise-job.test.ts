import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BadFrame } from '../../../gateways/runner/frames.ts'
import { startRunner } from '../../../gateways/runner/start-runner.ts'
import {
  RunnerLost,
  superviseJob,
  type Supervision,
} from '../../../gateways/runner/supervise-job.ts'

const entry = join(import.meta.dirname, 'odd-runner.ts')
const supervise = async (what: string, more: Partial<Supervision> = {}) => {
  const runner = startRunner({ entry, args: [what], memoryBytes: 256 * 1024 ** 2 })
  const over = superviseJob(runner, {
    job: { kind: 'judge', run: { id: 1, kind: 'plan', destroy: false, authorUserId: null } },
    inputs: (async function* () {})(),
    signal: new AbortController().signal,
    answers: {},
    onLog: async () => undefined,
    onBlob: async () => undefined,
    ...more,
  })
  const error = await over.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { error, end: await runner.ended }
}

test.each(['oversize', 'no-kind', 'unknown', 'long-line', 'asks-too-much', 'bad-result'])(
  'a runner that breaks the protocol (%s) is ended, and its bytes are in no error',
  async (what) => {
    const { error, end } = await supervise(what)
    expect(error).toBeInstanceOf(BadFrame)
    expect(String(error)).not.toContain('tenant-bytes')
    expect(end.how).not.toBe('ended')
  },
)

test('a runner that exits before its job is done counts as lost', async () => {
  const { error } = await supervise('leave')
  expect(error).toBeInstanceOf(RunnerLost)
  expect(error).toMatchObject({ how: 'ended' })
})

test('a failure in the worker ends the runner that waits for an answer', async () => {
  const { error, end } = await supervise('log', {
    onLog: async () => {
      throw new Error('the store is away')
    },
  })
  expect(error).toMatchObject({ message: 'the store is away' })
  expect(end.how).toBe('killed')
})

test.each([
  [true, undefined],
  [false, RunnerLost],
])(
  'an interrupted runner that is late is ended, unless it is saving (%s)',
  async (saving, lost) => {
    const { error } = await supervise('save', {
      signal: AbortSignal.abort(),
      patienceMs: 100,
      isSaving: () => saving,
      // A database that is unreachable for longer than that.
      answers: {
        keepState: async () => {
          await sleep(1_500)
          return { known: true }
        },
      },
    })
    if (lost) expect(error).toBeInstanceOf(lost)
    else expect(error).toBeUndefined()
  },
)

test('a runner that finishes without reading its input is ended and not kept', async () => {
  const { error, end } = await supervise('unread', {
    keep: true,
    inputs: (async function* () {
      yield { name: 'files', bytes: Buffer.alloc(16 * 1_048_576), last: true }
    })(),
  })
  expect(error).toBeUndefined()
  expect(end.how).toBe('killed')
}, 30_000)
