import type { KeyObject } from 'node:crypto'
import type { EndorsedKey } from '../domain/signing/endorsement.ts'
import { trustedKeys } from '../domain/signing/trusted-keys.ts'
import { verifyProvenance } from '../domain/signing/verify-provenance.ts'
import type { AgentState } from './agent-state.ts'
import { messageOf, refuseRelease } from './faults.ts'
import type { Say } from './say.ts'
import type { Release } from './service/read-claim.ts'

export type Trust = {
  /** Takes from the keys of a heartbeat those that are pinned, or that a trusted key has signed. */
  learn(keys: unknown): void
  /** Throws `provenance_refused`. Says who signed what otherwise. */
  verify(release: Release): { subject: string }
}

/**
 * Whom the agent believes: the key that the operator pinned at install, and what that key has signed. Neither the
 * service nor the network can add to it (docs/agent-host.md, "What the agent trusts").
 */
export function openTrust(state: AgentState, { pin, say }: { pin: string; say: Say }): Trust {
  // Another pin is another trust: what the former one brought is forgotten.
  if (state.get().pin !== pin) state.change({ pin, keys: [], organization: undefined })
  const stored = () => (state.get().keys ?? []).map((key) => ({ ...key, endorsements: [] }))
  const trusted = (offered: readonly EndorsedKey[] = []): Map<string, KeyObject> => {
    const known = stored()
    const pins = [pin, ...known.map(({ keyId }) => keyId)]
    return trustedKeys({ pins, keys: [...offered, ...known] })
  }

  return {
    learn(offered) {
      const before = new Set((state.get().keys ?? []).map(({ keyId }) => keyId))
      const now = trusted(readKeys(offered))
      const added = [...now.keys()].filter((keyId) => !before.has(keyId))
      if (added.length === 0) return
      const keys = [...now].map(([keyId, key]) => ({
        keyId,
        publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
      }))
      state.change({ keys: keys.concat(stored().filter(({ keyId }) => !now.has(keyId))) })
      say('info', 'signing keys are trusted', { added })
    },

    verify(release) {
      const { organization } = state.get()
      const verified = verifying(release, trusted(), organization?.slug)
      const slug = verified.subject.slice(0, verified.subject.indexOf('/'))
      if (slug === '') throw refuseRelease('provenance_refused', 'it names no organization')
      if (organization && organization.publicId !== verified.organization)
        throw refuseRelease('provenance_refused', 'it is of another organization')
      if (verified.contentDigest !== release.contentDigest)
        throw refuseRelease('provenance_refused', 'it is of an archive with other content')
      if (!organization) state.change({ organization: { publicId: verified.organization, slug } })
      return { subject: verified.subject }
    },
  }
}

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
