import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cloudKey } from '../../domain/clouds/held-resources.ts'
import { workspaceResources } from '../../store/clouds/workspace-resources.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'

const bucket = (name: string) => `arn:aws:s3:::${name}`

describe('ownersOf, by day', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('before the first owner: that one; in a gap: none; of two: the later one', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const [a, b] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
    const cloudId = bucket('x')
    const row = { cloudId, address: 'a.b', type: 't', provider: 'aws', attributes: {} }
    const on = async (workspaceId: number, day: string, has: boolean) =>
      harness.deps.store.tenant(org.id, async (tenant) => {
        const renewal = workspaceResources(tenant).renewal(workspaceId, day)
        if (has) await renewal.add(JSON.stringify([row]))
        await renewal.end()
      })
    const ownerOn = async (day: string) =>
      harness.deps.store.tenant(org.id, async (tenant) => {
        const owners = await workspaceResources(tenant).ownersOf([cloudId, 'unknown'], day)
        expect(owners.size).toBeLessThanOrEqual(1)
        return owners.get(cloudId)?.workspaceId
      })
    await on(a.id, '2026-03-05', true)
    await on(a.id, '2026-03-10', false)
    await on(b.id, '2026-03-20', true)
    await on(a.id, '2026-03-25', true)
    await on(a.id, '2026-03-27', false)
    const expected = {
      '2026-01-01': a.id,
      '2026-03-05': a.id,
      '2026-03-10': a.id,
      '2026-03-11': undefined,
      '2026-03-20': b.id,
      '2026-03-24': b.id,
      '2026-03-25': a.id,
      '2026-03-27': a.id,
      '2026-03-28': b.id,
    }
    for (const [day, id] of Object.entries(expected))
      expect([day, await ownerOn(day)]).toEqual([day, id])
  })

  test('two workspaces that begin to hold one id at the same moment are both marked', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const both = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
    const rows = Array.from({ length: 50 }, (_, n) => ({
      cloudId: bucket(`n${n}`),
      address: 'a.b',
      type: 't',
      provider: 'aws',
      attributes: {},
    })).toSorted((a, b) => (cloudKey(a.cloudId) < cloudKey(b.cloudId) ? -1 : 1))
    const arrived: Array<() => void> = []
    await Promise.all(
      both.map(async ({ id }) =>
        harness.deps.store.tenant(org.id, async (tenant) => {
          const renewal = workspaceResources(tenant).renewal(id, '2026-03-05')
          for (const one of rows) await renewal.add(JSON.stringify([one]))
          // Neither commits before both have added.
          await new Promise<void>((go) => {
            arrived.push(go)
            if (arrived.length === both.length) for (const each of arrived) each()
          })
          await renewal.end()
        }),
      ),
    )
    const found = await harness.deps.store.tenant(org.id, async (tenant) =>
      workspaceResources(tenant).heldTwice(both.map(({ id }) => id)),
    )
    expect([...found.values()].map(({ total }) => total)).toEqual([50, 50])
  })
})
