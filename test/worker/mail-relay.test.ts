import { unwrap } from '../../store/driver/tenant.ts'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMailer } from '../../gateways/mail/mailer.ts'
import { mails } from '../../store/mails/mails.ts'
import { mailQueue } from '../../store/platform/mail-queue.ts'
import { startMailRelay } from '../../worker/mail-relay.ts'
import { createHarness, freePort, type Harness } from '../harness/create-harness.ts'
import { startMailServer, textOf, type MailServer } from './mail-server.ts'

const tokenOf = (text: string) => /^([\w-]{43})\r?$/m.exec(text)?.[1] ?? ''
const password = 'correct horse battery staple'

const send = async ({ app }: Harness, url: string, payload: object) =>
  app.inject({ method: 'POST', url, payload })

const rowsOf = async ({ deps }: Harness, organizationId: number) =>
  deps.store.platform('mails').where({ organizationId }).orderBy('id')

/** Looks until it holds. */
async function until(look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error('it never came about')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe('over a real SMTP server', () => {
  let harness: Harness
  let server: MailServer | undefined
  let port: number
  beforeAll(async () => {
    port = await freePort()
    harness = await createHarness({
      mail: 'real',
      env: { SMTP_URL: `smtp://127.0.0.1:${port}`, CC_MAIL_FROM: 'cc <no-reply@cc.example>' },
    })
  })
  afterAll(async () => {
    await harness.close()
    await server?.close()
  })

  test('201: while the server is away a person is invited, re-addressed, forgets; all of it is told later', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const email = `new@${org.slug}.example`
    const invited = await owner.post('/api/org/users', { email, name: 'New', role: 'Viewer' })
    expect(invited.statusCode, invited.body).toBe(201)
    const old = await org.user('Viewer')
    const moved = await owner.patch(`/api/org/users/${old.id}`, { email: `n-${old.email}` })
    expect(moved.statusCode).toBe(200)
    await until(async () => (await rowsOf(harness, org.id)).every(({ attempts }) => attempts > 0))
    expect((await rowsOf(harness, org.id)).map(({ outcome }) => outcome)).toEqual([null, null])

    server = await startMailServer(port)
    const mail = await server.waitFor(email)
    const token = tokenOf(textOf(mail))
    expect(mail.raw).toMatch(/^Message-ID: <[\w-]{36}@cc\.example>\r$/m)
    const accepted = await send(harness, '/api/auth/invitations/accept', { token, password })
    expect(accepted.statusCode, accepted.body).toBe(200)
    expect(textOf(await server.waitFor(old.email))).toContain(`to n-${old.email}`)

    await server.close()
    expect((await send(harness, '/api/auth/password/forgot', { email })).json()).toEqual({
      ok: true,
    })
    await until(async () => (await rowsOf(harness, org.id)).length === 3)
    await until(async () => ((await rowsOf(harness, org.id))[2]?.attempts ?? 0) > 0)
    server = await startMailServer(port)
    const reset = textOf(await server.waitFor(email))
    const payload = { token: tokenOf(reset), password: 'a wholly different sentence' }
    expect((await send(harness, '/api/auth/password/reset', payload)).statusCode).toBe(200)
    await until(async () =>
      (await rowsOf(harness, org.id)).every(({ outcome }) => outcome === 'sent'),
    )
    expect(server.received).toHaveLength(1)
  }, 90_000)

  test('names, subjects and addresses with line breaks add no header, no recipient and no part', async () => {
    server ??= await startMailServer(port)
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const evil = 'Eve\r\nBcc: victim@else.example\r\n\r\n<b>pay here</b>\u2028Reply-To: x@y.example'
    // The routes refuse such a name: here it came by another way.
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)

      await db('users').where({ id: owner.id }).update({ name: evil })
      await db('organizations').where({ id: org.id }).update({ name: evil })
    })
    const email = `victim2@${org.slug}.example`
    await owner.post('/api/org/users', { email, name: 'New', role: 'Viewer' })
    const mail = await server.waitFor(email)
    expect(mail.to).toEqual([email])
    const [headers = ''] = mail.raw.split('\r\n\r\n')
    expect(headers).not.toMatch(/^(bcc|reply-to|cc):/im)
    expect(headers.match(/^to:.*$/gim)).toEqual([`To: ${email}`])
    const html = mail.raw.slice(mail.raw.indexOf('Content-Type: text/html'))
    expect(html).not.toContain('<b>')

    // And an address that is two, or that goes on into the next command.
    for (const address of [
      'a@x.example, b@x.example',
      'a@x.example>\r\nRCPT TO:<b@x.example',
      'a@x.example\nBcc: b@x.example',
    ]) {
      const person = await org.user('Viewer')
      await harness.deps.store.tenant(org.id, async (tenant) => {
        const { db } = unwrap(tenant)

        await db('users').where({ id: person.id }).update({ email: address })
        await mails(tenant).queue('invitation', person.id, { inviter: 'x' })
      })
    }
    await until(async () =>
      (await rowsOf(harness, org.id)).every(({ outcome }) => outcome !== null),
    )
    expect((await rowsOf(harness, org.id)).map(({ outcome }) => outcome)).toEqual([
      'sent',
      'failed',
      'failed',
      'failed',
    ])
    expect(server.received.filter(({ to }) => to.some((one) => /^[ab]@/.test(one)))).toEqual([])
  })

  test('400: the routes take no line break in a name or an address', async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const good = { email: `x@${org.slug}.example`, name: 'X', role: 'Viewer' }
    for (const body of [
      { ...good, name: 'X\r\nBcc: a@b.example' },
      { ...good, email: 'x@y.example\r\nBcc: a@b.example' },
      { ...good, email: 'x@y.example, z@y.example' },
      { ...good, email: '"x\r\nBcc: y"@y.example' },
    ])
      expect((await owner.post('/api/org/users', body)).statusCode, JSON.stringify(body)).toBe(400)
    const renamed = await owner.patch('/api/org/settings', { name: 'X\nBcc: a@b.example' })
    expect(renamed.statusCode).toBe(400)
    expect(await rowsOf(harness, org.id)).toEqual([])
  })
})

