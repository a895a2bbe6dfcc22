import { expect } from 'vitest'
import type { Harness } from '../create-harness.ts'
import { eventually } from '../eventually.ts'

type Answer = { statusCode: number; body: string; json(): Record<string, unknown> }

/** An account as a person connects it, in an organization of its own. The harness has a worker. */
export async function connectedCloud(
  harness: Harness,
  body: Record<string, unknown> | ((externalId: string) => Record<string, unknown>),
) {
  const org = await harness.organization()
  const user = await org.user('SRE · Cloud Admin')
  // Answers that succeed are searched for secrets too.
  const watched = async (answer: Promise<Answer>) => {
    const got = await answer
    harness.secrets.wrote('an answer', got.body)
    return got
  }
  const setup = '/api/cloud/accounts/setup?provider=aws&accountId=123456789012&use=keys'
  const { externalId } = (await user.get(setup)).json()
  const sent = typeof body === 'function' ? body(externalId) : body
  const made = await watched(user.post('/api/cloud/accounts', sent))
  expect(made.statusCode, made.body).toBe(201)
  const { account: connected } = made.json() as { account: { id: number } }
  const path = `/api/cloud/accounts/${connected.id}`

  const account = async () => (await watched(user.get(path))).json()['account']
  const ended = async (id?: number) =>
    eventually(async () => {
      const { syncs } = (await user.get(`${path}/syncs`)).json()
      const one = syncs.find((sync: { id: number }) => id === undefined || sync.id === id)
      if (!one || one.state === 'running') return undefined
      const { sync } = (await watched(user.get(`${path}/syncs/${one.id}`))).json() as {
        sync: Record<string, unknown>
      }
      return sync
    })
  return {
    user,
    org,
    path,
    account,
    /** The sync that follows by itself. */
    first: async () => ended(),
    /** Another one, until it has ended. */
    async sync() {
      const { sync } = (await user.post(`${path}/sync`)).json()
      return ended(sync.id)
    },
    validate: async () => watched(user.post(`${path}/validate`)),
    /** Until the account has this status. */
    becomes: async (status: string) =>
      eventually(async () => {
        const shown = (await account()) as { status: string; statusReason: string | null }
        return shown.status === status && shown
      }).catch(async () => expect(await account()).toMatchObject({ status })),
    async resources() {
      const answer = await watched(user.get('/api/cloud/resources?state=all&limit=200'))
      return answer.json()['resources'] as Array<{
        cloudId: string
        state: string
        region: string
        tags: Record<string, string>
      }>
    },
  }
}
