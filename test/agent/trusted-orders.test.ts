import { describe, expect, test } from 'vitest'
import { openTrust } from '../../agent/trust.ts'
import type { StoredState } from '../../agent/agent-state.ts'
import { readClaim } from '../../agent/service/read-claim.ts'
import type { ReleaseOrder } from '../../domain/signing/order.ts'
import {
  newKey,
  newOrganization,
  offered,
  orderOf,
  provenanceOf,
} from '../harness/agents/signing.ts'

const organization = newOrganization('acme')
const { key } = organization

/** What an agent keeps in a file. */
function memory(stored: StoredState = {}) {
  const state = { stored }
  return {
    state,
    get: () => state.stored,
    change: (part: StoredState) => void (state.stored = { ...state.stored, ...part }),
  }
}
const trustOf = (kept = memory(), pin = key.keyId) => openTrust(kept, { pin, say: () => undefined })
const knowing = () => {
  const trust = trustOf()
  trust.learn([offered(organization, key)])
  return trust
}

const digest = `sha256:${'a'.repeat(64)}`
const contentDigest = `sha256:${'c'.repeat(64)}`
const signed = {
  release: { digest, contentDigest, runId: 5 },
  hooks: {
    activate: { path: 'hooks/activate', repeatable: false },
    health: { path: 'hooks/health', repeatable: true },
  },
  timeouts: { activate: 30, health: 60 },
  keep: 3,
  env: [
    { key: 'CC_OUT_HOST', value: 'db.internal', sensitive: false },
    { key: 'PASSWORD', value: 'secret', sensitive: true },
  ],
}
const provenance = provenanceOf({ digest, contentDigest }, organization, key)

/** A claim as the service says it, and the order that was signed for it. */
const claim = (
  said: Record<string, unknown> = {},
  order: Partial<ReleaseOrder> & { key?: typeof key } = {},
) =>
  readClaim({
    id: 5,
    fence: 1,
    action: 'deploy',
    leaseUntil: '2026-01-01T00:00:00.000Z',
    ...signed,
    release: { ...signed.release, sizeBytes: 1, provenance },
    order: orderOf(signed, organization, { key, ...order }),
    ...said,
  })

describe('what a host runs', () => {
  test('is taken as it was signed', () => {
    const { hooks, keep, env } = knowing().verify(claim())
    expect(hooks.activate).toEqual({ path: 'hooks/activate', repeatable: false, timeoutMs: 30_000 })
    expect([keep, env.length]).toEqual([3, 2])
  })

  test.each([
    ['another file as a hook', { hooks: { ...signed.hooks, activate: { path: 'bin/sh' } } }],
    ['a hook more', { hooks: { ...signed.hooks, install: { path: 'bin/sh' } } }],
    ['no hook', { hooks: {} }],
    ['a longer time limit', { timeouts: { ...signed.timeouts, activate: 3_600 } }],
    [
      'a hook that may be repeated',
      { hooks: { ...signed.hooks, activate: { path: 'hooks/activate', repeatable: true } } },
    ],
    ['more releases to keep', { keep: 20 }],
    ['a variable more', { env: [...signed.env, { key: 'DEBUG', value: '1' }] }],
    ['a variable less', { env: signed.env.slice(0, 1) }],
    ['another deployment', { id: 6 }],
    ['another run', { release: { ...signed.release, runId: 6, sizeBytes: 1, provenance } }],
    ['no order', { order: null }],
    ['an order of another key', { order: orderOf(signed, organization, { key: newKey() }) }],
  ])('%s than was signed is refused', (_, said) => {
    expect(() => knowing().verify(claim(said))).toThrow(/^order_refused: /)
  })

  test.each([
    ['of another organization', { organization: newOrganization('x').publicId }],
    ['of other bytes', { digest: `sha256:${'d'.repeat(64)}` }],
    ['of other content', { contentDigest: `sha256:${'d'.repeat(64)}` }],
  ])('an order %s is refused, though the key is right', (_, order) => {
    expect(() => knowing().verify(claim({}, order))).toThrow(/^order_refused: /)
  })

  test('an order for another workspace than the first one is refused', () => {
    const trust = knowing()
    trust.verify(claim())
    expect(() => trust.verify(claim({}, { workspaceId: 8 }))).toThrow(/for another workspace$/)
  })

  test('half of a blue-green deployment is refused where the strategy has no halves', () => {
    const half = claim({ action: 'activate' }, { strategy: 'rolling' })
    expect(() => knowing().verify(half)).toThrow(/for another strategy$/)
    expect(knowing().verify(claim({ action: 'activate' })).action).toBe('activate')
  })

  test('a rollback runs the order of the earlier deployment', () => {
    expect(knowing().verify(claim({ id: 9, action: 'rollback' })).action).toBe('rollback')
  })

  test('a value that is no secret is the one that was signed', () => {
    const env = [{ ...signed.env[0], value: 'thief.example' }, signed.env[1]]
    expect(knowing().verify(claim({ env })).env[0]?.value).toBe('db.internal')
  })
})

describe('keys that were learned', () => {
  const [second, third] = [newKey(), newKey()]
  const chain = [
    offered(organization, third, [second]),
    offered(organization, second, [key]),
    offered(organization, key),
  ]
  const by = (signer: typeof key) =>
    claim(
      {
        release: {
          ...signed.release,
          sizeBytes: 1,
          provenance: provenanceOf({ digest, contentDigest }, organization, signer),
        },
      },
      { key: signer },
    )

  test('are trusted by their endorsements, also after a restart', () => {
    const kept = memory()
    trustOf(kept).learn(chain)
    expect(trustOf(kept).verify(by(third)).id).toBe(5)
    expect(kept.get().keys?.map(({ endorsements }) => endorsements.length)).toEqual([0, 1, 1])
  })

  test('are not trusted where the state has them without an endorsement', () => {
    const kept = memory()
    trustOf(kept).learn(chain)
    const keys = kept.get().keys?.map((one) => ({ ...one, endorsements: [] })) ?? []
    kept.change({ keys })
    expect(() => trustOf(kept).verify(by(second))).toThrow(/not signed by a key that is trusted/)
    expect(trustOf(kept).verify(by(key)).id).toBe(5)
  })

  test('are trusted no more once the service names them no more, nor what only they endorsed', () => {
    const kept = memory()
    const trust = trustOf(kept)
    trust.learn(chain)
    trust.learn(chain.filter(({ keyId }) => keyId !== second.keyId))
    for (const one of [second, third])
      expect(() => trust.verify(by(one))).toThrow(/not signed by a key that is trusted/)
    expect(trust.verify(by(key)).id).toBe(5)
    trust.learn(chain)
    expect(trust.verify(by(third)).id).toBe(5)
  })

  test('stay where an answer has none, or only others', () => {
    const kept = memory()
    const trust = trustOf(kept)
    trust.learn(chain)
    trust.learn(undefined)
    trust.learn([])
    expect(trust.verify(by(third)).id).toBe(5)
    trust.learn([offered(organization, newKey())])
    expect(trust.verify(by(key)).id).toBe(5)
  })

  test('are forgotten with their pin', () => {
    const kept = memory()
    trustOf(kept).learn(chain)
    expect(() => trustOf(kept, newKey().keyId).verify(by(third))).toThrow(/not signed/)
  })
})
