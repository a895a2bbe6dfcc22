import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'

let harness: Harness
beforeAll(async () => {
  // Without a worker the run and its log do not change.
  harness = await createHarness()
})
afterAll(async () => harness.close())

/** A log stream over a real connection. */
async function open(url: string, headers: Record<string, string>) {
  const abort = new AbortController()
  const response = await fetch(`${harness.config.baseUrl}${url}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  expect(response.status).toBe(200)
  for (const name of ['x-request-id', 'ratelimit-remaining', 'x-content-type-options'])
    expect(response.headers.get(name), name).toBeTruthy()
  expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  let text = ''
  let over = false
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk)
    over = true
  })()
  return {
    /** Resolves when the server closes the stream. */
    ended,
    isOver: () => over,
    text: () => text,
    close: async () => {
      abort.abort()
      await ended.catch(() => undefined)
    },
  }
}

test('a stream is closed within seconds after its reader loses access, and other streams stay open', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const workspace = await org.workspace({ by: owner })
  const run = await startRun(owner, workspace)
  const url = `${workspace.url}/runs/${run.id}/logs`
  const [deactivated, signedOut, revoked, deleted] = [
    await org.user('Viewer'),
    await org.user('Viewer'),
    await org.user('Viewer'),
    await org.user('Viewer'),
  ]
  const bearer = await revoked.token('Viewer')
  const cookie = (value: string) => ({ cookie: `cc_session=${value}` })
  const stays = await open(url, cookie(owner.cookie))
  const cut = [
    await open(url, cookie(deactivated.cookie)),
    await open(url, cookie(signedOut.cookie)),
    await open(url, { authorization: `Bearer ${bearer}` }),
    await open(url, cookie(deleted.cookie)),
  ]
  // Long enough for each stream's access to be checked once.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(cut.map(({ isOver }) => isOver())).toEqual([false, false, false, false])

  const since = Date.now()
  await owner.patch(`/api/org/users/${deactivated.id}`, { active: false })
  await signedOut.post('/api/auth/logout')
  const { tokens } = (await owner.get('/api/org/tokens')).json()
  await owner.delete(`/api/org/tokens/${tokens[0].id}`)
  await owner.delete(`/api/org/users/${deleted.id}`)
  await Promise.all(cut.map(async ({ ended }) => ended))
  expect(Date.now() - since).toBeLessThan(15_000)
  // A stream that is cut has no `end` event, because its log is not complete.
  for (const { text } of cut) expect(text()).not.toContain('event: end')
  expect(stays.isOver()).toBe(false)
  await stays.close()
}, 40_000)
