import { request, type ClientRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTurns } from '../../../gateways/runner/turns.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

describe('states that are sent slowly', () => {
  let harness: Harness
  const open: ClientRequest[] = []
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => {
    for (const one of open) one.destroy()
    await harness.close()
  })

  const member = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    return { owner, workspace, token: await owner.token() }
  }

  /** Sends the first 200 KB of a state of 10 MB, and then stops. */
  const dribble = ({ workspace, token }: Awaited<ReturnType<typeof member>>) => {
    const sent = request(`${harness.config.baseUrl}${workspace.url}/state?ID=none`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-length': 10_000_000 },
    })
    sent.on('error', () => undefined)
    sent.write(`{"version":4,"padding":"${'x'.repeat(200_000)}`)
    open.push(sent)
  }

  test('200: three organizations send states that never end, and a fourth organization’s state is stored', async () => {
    const hostile = await Promise.all([member(), member(), member()])
    for (const one of hostile) for (let n = 0; n < 4; n += 1) dribble(one)
    // Waits for the first bytes to arrive. The exact number does not matter.
    const { owner, workspace, token } = await member()
    const client = stateClient(harness.app, workspace, token)
    const info = lockInfo()
    await client.lock(info)
    const started = Date.now()
    const text = JSON.stringify(stateOf(1, { padding: 'x'.repeat(300_000) }))
    expect((await client.write(text, info.ID)).statusCode).toBe(200)
    expect(Date.now() - started).toBeLessThan(45_000)
    expect((await owner.get(`${workspace.url}/state/versions`)).json().versions).toHaveLength(1)
  }, 120_000)
})

describe('upload slots', () => {
  test('one organization takes only its own slots, and its queue does not delay others', async () => {
    const turns = createTurns({ atOnce: 3, ofOrganization: 2, waiting: 2 })
    const begun: number[] = []
    const take = async (organizationId: number) => {
      const leave = await turns.take(organizationId)
      begun.push(organizationId)
      return leave
    }
    const first = await take(1)
    await take(1)
    const third = take(1)
    const fourth = take(1)
    await expect(turns.take(1)).rejects.toMatchObject({ code: 'busy' })
    await take(2)
    const other = take(2)
    expect(begun).toEqual([1, 1, 2])
    first()
    await third
    expect(begun).toEqual([1, 1, 2, 1])
    ;(await third)()
    await Promise.race([fourth, other])
    expect(begun).toHaveLength(5)
  })
})
