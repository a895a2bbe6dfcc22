import { EventEmitter } from 'node:events'
import { request } from 'node:http'
import type { FastifyReply } from 'fastify'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createPlaces } from '../../../api/http/places.ts'
import { uploadsAtOnce } from '../../../api/workspaces/admit-upload.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const large = { files: { 'main.tf': `# ${'x'.repeat(2_000_000)}` } }

test('429: an organization’s fifth concurrent large configuration; small ones and other organizations are accepted', async () => {
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { url } = await org.workspace({ by: owner })
  const authorization = `Bearer ${await owner.token()}`
  const address = `${harness.config.baseUrl}${url}/configuration`
  const headers = { authorization, 'content-type': 'application/json', 'content-length': 2_000_000 }
  // Of one more than are allowed at once, one is refused; then the others are being received.
  const answered: Array<number | undefined> = []
  const held = Array.from({ length: uploadsAtOnce + 1 }, () => {
    const sent = request(address, { method: 'PUT', headers }).on('error', () => undefined)
    sent.on('response', ({ statusCode }) => answered.push(statusCode))
    sent.write('{"files":')
    return sent
  })
  const leave = () => held.forEach((sent) => sent.destroy())
  onTestFinished(leave)
  const put = async (body: object) => owner.put(`${url}/configuration`, body)
  await expect.poll(() => answered, { timeout: 30_000 }).toEqual([429])
  const refused = await put(large)
  expect([refused.json().code, refused.headers['retry-after']]).toEqual(['too_many_uploads', '1'])
  expect((await put({ files: { 'main.tf': '# small' } })).statusCode).toBe(201)

  const other = await harness.organization()
  const theirs = await other.user('Owner')
  const workspace = await other.workspace({ by: theirs })
  expect((await theirs.put(`${workspace.url}/configuration`, large)).statusCode).toBe(201)

  leave()
  await expect.poll(async () => (await put(large)).statusCode).toBe(201)
})

test('the second half of all slots is reserved for organizations without one', () => {
  const places = createPlaces({ ofOrganization: 4, atOnce: 8 })
  // The only property that is read.
  const reply = () => ({ raw: new EventEmitter() }) as unknown as FastifyReply
  const first = reply()
  expect(places.take(first, 1)).toBe(true)
  for (let n = 0; n < 3; n += 1) expect(places.take(reply(), 1)).toBe(true)
  for (const organizationId of [2, 3, 4]) {
    expect(places.take(reply(), organizationId)).toBe(true)
    expect(places.take(reply(), organizationId)).toBe(false)
  }
  expect([places.take(reply(), 5), places.take(reply(), 6)]).toEqual([true, false])
  first.raw.emit('finish')
  first.raw.emit('close')
  expect([places.take(reply(), 6), places.take(reply(), 7)]).toEqual([true, false])
})
