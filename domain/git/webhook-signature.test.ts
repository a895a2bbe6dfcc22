import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deliveryReader } from './webhook-delivery.ts'
import { webhookKeys } from './webhook-secret.ts'
import { webhookCheck, type WebhookHeaders } from './webhook-signature.ts'

const secret = Buffer.alloc(32, 7)
const keys = webhookKeys(secret)
const body = Buffer.from('{"ref":"refs/heads/main","text":"é"}')
const hex = (key: string, bytes = body) =>
  `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`
const standard = (key: Buffer, id = '1', at = '2') =>
  `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`

type Product = Parameters<typeof webhookCheck>[0]

/** The body comes in two pieces, which may be of any length. */
const isFromHost = (
  product: Product,
  { headers, body: bytes }: { headers: WebhookHeaders; body: Buffer },
  keys: { secret: Buffer; signs: boolean },
) => {
  const check = webhookCheck(product, headers, keys)
  for (const piece of [bytes.subarray(0, 5), bytes.subarray(5)]) check.add(piece)
  return check.isRight()
}

describe.each([
  ['github', 'x-hub-signature-256'],
  ['bitbucket-cloud', 'x-hub-signature'],
  ['bitbucket-data-center', 'x-hub-signature'],
] as const)('%s', (product, header) => {
  const taken = (value: string | undefined, bytes = body) =>
    isFromHost(product, { headers: { [header]: value }, body: bytes }, { secret, signs: true })

  test('the bytes that were signed with this secret, and no others', () => {
    expect(taken(hex(keys.token))).toBe(true)
    expect(taken(hex('another'))).toBe(false)
    expect(taken(hex(keys.token), Buffer.concat([body, Buffer.from(' ')]))).toBe(false)
  })

  test.each([undefined, '', 'sha256=', hex(keys.token).toUpperCase(), hex(keys.token).slice(7)])(
    '%s is no signature',
    (value) => expect(taken(value)).toBe(false),
  )

  test('a signature over an empty body with an empty key is none', () => {
    expect(taken(hex('', Buffer.alloc(0)), Buffer.alloc(0))).toBe(false)
  })
})

describe('gitlab', () => {
  const taken = (headers: WebhookHeaders, signs: boolean) =>
    isFromHost('gitlab', { headers, body }, { secret, signs })
  const signed = { 'webhook-id': '1', 'webhook-timestamp': '2' }

  test('an older one sends the secret itself', () => {
    expect(taken({ 'x-gitlab-token': keys.token }, false)).toBe(true)
    expect(taken({ 'x-gitlab-token': `${keys.token}0` }, false)).toBe(false)
    expect(taken({}, false)).toBe(false)
  })

  test('one that signs is not believed without: the token that it sends along may have been seen', () => {
    expect(taken({ 'x-gitlab-token': keys.token }, true)).toBe(false)
    const right = { ...signed, 'webhook-signature': standard(keys.signingKey) }
    expect(taken(right, true)).toBe(true)
    expect(taken({ ...right, 'webhook-id': '9' }, true)).toBe(false)
    const wrong = { ...signed, 'webhook-signature': standard(Buffer.alloc(32)) }
    expect(taken({ ...wrong, 'x-gitlab-token': keys.token }, false)).toBe(false)
    const both = `${wrong['webhook-signature']} ${right['webhook-signature']}`
    expect(taken({ ...signed, 'webhook-signature': both }, true)).toBe(true)
  })

  test('the key of its signature cannot be made of the token', () => {
    expect(keys.signingToken).not.toContain(keys.token)
    expect(
      taken({ ...signed, 'webhook-signature': standard(Buffer.from(keys.token, 'hex')) }, true),
    ).toBe(false)
  })
})

describe('what a delivery is about', () => {
  const of = (product: Product, headers: WebhookHeaders, payload: unknown) => {
    const reader = deliveryReader(product, headers)
    reader.add(Buffer.from(JSON.stringify(payload)))
    return reader.end()
  }

  test('branches, tags and pull requests; pings and merges are nothing', () => {
    const push = { 'x-github-event': 'push', 'x-github-delivery': 'd' }
    expect(of('github', push, { ref: 'refs/heads/a/b' })).toEqual({
      id: 'd',
      branches: ['a/b'],
      tags: [],
      repository: null,
      pullRequest: null,
    })
    expect(of('github', push, { ref: 'refs/tags/v1' })).toMatchObject({
      branches: [],
      tags: ['v1'],
    })
    expect(of('github', { 'x-github-event': 'ping' }, { zen: 'x' })).toBeUndefined()
    const pull = { 'x-github-event': 'pull_request', 'x-github-delivery': 'e' }
    const number = { pull_request: { number: 4 } }
    expect(of('github', pull, { action: 'closed', ...number })).toBeUndefined()
    expect(of('github', pull, { action: 'synchronize', ...number })?.pullRequest).toBe(4)
    expect(
      of(
        'bitbucket-cloud',
        { 'x-event-key': 'repo:push' },
        {
          push: {
            changes: [
              { new: { type: 'branch', name: 'a' } },
              { new: { type: 'tag', name: 't' } },
              { new: null },
              { new: { type: 'branch', name: 'b' } },
            ],
          },
        },
      )?.branches,
    ).toEqual(['a', 'b'])
  })

  test.each([
    null,
    1,
    'x',
    [],
    { ref: 5 },
    { push: { changes: [null, 1] } },
    { object_kind: 'push' },
  ])('a body of another shape, %j, is nothing', (payload) => {
    for (const [product, header] of [
      ['github', 'x-github-event'],
      ['gitlab', 'x-gitlab-event'],
      ['bitbucket-cloud', 'x-event-key'],
      ['bitbucket-data-center', 'x-event-key'],
    ] as const)
      for (const event of [
        'push',
        'pull_request',
        'repo:push',
        'repo:refs_changed',
        'pr:opened',
        'pullrequest:created',
      ])
        expect(of(product, { [header]: event }, payload)).toBeUndefined()
  })

  test('what has no id is known by its bytes', () => {
    const one = of('gitlab', {}, { object_kind: 'push', ref: 'refs/heads/main', after: 'a' })
    const other = of('gitlab', {}, { object_kind: 'push', ref: 'refs/heads/main', after: 'b' })
    expect(one?.id).toMatch(/^[0-9a-f]{64}$/)
    expect(other?.id).not.toBe(one?.id)
  })
})
