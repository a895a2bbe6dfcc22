import { expect, test } from 'vitest'
import { attemptMask } from '../../../activities/pipelines/attempt-mask.ts'
import type { Attempt } from '../../../activities/pipelines/begin-attempt.ts'
import { restoreCaches } from '../../../activities/pipelines/build-caches.ts'
import { endAttempt } from '../../../activities/pipelines/end-attempt.ts'
import { AppError } from '../../../domain/errors.ts'

/** A mask goes through the secrets once where it is made. */
class Counted extends Array<string> {
  made = 0
  override [Symbol.iterator]() {
    this.made += 1
    return super[Symbol.iterator]()
  }
}

test('all that is said of an attempt is masked by one mask, which has the secrets that came later', async () => {
  const secrets = new Counted()
  const lines: string[] = []
  const failing = async () => {
    throw new AppError('conflict', 'there is no-such-secret-one and no-such-secret-two')
  }
  const attempt = {
    secrets,
    mask: attemptMask(secrets),
    source: {},
    log: {
      append: async (added: Array<{ line: string }>) =>
        void lines.push(...added.map(({ line }) => line)),
    },
    watch: { signal: new AbortController().signal, cause: () => undefined },
  } as unknown as Attempt
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
  const store = { tenant: async () => undefined }
  await endAttempt(
    { store } as unknown as Parameters<typeof endAttempt>[0],
    attempt,
    await failed(failing),
  )
  expect(secrets.made).toBe(2)
  expect(lines.join('\n')).not.toContain('no-such-secret')
})

const failed = async (work: () => Promise<unknown>): Promise<unknown> =>
  work().catch((error: unknown) => error)
