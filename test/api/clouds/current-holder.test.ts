import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedAccount, resourceRows } from '../../harness/clouds/cloud-rows.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const today = new Date().toISOString().slice(0, 10)

/** One workspace gave two buckets up today, of which another one holds one since before. */
async function world() {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const [one, two] = [await org.workspace({ by: owner }), await org.workspace({ by: owner })]
  const accountId = await connectedAccount(harness, org.id)
  const bucket = (name: string) => `arn:aws:s3:::${name}`
  await resourceRows(harness, { organizationId: org.id, accountId }, [
    { cloudId: bucket('free') },
    { cloudId: bucket('other') },
    { cloudId: bucket('gone'), state: 'gone' },
  ])
  const held = (workspaceId: number, name: string, heldFrom: string, heldTo: string | null) => ({
    organizationId: org.id,
    workspaceId,
    heldFrom,
    heldTo,
    cloudId: bucket(name),
    address: `aws_s3_bucket.${name}`,
    type: 'aws_s3_bucket',
    provider: 'aws',
    attributes: '{}',
  })
  await harness.deps.store
    .platform('workspace_resources')
    .insert([
      held(one.id, 'free', '2026-01-01', today),
      held(one.id, 'other', '2026-03-01', today),
      held(two.id, 'other', '2026-01-01', null),
    ])
  type Resource = { cloudId: string; workspace: { id: number } | null }
  const list = async (query = '') => {
    const answer = await owner.get(`/api/cloud/resources?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return Object.fromEntries(
      (answer.json().resources as Resource[]).map(({ cloudId, workspace }) => [
        cloudId.split(':').at(-1),
        workspace?.id ?? null,
      ]),
    )
  }
  return { owner, one, two, list }
}

test('200: a resource that was given up today is nobody’s, in the list, its filters and its import block', async () => {
  const { owner, two, list } = await world()
  expect(await list()).toEqual({ free: null, other: two.id })
  expect(await list('managed=false')).toEqual({ free: null })
  expect(await list(`workspaceId=${two.id}`)).toEqual({ other: two.id })
  const summary = (await owner.get('/api/cloud/resources/summary')).json()
  expect([summary.managed, summary.unmanaged]).toEqual([1, 1])
  const imports = (await owner.get('/api/cloud/resources/imports?managed=false')).body
  expect(imports).toContain('id = "free"')
})

test('200: repeated, state and managed mean or', async () => {
  const { list } = await world()
  expect(Object.keys(await list('state=present&state=gone'))).toHaveLength(3)
  expect(Object.keys(await list('state=gone&state=gone'))).toEqual(['gone'])
  expect(Object.keys(await list('managed=true&managed=false'))).toHaveLength(2)
  expect(await list('managed=false&managed=false')).toEqual({ free: null })
})
