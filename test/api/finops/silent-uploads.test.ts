import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { eventually } from '../../harness/eventually.ts'
import { uploadBill } from '../../harness/finops/bill-form.ts'

describe('uploads that send nothing', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('429: two of an organization keep its third waiting, and no other organization', async () => {
    const owner = await (await harness.organization()).user('Owner')
    const stranger = await (await harness.organization()).user('Owner')
    const headers = { 'content-type': 'multipart/form-data; boundary=cut' }
    const bodies: PassThrough[] = []
    // Again if it came while the third below had the second place.
    const hold = async () => {
      for (;;) {
        const body = new PassThrough()
        bodies.push(body)
        const answer = await owner.post('/api/finops/uploads', body, { headers })
        if (answer.statusCode !== 429) return
      }
    }
    const silent = [hold(), hold()]
    // Refused for its name, once it has a place.
    const third = async () => uploadBill(owner, 'Not A Name', [])
    await eventually(async () => (await third()).statusCode === 429, { looks: 300 })
    expect((await third()).json().code).toBe('too_many_uploads')
    expect((await uploadBill(stranger, 'Not A Name', [])).statusCode).toBe(400)
    for (const body of bodies) body.end()
    await Promise.all(silent)
    expect((await third()).statusCode).toBe(400)
  }, 60_000)
})
