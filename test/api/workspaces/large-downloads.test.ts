import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { downloadsAtOnce } from '../../../api/workspaces/admit-download.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import type { TestUser } from '../../harness/test-user.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

/** In a process of its own, so that what it costs to read is not counted. Prints the MD5 of what came. */
const reader = `
  const hash = require('node:crypto').createHash('md5')
  const [url, authorization] = process.argv.slice(1)
  require('node:http').get(url, { headers: { authorization } }, (answer) =>
    answer.on('data', (bytes) => hash.update(bytes)).on('end', () => console.log(hash.digest('base64'))))`

describe('large downloads', () => {
  let harness: Harness
  let owner: TestUser
  let workspace: TestWorkspace
  let authorization = ''
  const text = JSON.stringify(
    stateOf(1, { padding: Array.from({ length: 24 }, () => randomBytes(500_000).toString('hex')) }),
  )
  const md5 = createHash('md5').update(text).digest('base64')
  beforeAll(async () => {
    harness = await createHarness()
    const org = await harness.organization()
    owner = await org.user('Owner')
    workspace = await org.workspace({ by: owner })
    const token = await owner.token()
    authorization = `Bearer ${token}`
    const client = stateClient(harness.app, workspace, token)
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(text, info.ID)).statusCode).toBe(200)
  })
  afterAll(async () => harness.close())

  const cpuMs = async (work: () => unknown): Promise<number> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }

  const download = async () => {
    const url = `${harness.config.baseUrl}${workspace.url}/state`
    const read = await promisify(execFile)(process.execPath, ['-e', reader, url, authorization])
    expect(read.stdout.trim()).toBe(md5)
  }

  test('a state costs the API little more than its hash: a few milliseconds of CPU for a megabyte', async () => {
    const bytes = Buffer.from(text)
    // Both are the least of some: others on this machine only add to them, and to both.
    const costs: number[] = []
    const hashes: number[] = []
    for (let n = 0; n < 5; n += 1) {
      hashes.push(await cpuMs(() => createHash('md5').update(bytes).digest()))
      costs.push(await cpuMs(download))
    }
    const ratio = Math.min(...costs) / Math.min(...hashes)
    expect(ratio, JSON.stringify({ costs, hashes })).toBeLessThan(maxHashes)
  }, 120_000)

  test('429: an organization reads four at once; a fifth is told so, and not one of another organization', async () => {
    const url = `${workspace.url}/state`
    // Asked for, and not read: more than the sockets between hold.
    const held = Array.from({ length: downloadsAtOnce }, () => {
      const asked = request(`${harness.config.baseUrl}${url}`, { headers: { authorization } })
      const answered = new Promise((resolve) => asked.on('response', resolve))
      asked.on('error', () => undefined).end()
      return { asked, answered }
    })
    await Promise.all(held.map(async ({ answered }) => answered))
    const refused = await owner.get(url)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_downloads'])
    expect(refused.headers['retry-after']).toBe('2')

    const org = await harness.organization()
    const other = await org.user('Owner')
    const files = { 'main.tf': `# ${'x'.repeat(2_000_000)}` }
    const { url: theirs } = await org.workspace({ by: other, files })
    expect((await other.get(`${theirs}/configuration`)).statusCode).toBe(200)

    for (const { asked } of held) asked.destroy()
    await expect.poll(async () => (await owner.get(url)).statusCode).toBe(200)
  })
})

/** By text, as the driver reads `bytea`, it was 11.7. */
const maxHashes = 8
