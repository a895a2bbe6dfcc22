import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { gitHarness, hostsOf, wayTo, type GitHarness } from '../harness/git/git-harness.ts'
import type { TestUser } from '../harness/test-user.ts'

const path = '/api/git/connections'
const marker = '.cloud-control/owner.json'
// RACE_ROUNDS=100 runs all rounds.
const rounds = Number(process.env['RACE_ROUNDS'] ?? 10)

// Two organizations connect the same branch at the same moment, in many rounds. No worker runs:
// only the answers of POST are checked.
describe.each(hostsOf('githubPeer', 'bitbucketDataCenterPeer'))(
  'two who connect one repository of %s at once',
  (_, makePeer) => {
    let harness: GitHarness
    let second: Harness
    let users: [TestUser, TestUser]
    let stranger: TestUser
    beforeAll(async () => {
      harness = await gitHarness(makePeer, { worker: false })
      const { port } = harness.peer.server
      // A second installation with its own database and keyring, and the same host.
      second = await createHarness({
        env: { CC_PRIVATE_HOSTS: `git=127.0.0.1:${port}` },
        outbound: wayTo(harness.peer),
      })
      const owner = async (of: Harness) => (await of.organization()).user('Owner')
      users = [await owner(harness), await owner(harness)]
      stranger = await owner(second)
    })
    afterAll(async () => {
      await second.close()
      await harness.close()
    })

    const race = async (repo: string, pair: readonly TestUser[]) => {
      const answers = await Promise.all(
        pair.map(async (user) => user.post(path, harness.body(repo, { repoType: 'application' }))),
      )
      const codes = answers.map(({ statusCode }) => statusCode)
      expect(
        codes.toSorted((a, b) => a - b),
        `${repo}: ${answers.map(({ body }) => body).join('\n')}`,
      ).toEqual([201, 409])
      for (const answer of answers)
        if (answer.statusCode === 409) expect(answer.json().code).toBe('repo_already_connected')
      const winner = answers.find(({ statusCode }) => statusCode === 201)?.json().connection
      const { connection } = JSON.parse((await harness.peer.tree(repo))[marker] ?? '{}')
      expect(connection).toBe(winner.id)
      return winner
    }

    test('409: two organizations connect one branch, and exactly one succeeds', async () => {
      for (let round = 0; round < rounds; round += 1) {
        const repo = `acme/race-${round}`
        await harness.peer.createRepository(repo, { 'a.tf': '# a\n' })
        await race(repo, round % 2 === 0 ? users : users.toReversed())
      }
      const rows = await harness.deps.store.platform('git_claims').select()
      expect(rows).toHaveLength(rounds)
    }, 1_200_000)

    test('409: two installations connect one branch, and the compare-and-swap of the marker lets one succeed', async () => {
      for (let round = 0; round < rounds; round += 1) {
        const repo = `acme/two-${round}`
        await harness.peer.createRepository(repo, { 'a.tf': '# a\n' })
        await race(repo, [users[0], stranger])
      }
    }, 1_200_000)
  },
)
