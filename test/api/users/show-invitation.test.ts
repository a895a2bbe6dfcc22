import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../../store/driver/tenant.ts'
import { admitPerson } from '../../../api/saml/admit-person.ts'
import { userTokens } from '../../../store/users/user-tokens.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { scimClient } from '../scim/scim-client.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness({ mail: 'unsent' })
})
afterAll(async () => harness.close())

const password = 'correct horse battery'
const post = async (url: string, payload: object, in_ = harness) =>
  in_.app.inject({
    method: 'POST',
    url: `/api/auth/invitations/${url}`,
    payload,
    headers: { origin: in_.deps.config.baseUrl ?? '' },
  })

async function invite(role = 'Deployer', in_ = harness) {
  const org = await in_.organization()
  const admin = await org.user('Org Admin')
  const email = `late@${org.slug}.example`
  const made = await admin.post('/api/org/users', { email, name: 'Late', role })
  expect(made.statusCode, made.body).toBe(201)
  expect(JSON.stringify(made.json())).not.toContain('oken')
  const { id } = made.json().user
  return { org, admin, email, id, url: `/api/org/users/${id}/invitation-link` }
}

test('200: a link that says what it is to, works once, and ends the one before', async () => {
  const { org, admin, email, id, url } = await invite()
  const first = await admin.post(url)
  expect(first.statusCode, first.body).toBe(200)
  expect(first.headers['cache-control']).toBe('no-store')
  const { invitationToken: old } = first.json()
  const { invitationToken: token } = (await admin.post(url)).json()
  expect((await post('look', { token: old })).json()).toMatchObject({ code: 'invitation_invalid' })
  expect((await post('accept', { token: old, password })).json().code).toBe('invitation_invalid')
  const looked = await post('look', { token })
  expect(looked.json()).toEqual({
    invitation: {
      organizationName: org.slug,
      email,
      name: 'Late',
      role: 'Deployer',
      inviter: admin.email,
      expiresAt: expect.stringMatching(/Z$/),
    },
  })
  // Looking uses nothing up.
  expect((await post('look', { token })).statusCode).toBe(200)
  expect((await post('accept', { token, password })).statusCode).toBe(200)
  expect((await post('look', { token })).statusCode).toBe(400)
  expect((await admin.post(url)).json()).toMatchObject({ code: 'invitation_accepted' })
  const [entries, makers] = await harness.deps.store.tenant(org.id, async (tenant) => {
    const { db } = unwrap(tenant)
    return Promise.all([
      db('audit_entries').where({ event: 'org.invitation_shown' }).select('actorId', 'detail'),
      db('person_makers').where({ userId: id, what: 'invited' }).select('madeBy'),
    ])
  })
  expect(entries.map(({ actorId, detail }) => [Number(actorId), detail])).toEqual([
    [admin.id, { role: 'Deployer' }],
    [admin.id, { role: 'Deployer' }],
  ])
  expect(makers).toEqual([{ madeBy: admin.id }])
})

test('of two links that are asked for at once, one works', async () => {
  const { admin, url } = await invite()
  const answers = await Promise.all([admin.post(url), admin.post(url)])
  const works = await Promise.all(
    answers.map(async (answer) => post('look', { token: answer.json().invitationToken })),
  )
  expect(works.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 400])
})

test('who takes the link of a person counts as having made them', async () => {
  const { org, id, url } = await invite('Viewer')
  const owner = await org.user('Owner')
  expect((await owner.post(url)).statusCode).toBe(200)
  const makers = await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('person_makers').where({ userId: id }).select('madeBy'),
  )
  expect(makers).toContainEqual({ madeBy: owner.id })
})

