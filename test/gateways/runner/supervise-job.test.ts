import { join } from 'node:path'
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
  const error = await over.catch((thrown: unknown) => thrown)
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

test('a runner that ends before its job is lost', async () => {
  const { error } = await supervise('leave')
  expect(error).toBeInstanceOf(RunnerLost)
  expect(error).toMatchObject({ how: 'ended' })
})

test('a runner that the worker’s own fault leaves without an answer is ended', async () => {
  const { error, end } = await supervise('log', {
    onLog: async () => {
      throw new Error('the store is away')
    },
  })
  expect(error).toMatchObject({ message: 'the store is away' })
  expect(end.how).toBe('killed')
})
