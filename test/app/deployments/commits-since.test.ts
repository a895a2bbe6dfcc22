import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitsSince } from '../../../app/deployments/commits-since.ts'
import { openHost } from '../../../app/git/open-host.ts'
import { gitConnections, type GitConnection } from '../../../store/git/git-connections.ts'
import { gitHarness, hostsOf, type GitHarness } from '../../harness/git/git-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'

describe.each(hostsOf('githubPeer', 'gitlabPeer'))('the authors of a release in %s', (_, make) => {
  let harness: GitHarness
  let org: TestOrganization
  let colleague: TestUser
  let pusher: TestUser
  beforeAll(async () => {
    harness = await gitHarness(make, { worker: false })
    org = await harness.organization()
    colleague = await org.user('Deployer')
    pusher = await org.user('SRE · Cloud Admin')
  })
  afterAll(async () => harness?.close())

  const repository = 'acme/released'
  let connection: GitConnection
  let from: string
  let to: string
  beforeAll(async () => {
    await harness.peer.createRepository(repository, { 'main.js': '// 1\n' })
    const owner = await org.user('Owner')
    const body = harness.body(repository, { repoType: 'application' })
    const { id } = (await owner.post('/api/git/connections', body)).json().connection
    connection = await harness.deps.store.tenant(org.id, async (tenant) =>
      gitConnections(tenant).get(id),
    )
    const host = openHost(harness.deps, org.id, connection)
    const head = async () => (await host.head(repository, 'main')) ?? ''
    from = await head()
    await harness.peer.edit(repository, {
      write: { 'main.js': '// 2\n' },
      email: colleague.email,
      signed: true,
      pusher: pusher.email,
    })
    to = await head()
  })
  const since = async (branch: string | null, start: string | null = from) =>
    commitsSince(harness.deps, {
      organizationId: org.id,
      connection,
      repository,
      branch,
      from: start,
      to,
    })

  test('are who wrote its commits, and who pushed them', async () => {
    const { authorUserIds, unknownAuthor, commits } = await since('main')
    expect(authorUserIds.toSorted((a, b) => a - b)).toEqual([colleague.id, pusher.id])
    expect([unknownAuthor, commits.length]).toEqual([false, 1])
  })

  test.each([['other'], [null]])(
    'are unknown without the pushes to the branch: %s',
    async (branch) =>
      expect(await since(branch)).toMatchObject({
        authorUserIds: [colleague.id],
        unknownAuthor: true,
      }),
  )

  test('are unknown with a gap between the pushes, or a host that tells none', async () => {
    expect((await since('main', 'f'.repeat(40))).unknownAuthor).toBe(true)
    harness.peer.server.fault = ({ path }) =>
      /\/(activity|events)$/.test(path.split('?')[0] ?? '')
        ? { status: 500, json: { message: 'down' } }
        : undefined
    try {
      expect(await since('main')).toMatchObject({
        authorUserIds: [colleague.id],
        unknownAuthor: true,
      })
    } finally {
      harness.peer.server.fault = () => undefined
    }
  })
})
