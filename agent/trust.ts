import { isDeepStrictEqual } from 'node:util'
import type { KeyObject } from 'node:crypto'
import type { EndorsedKey } from '../domain/signing/endorsement.ts'
import { readOrder } from '../domain/signing/order.ts'
import { trustedKeys } from '../domain/signing/trusted-keys.ts'
import { verifyProvenance } from '../domain/signing/verify-provenance.ts'
import type { AgentState } from './agent-state.ts'
import { messageOf, refuseRelease } from './faults.ts'
import { followOrder } from './follow-order.ts'
import type { Say } from './say.ts'
import type { Deployment, Release } from './service/read-claim.ts'

export type Trust = {
  /** Takes from the keys of a heartbeat those that are pinned, or that a trusted key has signed. */
  learn(keys: unknown): void
  /** Throws `provenance_refused` or `order_refused`. Otherwise the claim as it was signed. */
  verify(deployment: Deployment): Deployment
}

/**
 * Whom the agent believes: the key that the operator pinned at install, and what that key has signed. Neither the
 * service nor the network can add to it (docs/agent-host.md, "What the agent trusts").
 */
export function openTrust(state: AgentState, { pin, say }: { pin: string; say: Say }): Trust {
  // Another pin is another trust: what the former one brought is forgotten.
  if (state.get().pin !== pin)
    state.change({ pin, keys: [], organization: undefined, workspaceId: undefined })
  /** From the pin on, each time: what is stored is believed by its endorsements alone. */
  const trusted = (keys: readonly EndorsedKey[]): Map<string, KeyObject> =>
    trustedKeys({ pins: [pin], keys })
  const stored = () => readKeys(state.get().keys)

  return {
    /** Replaces what was learned before: a key that the service names no more is trusted no more. */
    learn(offered) {
      // A service has a key as soon as it has an agent: an empty list says nothing.
      if (!Array.isArray(offered) || offered.length === 0) return
      const before = stored()
      // The pinned key stays: others are endorsed by it.
      const known = [...readKeys(offered), ...before.filter(({ keyId }) => keyId === pin)]
      const keys = withEndorsements(trusted(known), known)
      if (isDeepStrictEqual(keys, state.get().keys)) return
      state.change({ keys })
      const added = missingIn(before, keys)
      const removed = missingIn(keys, before)
      if (added.length > 0) say('info', 'signing keys are trusted', { added })
      if (removed.length > 0) say('warn', 'signing keys are trusted no more', { removed })
    },

    verify(deployment) {
      const { release } = deployment
      const { organization, workspaceId } = state.get()
      const keys = trusted(stored())
      const verified = verifying(release, keys, organization?.slug)
      const slug = verified.subject.slice(0, verified.subject.indexOf('/'))
      if (slug === '') throw refuseRelease('provenance_refused', 'it names no organization')
      if (organization && organization.publicId !== verified.organization)
        throw refuseRelease('provenance_refused', 'it is of another organization')
      if (verified.contentDigest !== release.contentDigest)
        throw refuseRelease('provenance_refused', 'it is of an archive with other content')
      const order = readOrder(deployment.order, keys)
      if (!order)
        throw refuseRelease(
          'order_refused',
          'the order of this deployment is not signed by a key that is trusted',
        )
      const signed = followOrder(deployment, order, {
        organization: verified.organization,
        workspaceId,
      })
      if (!organization || workspaceId === undefined)
        state.change({
          organization: { publicId: verified.organization, slug },
          workspaceId: signed.workspaceId,
        })
      return signed.deployment
    },
  }
}

const withEndorsements = (
  trusted: ReadonlyMap<string, KeyObject>,
  known: readonly EndorsedKey[],
): EndorsedKey[] =>
  [...trusted].map(([keyId, key]) => ({
    keyId,
    publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
    endorsements: known.flatMap((one) => (one.keyId === keyId ? one.endorsements : [])),
  }))

/** Ids of `others` that are not in `keys`. */
const missingIn = (keys: readonly EndorsedKey[], others: readonly EndorsedKey[]): string[] =>
  others.flatMap(({ keyId }) => (keys.some((one) => one.keyId === keyId) ? [] : keyId))

function verifying(
  { provenance, digest }: Release,
  keys: Map<string, KeyObject>,
  organization: string | undefined,
) {
  try {
    return verifyProvenance({
      bundle: provenance,
      keys,
      digest,
      ...(organization !== undefined && { organization }),
    })
  } catch (error) {
    throw refuseRelease('provenance_refused', messageOf(error))
  }
}

/** What has not the shape of a key is left out: it cannot be trusted. */
function readKeys(value: unknown): EndorsedKey[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    const { keyId, publicKey, endorsements } = Object(one) as Record<string, unknown>
    if (typeof keyId !== 'string' || typeof publicKey !== 'string' || !Array.isArray(endorsements))
      return []
    return [{ keyId, publicKey, endorsements: endorsements as EndorsedKey['endorsements'] }]
  })
}
