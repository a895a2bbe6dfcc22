import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { attemptMask, type AttemptMask } from '../../../activities/pipelines/attempt-mask.ts'
import type { Attempt } from '../../../activities/pipelines/begin-attempt.ts'
import { restoreCaches } from '../../../activities/pipelines/build-caches.ts'
import { endAttempt } from '../../../activities/pipelines/end-attempt.ts'
import { RunFault } from '../../../activities/pipelines/run-fault.ts'
import { AppError } from '../../../domain/errors.ts'

let open: AttemptMask[] = []
afterEach(async () => {
  for (const mask of open) await mask.close()
  open = []
})

/** A mask goes through the secrets once where it is made. */
class Counted extends Array<string> {
  made = 0
  override [Symbol.iterator]() {
    this.made += 1
    return super[Symbol.iterator]()
  }
}

function attemptWith(secrets: string[]) {
  const lines: string[] = []
  const mask = attemptMask(secrets, 1)
  open.push(mask)
  const attempt = {
    secrets,
    mask,
    source: {},
    log: {
      append: async (added: Array<{ line: string }>) =>
        void lines.push(...added.map(({ line }) => line)),
    },
    watch: { signal: new AbortController().signal, cause: () => undefined },
  } as unknown as Attempt
  return { attempt, lines }
}

const storing = { store: { tenant: async () => undefined } } as unknown as Parameters<
  typeof endAttempt
>[0]

test('all that is said of an attempt is masked by one mask, which has the secrets that came later', async () => {
  const secrets = new Counted()
  const failing = async () => {
    throw new AppError('conflict', 'there is no-such-secret-one and no-such-secret-two')
  }
  const { attempt, lines } = attemptWith(secrets)
  const paths = ['no-such-secret-one', 'b', 'c']
  const deps = {} as Parameters<typeof restoreCaches>[0]
  const of = {
    opened: { folder: 'source', bench: { run: failing } },
    caches: paths.map((path) => ({ path, key: ['lock'] })),
  } as unknown as Parameters<typeof restoreCaches>[2]
  expect(secrets.made).toBe(0)
  secrets.push('no-such-secret-one')
  await restoreCaches(deps, attempt, of)
  expect(secrets.made).toBe(1)
  expect(lines).toHaveLength(3)
  expect(lines[0]).toContain('The cache [masked] cannot be used')

  secrets.push('no-such-secret-two')
  await endAttempt(storing, attempt, await failed(failing))
  expect(secrets.made).toBe(2)
  expect(lines.join('\n')).not.toContain('no-such-secret')
})

test('the mask of many secrets is made in a thread, while the event loop turns', async () => {
  const secret = 'correct-horse-battery-staple'
  const mask = attemptMask([secret, 'x'.repeat(10_000)], 1)
  open.push(mask)
  const masking = mask.lines([`a correct-\u001b[0mhorse-battery-staple b`])
  let turns = 0
  let isDone = false
  void masking.finally(() => (isDone = true))
  while (!isDone) {
    await turn()
    turns += 1
  }
  // In this thread it would be done before the first turn.
  expect(turns).toBeGreaterThan(10)
  expect(await masking).toEqual(['a [masked] b'])
})

test('an attempt whose secrets cannot be masked ends by its reason, and shows none of its lines', async () => {
  // A control character has forms of 18 times its size.
  const secret = '\u0001'.repeat(800_000)
  const { attempt, lines } = attemptWith([secret])
  const fault = new RunFault('build_errored', 'the message', { lines: ['a line before it'] })
  await endAttempt(storing, attempt, fault)
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/^This line is not shown, because/)
})

const failed = async (work: () => Promise<unknown>): Promise<unknown> =>
  work().catch((error: unknown) => error)