describe('an address that the server refuses', () => {
  test('is given up at once, and nothing of it is in the log', async () => {
    const server = await startMailServer(0, {
      onRcptTo({ address }, _session, done) {
        done(Object.assign(new Error(`550 no such user: ${address}`), { responseCode: 550 }))
      },
    })
    const harness = await createHarness({ mail: 'real', env: { SMTP_URL: server.url } })
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const email = `gone@${org.slug}.example`
    await owner.post('/api/org/users', { email, name: 'New', role: 'Viewer' })
    await until(async () => (await rowsOf(harness, org.id))[0]?.outcome === 'failed')
    expect((await rowsOf(harness, org.id))[0]).toMatchObject({
      attempts: 1,
      lastError: 'mail_refused',
    })
    expect(harness.logged()).not.toContain(email)
    await harness.close()
    await server.close()
  })
})

describe('the queue', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness({ mail: 'unsent' })
  })
  afterAll(async () => harness.close())

  const invite = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const email = `new@${org.slug}.example`
    const body = { email, name: 'New', role: 'Deployer' }
    const { user } = (await owner.post('/api/org/users', body)).json()
    return { org, owner, email, userId: Number(user.id) }
  }
  const dueNow = async (organizationId: number) =>
    harness.deps.store.platform('mails').where({ organizationId }).update({
      availableAt: harness.deps.store.platform.fn.now(),
    })

  test('a mail that a dead worker held is sent by another, and by one alone of two', async () => {
    const { org, email } = await invite()
    expect(await mailQueue(harness.deps.store.platform).claim(50)).toHaveLength(1)
    // Held: nobody else gets it before its lease is over.
    expect(await mailQueue(harness.deps.store.platform).claim(50)).toEqual([])
    await dueNow(org.id)
    const relays = [startMailRelay(harness.deps), startMailRelay(harness.deps)]
    await harness.mailTo(email)
    await until(async () => (await rowsOf(harness, org.id))[0]?.outcome === 'sent')
    await Promise.all(relays.map(async (relay) => relay.stop()))
    expect(harness.mails.filter(({ to }) => to === email)).toHaveLength(1)
  })

  test('sent again after a crash before it was noted, it has the same Message-ID', async () => {
    const { org, email } = await invite()
    const relay = startMailRelay(harness.deps)
    const first = await harness.mailTo(email)
    await until(async () => (await rowsOf(harness, org.id))[0]?.outcome === 'sent')
    await harness.deps.store
      .platform('mails')
      .where({ organizationId: org.id })
      .update({ endedAt: null, outcome: null })
    await dueNow(org.id)
    const second = await harness.mailTo(email, 1)
    await relay.stop()
    expect(second.messageId).toBe(first.messageId)
    // Either of the two may be the one that arrived.
    for (const { text } of [second, first]) expect(tokenOf(text)).toHaveLength(43)
  })

  test('a link is not sent to somebody who was deactivated or re-addressed meanwhile; the old address is told', async () => {
    const gone = await invite()
    await gone.owner.patch(`/api/org/users/${gone.userId}`, { active: false })
    const moved = await invite()
    const email = `moved-${moved.email}`
    await moved.owner.patch(`/api/org/users/${moved.userId}`, { email })
    await moved.owner.patch(`/api/org/users/${moved.userId}`, { active: false })
    const stays = await invite()
    await stays.owner.patch(`/api/org/users/${stays.userId}`, { email: `n-${stays.email}` })
    const relay = startMailRelay(harness.deps)
    await harness.mailTo(moved.email)
    await harness.mailTo(stays.email)
    await relay.stop()
    expect((await rowsOf(harness, gone.org.id)).map(({ outcome }) => outcome)).toEqual(['moot'])
    // Not to the new address either: whoever changed it may invite anew.
    expect(harness.mails.filter(({ to }) => to === `n-${stays.email}`)).toEqual([])
    expect(
      (await rowsOf(harness, moved.org.id)).map(({ kind, outcome }) => [kind, outcome]),
    ).toEqual([
      ['invitation', 'moot'],
      ['address_changed', 'sent'],
    ])
  })

  test('a suspended organization’s mails wait with it', async () => {
    const { org } = await invite()
    const { platform } = harness.deps.store
    await platform('organizations').where({ id: org.id }).update({ status: 'suspended' })
    const queue = mailQueue(platform)
    expect(
      (await queue.claim(50)).filter(({ organizationId }) => organizationId === org.id),
    ).toEqual([])
    await platform('organizations').where({ id: org.id }).update({ status: 'active' })
    expect(await queue.claim(50)).toHaveLength(1)
  })

  test('after three days it is given up', async () => {
    const { org } = await invite()
    const { platform } = harness.deps.store
    await platform('mails')
      .where({ organizationId: org.id })
      .update({ createdAt: platform.raw(`now() - interval '73 hours'`) })
    const mail = { send: async () => Promise.reject(new Error('away')) }
    const relay = startMailRelay({ ...harness.deps, mail })
    await until(async () => (await rowsOf(harness, org.id))[0]?.outcome === 'failed')
    await relay.stop()
    expect(harness.logged()).toContain('a mail was given up')
  })

  test('without SMTP_URL each is a file of its own, which nobody else may read', async () => {
    const { email } = await invite()
    const { config, log } = harness.deps
    const relay = startMailRelay({ ...harness.deps, mail: createMailer(config, log) })
    const folder = join(config.dataDir, 'mail')
    let file = ''
    await until(async () => {
      file = readdirSync(config.dataDir).includes('mail')
        ? (readdirSync(folder).find((name) =>
            readFileSync(join(folder, name), 'utf8').includes(email),
          ) ?? '')
        : ''
      return file !== ''
    })
    await relay.stop()
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(new RegExp(`^To: ${email}$`, 'm'))
  })
})
