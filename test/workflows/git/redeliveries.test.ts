import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, hostsOf } from '../../harness/git/git-harness.ts'
import { main, openGitWorld, git, type GitWorld } from './git-world.ts'

describe.each(hostsOf('githubPeer', 'gitlabPeer'))('deliveries sent again by %s', (_, makePeer) => {
  let world: GitWorld
  beforeAll(async () => {
    world = await openGitWorld(makePeer)
  })
  afterAll(async () => world?.harness.close())

  test('after the host refused it, a delivery that is sent again starts the run of its push, once', async () => {
    const { harness, user } = world
    const { repo, gitConnectionId } = await world.connect()
    const ws = await world.workspace({ gitConnectionId, source: git, path: 'live' })
    await harness.peer.edit(repo, { write: { 'live/main.tf': main('b') } })
    const id = randomUUID()
    const send = async () => harness.peer.deliver(repo, { push: 'main' }, { id })
    const ended = async (outcome: string) =>
      eventually(async () => {
        const at = { connectionId: gitConnectionId, deliveryId: id }
        const row = await harness.deps.store.platform('git_deliveries').where(at).first()
        return row?.outcome === outcome
      })
    const runs = async () => (await user.get(`${ws.url}/runs`)).json().runs

    harness.peer.server.fault = () => ({ status: 403, json: { message: 'suspended' } })
    try {
      expect((await send()).status).toBe(200)
      await ended('git_forbidden')
    } finally {
      harness.peer.server.fault = () => undefined
    }
    expect(await runs()).toEqual([])
    expect((await send()).status).toBe(200)
    await ended('handled')
    expect(await runs()).toMatchObject([{ origin: { kind: 'push' }, kind: 'plan' }])
    expect((await send()).status).toBe(200)
    await ended('handled')
    expect(await runs()).toHaveLength(1)
    await eventually(async () => (await runs())[0].state !== 'running')
  })
})
