import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { IncomingMessage, request, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import type { FastifyReply } from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { admitDownload, downloadsAtOnce } from '../../../api/workspaces/admit-download.ts'
import { sealStatePart } from '../../../gateways/states/seal-state-part.ts'
import { partTables, stateParts } from '../../../store/workspaces/state-parts.ts'
import { stateVersions } from '../../../store/workspaces/state-versions.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { startRun } from '../../harness/runs.ts'
import type { TestUser } from '../../harness/test-user.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

/**
 * The reader runs in a separate process, so that its CPU time is not counted. It prints the MD5 of
 * the body.
 */
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
    // Both are measured one after the other and the smallest ratio counts, because the load of the machine changes.
    const ratios: number[] = []
    for (let n = 0; n < 25 && (n < 5 || Math.min(...ratios) >= maxHashes); n += 1) {
      const hash = await cpuMs(() => createHash('md5').update(bytes).digest())
      ratios.push((await cpuMs(download)) / hash)
    }
    expect(Math.min(...ratios), JSON.stringify(ratios)).toBeLessThan(maxHashes)
  }, 120_000)

  /**
   * Opens as many downloads as allowed and reads nothing. The body is larger than the socket
   * buffers.
   */
  const holdAll = async (url: string) => {
    const held = Array.from({ length: downloadsAtOnce }, () => {
      const asked = request(`${harness.config.baseUrl}${url}`, { headers: { authorization } })
      const answered = new Promise((resolve) => asked.on('response', resolve))
      asked.on('error', () => undefined).end()
      return { asked, answered }
    })
    const leave = () => held.forEach(({ asked }) => asked.destroy())
    onTestFinished(leave)
    await Promise.all(held.map(async ({ answered }) => answered))
    return async () => {
      leave()
      await expect.poll(async () => (await owner.get(url)).statusCode).toBe(200)
    }
  }

  test('429: an organization’s fifth concurrent download is refused, and another organization’s is not', async () => {
    const url = `${workspace.url}/state`
    const release = await holdAll(url)
    const refused = await owner.get(url)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_downloads'])
    expect(refused.headers['retry-after']).toBe('2')

    const org = await harness.organization()
    const other = await org.user('Owner')
    const files = { 'main.tf': `# ${'x'.repeat(2_000_000)}` }
    const { url: theirs } = await org.workspace({ by: other, files })
    expect((await other.get(`${theirs}/configuration`)).statusCode).toBe(200)
    await release()
  })

  test('429: a state that is still being stored is refused before it is read', async () => {
    const { versionId, tamper } = await beingStored(harness, { owner, workspace })
    const url = `${workspace.url}/state/quarantined/${versionId}`
    const { headers, body } = await owner.get(url)
    expect(body).toBe('the first piece')
    // More parts may arrive before the answer ends, so the length is unknown.
    expect([headers['content-length'], headers['content-md5']]).toEqual([undefined, undefined])
    // From now on the state's part cannot be decrypted.
    await tamper()
    const release = await holdAll(`${workspace.url}/state`)
    const refused = await owner.get(url)
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'too_many_downloads'])
    await release()
  })

  test('a closed connection does not count as a download', () => {
    const raw = new ServerResponse(new IncomingMessage(new Socket()))
    raw.destroy()
    // The only properties that are read.
    const gone = { raw, request: { runCaller: undefined } } as unknown as FastifyReply
    const admit = () => admitDownload(gone, { organizationId: -1, sizeBytes: Infinity })
    for (let n = 0; n <= downloadsAtOnce; n += 1) expect(admit).not.toThrow()
  })
})

/** A state that an apply could not save, of which the worker has stored one part. */
async function beingStored(
  harness: Harness,
  { owner, workspace }: { owner: TestUser; workspace: TestWorkspace },
) {
  const { store, keyring } = harness.deps
  const { organizationId } = await store
    .platform('workspaces')
    .where({ id: workspace.id })
    .first('organizationId')
  const run = await startRun(owner, workspace)
  const versionId = await store.tenant(organizationId, async (tenant) => {
    const { id } = await stateVersions(tenant).create({
      workspaceId: workspace.id,
      serial: 7,
      lineage: 'one',
      status: 'quarantined',
      sizeBytes: null,
      bodySha256: '',
      workspaceRunId: run.id,
      createdBy: 'a test',
    })
    const place = { organizationId, table: partTables.piece, ownerId: id }
    const bytes = Buffer.from('the first piece')
    const sealed = sealStatePart(keyring, place, { kind: 'piece', firstSeq: 1, lastSeq: 1, bytes })
    await stateParts(tenant).add(id, 'piece', sealed)
    return id
  })
  return {
    versionId,
    tamper: async () =>
      store.platform('state_pieces').where({ stateVersionId: versionId }).update({ body: '' }),
  }
}

/** Read as text, the driver's default for `bytea`, the ratio was 11.7. */
const maxHashes = 8
