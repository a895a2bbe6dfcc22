import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'

const path = '/api/git/connections'

describe.each(Object.entries(peerMakers))('repositories of %s', (_, makePeer) => {
  let harness: GitHarness
  beforeAll(async () => {
    harness = await gitHarness(makePeer)
    await harness.peer.createRepository('acme/infra', { 'main.tf': '# hi\n' })
  })
  afterAll(async () => harness.close())

  test('200, 400 and 403: lists and searches all pages; a Deployer only reads', async () => {
    const org = await harness.organization()
    const [user, deployer] = [await org.user('Owner'), await org.user('Deployer')]
    const { id } = (await user.post(path, harness.body('acme/infra'))).json().connection
    const found = await deployer.get(`${path}/${id}/repos?q=infra`)
    expect(namesOf(found.json())).toEqual(['acme/infra'])

    const many = Array.from({ length: 105 }, (__, index) => `acme/paged-${index}`)
    await Promise.all(many.map(async (name) => harness.peer.createRepository(name)))
    const listed: string[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages += 1) {
      const asked: string = cursor === '' ? '' : `&cursor=${cursor}`
      const answer = await deployer.get(`${path}/${id}/repos?q=paged${asked}`)
      expect(answer.statusCode, answer.body).toBe(200)
      listed.push(...namesOf(answer.json()))
      cursor = answer.json().nextCursor
    }
    expect(pages).toBeGreaterThan(1)
    expect(listed.toSorted()).toEqual(many.toSorted())

    expect((await deployer.get(`${path}/${id}/repos?cursor=x`)).statusCode).toBe(400)
    for (const answer of [
      await deployer.post(path, harness.body('acme/infra')),
      await deployer.patch(`${path}/${id}`, { defaultBranch: 'x' }),
      await deployer.post(`${path}/${id}/validate`),
      await deployer.delete(`${path}/${id}`),
    ])
      expect(answer.statusCode).toBe(403)
  })
})

const namesOf = ({ repos }: { repos: Array<{ fullName: string }> }): string[] =>
  repos.map(({ fullName }) => fullName)