test('403 and 404: tokens, lower roles, people above one’s own role, other organizations', async () => {
  const { org, admin, url } = await invite()
  const owner = await org.user('Owner')
  const above = await owner.post('/api/org/users', {
    email: `owner2@${org.slug}.example`,
    name: 'Second owner',
    role: 'Owner',
  })
  const urlAbove = `/api/org/users/${above.json().user.id}/invitation-link`
  expect((await admin.post(urlAbove)).json()).toMatchObject({ code: 'role_above_own' })
  for (const role of ['Viewer', 'Deployer', 'SRE · Cloud Admin'] as const)
    expect((await (await org.user(role)).post(url)).statusCode, role).toBe(403)
  const byToken = await harness.app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${await owner.token('Org Admin')}` },
  })
  expect(byToken.json()).toMatchObject({ code: 'session_required' })
  const stranger = await (await harness.organization()).user('Owner')
  expect((await stranger.post(url)).json()).toEqual({ error: 'Not found', code: 'not_found' })
})

test('409: no link for somebody deactivated, and none where the service sends mail', async () => {
  const { admin, id, url } = await invite()
  await admin.patch(`/api/org/users/${id}`, { active: false })
  expect((await admin.post(url)).json()).toMatchObject({ code: 'user_inactive' })
  const mailing = await createHarness({
    mail: 'unsent',
    env: { SMTP_URL: 'smtp://127.0.0.1:1' },
  })
  try {
    const there = await invite('Viewer', mailing)
    expect((await there.admin.post(there.url)).json()).toMatchObject({ code: 'invitation_mailed' })
  } finally {
    await mailing.close()
  }
})

test('400: a token of nothing, of another purpose, of a person who was deactivated or deleted', async () => {
  const { org, admin, id, url } = await invite()
  const { invitationToken: token } = (await admin.post(url)).json()
  for (const wrong of ['x', `${token}x`, token.slice(1), await admin.token()])
    expect((await post('look', { token: wrong })).json()).toMatchObject({
      code: 'invitation_invalid',
    })
  expect((await post('look', {})).statusCode).toBe(400)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant).db('user_tokens').where({ userId: id }).update({ purpose: 'password_reset' }),
  )
  expect((await post('look', { token })).statusCode).toBe(400)
  await harness.deps.store.tenant(org.id, async (tenant) =>
    unwrap(tenant)
      .db('user_tokens')
      .where({ userId: id })
      .update({ purpose: 'invitation', expiresAt: new Date(Date.now() - 1_000) }),
  )
  expect((await post('look', { token })).statusCode).toBe(400)
})

test('a link that was taken for a lower role does not open a higher one', async () => {
  const { org, admin, id, url } = await invite('Viewer')
  const { invitationToken: token } = (await admin.post(url)).json()
  const owner = await org.user('Owner')
  expect((await owner.patch(`/api/org/users/${id}`, { name: 'Later' })).statusCode).toBe(200)
  expect((await post('look', { token })).statusCode).toBe(200)
  expect((await owner.patch(`/api/org/users/${id}`, { role: 'Org Admin' })).statusCode).toBe(200)
  expect((await post('accept', { token, password })).json().code).toBe('invitation_invalid')
})

/** How an identity provider comes to know an invited person, who then no longer counts as invited. */
const linkings: Record<string, (world: Awaited<ReturnType<typeof invite>>) => Promise<void>> = {
  async SCIM({ org, id }) {
    const scim = await scimClient(harness, org)
    const { publicId } = await harness.deps.store.platform('users').where({ id }).first('publicId')
    const named = { op: 'replace', path: 'userName', value: `late-${org.slug}` }
    expect((await scim.patch(`/Users/${publicId}`, named)).statusCode).toBe(200)
  },
  SAML: async (world) => admitWith(world, []),
}

test.each(Object.keys(linkings))(
  'a link ends with a promotion by hand of a person whom %s knows',
  async (how) => {
    const world = await invite('Viewer')
    const { invitationToken: token } = (await world.admin.post(world.url)).json()
    await linkings[how]?.(world)
    expect((await post('look', { token })).statusCode).toBe(200)
    const owner = await world.org.user('Owner')
    const promoted = await owner.patch(`/api/org/users/${world.id}`, { role: 'Org Admin' })
    expect(promoted.statusCode, promoted.body).toBe(200)
    expect((await post('accept', { token, password })).json().code).toBe('invitation_invalid')
  },
)

/** As an assertion with these groups does. */
async function admitWith(
  { org, admin, email }: Awaited<ReturnType<typeof invite>>,
  groups: string[],
): Promise<void> {
  await harness.deps.store.tenant(org.id, async (tenant) =>
    admitPerson(tenant, {
      configuration: {
        defaultRole: 'Viewer',
        power: { role: 'Owner', platformAdmin: false },
        savedBy: [admin.id],
      },
      person: { identifier: email, isEmail: true, name: null, groups },
      visitor: { ip: '127.0.0.1', userAgent: '', requestId: 'r' },
    }),
  )
}

/** Promotes an invited Viewer without anybody's hand on their role. */
const promotions: Record<string, (world: Awaited<ReturnType<typeof invite>>) => Promise<void>> = {
  async 'a mapping of their group'({ org, admin, id }) {
    await harness.deps.store.tenant(org.id, async (tenant) => {
      const { db } = unwrap(tenant)
      const own = { organizationId: org.id }
      const [group] = await db('groups')
        .insert({ ...own, displayName: 'ops' })
        .returning('id')
      await db('group_members').insert({ ...own, groupId: group.id, userId: id })
    })
    const mapped = await admin.post('/api/org/group-mappings', {
      groupName: 'ops',
      role: 'Deployer',
    })
    expect(mapped.statusCode, mapped.body).toBe(201)
  },
  async 'a group that SCIM adds them to'({ org, admin, id }) {
    await admin.post('/api/org/group-mappings', { groupName: 'ops', role: 'Deployer' })
    const scim = await scimClient(harness, org)
    const people = harness.deps.store.platform('users').where({ id })
    await scim.group('ops', [(await people.first('publicId')).publicId])
  },
  async 'the groups of an assertion'(world) {
    await world.admin.post('/api/org/group-mappings', { groupName: 'ops', role: 'Deployer' })
    await admitWith(world, ['ops'])
  },
}

test.each(Object.keys(promotions))('a link ends with a promotion by %s', async (how) => {
  const world = await invite('Viewer')
  const { invitationToken: token } = (await world.admin.post(world.url)).json()
  expect((await post('look', { token })).statusCode).toBe(200)
  await promotions[how]?.(world)
  const { user } = (await world.admin.get(`/api/org/users/${world.id}`)).json()
  expect(user.role).toBe('Deployer')
  expect((await post('accept', { token, password })).json().code).toBe('invitation_invalid')
})

test('a mailed link outlives a promotion by a group: the inviter never saw it', async () => {
  const world = await invite('Viewer')
  await harness.deps.store.tenant(world.org.id, async (tenant) =>
    userTokens(tenant).create(world.id, 'invitation', { hash: randomBytes(32), hours: 1 }),
  )
  await promotions['a mapping of their group']?.(world)
  const open = harness.deps.store.platform('user_tokens').where({ userId: world.id })
  expect(await open.whereNull('usedAt')).toHaveLength(1)
})

test.each(['demoted', 'deactivated', 'deleted'])(
  'an inviter who is %s has no open link to those they invited; others keep theirs',
  async (how) => {
    const { org, admin, url } = await invite()
    const { invitationToken: token } = (await admin.post(url)).json()
    const owner = await org.user('Owner')
    const email = `of-owner@${org.slug}.example`
    const made = await owner.post('/api/org/users', { email, name: 'Other', role: 'Viewer' })
    const otherUrl = `/api/org/users/${made.json().user.id}/invitation-link`
    const { invitationToken: kept } = (await owner.post(otherUrl)).json()
    const path = `/api/org/users/${admin.id}`
    const answer =
      how === 'deleted'
        ? await owner.delete(path)
        : await owner.patch(path, how === 'demoted' ? { role: 'Viewer' } : { active: false })
    expect(answer.statusCode, answer.body).toBe(200)
    expect((await post('accept', { token, password })).json().code).toBe('invitation_invalid')
    expect((await post('look', { token: kept })).statusCode).toBe(200)
  },
)

test('where mail is sent, the mailed links of a deactivated inviter stay', async () => {
  const mailing = await createHarness({ mail: 'unsent', env: { SMTP_URL: 'smtp://127.0.0.1:1' } })
  try {
    const { org, admin, id } = await invite('Viewer', mailing)
    const owner = await org.user('Owner')
    // The worker makes the token when it sends the mail.
    await mailing.deps.store.tenant(org.id, async (tenant) =>
      userTokens(tenant).create(id, 'invitation', { hash: randomBytes(32), hours: 1 }),
    )
    await owner.patch(`/api/org/users/${id}`, { role: 'Deployer' })
    await owner.patch(`/api/org/users/${admin.id}`, { active: false })
    const open = await mailing.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db('user_tokens').where({ userId: id }).whereNull('usedAt'),
    )
    expect(open).toHaveLength(1)
  } finally {
    await mailing.close()
  }
})
