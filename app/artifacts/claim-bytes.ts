import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '../../domain/errors.ts'
import type { ArtifactDigest } from '../../gateways/artifacts/artifact-store.ts'
import { artifactBlobs } from '../../store/runs/artifact-blobs.ts'
import type { Store } from '../../store/driver/connect.ts'

const everyMs = 200
const tries = 75

/**
 * Claims bytes before they get their place in the artifact store. The sweep removes the same bytes at this
 * moment at worst: then this waits for its end, or for the time after which a removal counts as cut off.
 */
export const claimBytes =
  (store: Store, organizationId: number) =>
  async (digest: ArtifactDigest): Promise<void> => {
    for (let tried = 0; tried < tries; tried += 1) {
      if (await store.tenant(organizationId, async (tenant) => artifactBlobs(tenant).claim(digest)))
        return
      await delay(everyMs)
    }
    throw unavailable('artifact_store_unavailable', 'The same bytes are just being removed.')
  }
