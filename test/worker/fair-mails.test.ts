import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mails } from '../../store/mails/mails.ts'
import { mailQueue } from '../../store/platform/mail-queue.ts'
import { startMailRelay } from '../../worker/mail-relay.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import { startMailServer } from './mail-server.ts'

const rowsOf = async ({ deps }: Harness, { id }: TestOrganization) =>
  deps.store.platform('mails').where({ organizationId: id }).orderBy('id')

describe('the queue of several organizations', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({ mail: 'unsent' })
  })
  afterAll(async () => harness.close())

  /** An organization with so many mails of each kind, oldest first. */
  const queued = async (
    kinds: Partial<Record<'password_reset' | 'certificate_expiring', number>>,
  ) => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    await harness.deps.store.tenant(org.id, async (tenant) => {
      for (let left = kinds.certificate_expiring ?? 0; left > 0; left -= 1)
        await mails(tenant).queue('certificate_expiring', owner.id, { fingerprint: 'x' })
      for (let left = kinds.password_reset ?? 0; left > 0; left -= 1)
        await mails(tenant).queue('password_reset', owner.id, {})
    })
    return { org, owner }
  }

  test('the first of each organization goes first, a link before all else, and no organization takes all places', async () => {
    const many = await queued({ certificate_expiring: 30 })
    const few = await queued({ certificate_expiring: 1, password_reset: 1 })
    const queue = mailQueue(harness.deps.store.platform)
    const claim = async (limit: number) =>
      (await queue.claim(limit)).map(({ organizationId, kind }) => [organizationId, kind])
    expect(await claim(1)).toEqual([[few.org.id, 'password_reset']])
    expect(await claim(1)).toEqual([[many.org.id, 'certificate_expiring']])
    const rest = (await claim(50)).map(([organizationId]) => organizationId)
    expect(rest.toSorted((a, b) => Number(a) - Number(b))).toEqual([
      many.org.id,
      many.org.id,
      many.org.id,
      few.org.id,
    ])
    expect(await claim(50)).toEqual([])
    const [first] = await rowsOf(harness, many.org)
    await queue.end(first.id, 'sent')
    expect(await claim(50)).toEqual([[many.org.id, 'certificate_expiring']])
    await harness.deps.store.platform('mails').delete()
  })

  test('mails that the server does not answer hold up no other organization', async () => {
    const stuck = await queued({ password_reset: 30 })
    const well = await queued({ password_reset: 1 })
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const sent: string[] = []
    const mail = {
      async send({ to }: { to: string }) {
        if (to === stuck.owner.email) await released
        sent.push(to)
      },
    }
    const relay = startMailRelay({ ...harness.deps, mail })
    await expect.poll(() => sent, { timeout: 20_000 }).toEqual([well.owner.email])
    await harness.deps.store
      .platform('mails')
      .whereNull('endedAt')
      .whereNull('leasedUntil')
      .delete()
    release()
    await relay.stop()
  })
})

describe('answers of the mail server', () => {
  test('554 after the text ends the mail; 451 and a refused sign-in are tried again', async () => {
    let refused = 0
    const server = await startMailServer(0, {
      onRcptTo({ address }, _session, done) {
        if (!address.startsWith('signed-out')) return done()
        done(Object.assign(new Error('530 sign in first'), { responseCode: 530 }))
      },
      onData(stream, session, done) {
        stream.resume()
        stream.on('end', () => {
          refused += 1
          const [{ address } = { address: '' }] = session.envelope.rcptTo
          const responseCode = address.startsWith('spam') ? 554 : 451
          done(Object.assign(new Error('no'), { responseCode }))
        })
      },
    })
    const harness = await createHarness({ mail: 'real', env: { SMTP_URL: server.url } })
    const org = await harness.organization()
    const owner = await org.user('Owner')
    for (const name of ['spam', 'busy', 'signed-out'])
      await owner.post('/api/org/users', {
        email: `${name}@${org.slug}.example`,
        name,
        role: 'Viewer',
      })
    const states = async () =>
      (await rowsOf(harness, org)).map(({ outcome, lastError }) => [outcome, lastError])
    await expect.poll(states, { timeout: 20_000 }).toEqual([
      ['failed', 'mail_refused'],
      [null, 'mail_unavailable'],
      [null, 'mail_unavailable'],
    ])
    expect(refused).toBeGreaterThanOrEqual(2)
    await harness.close()
    await server.close()
  })
})
