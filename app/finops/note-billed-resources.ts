import type { Store } from '../../store/driver/connect.ts'
import { billedResources } from '../../store/clouds/billed-resources.ts'
import { firstBilledKey, tidiedResources } from '../../store/clouds/tidied-resources.ts'
import { loadedByIngest } from '../../store/finops/loaded-by-ingest.ts'

type At = { organizationId: number; sliceId: number }

/**
 * Enters the resources of a current slice that no inventory lists, each part in a transaction of its own.
 * Idempotent: a second call, also at the same time, finds them there. `mostParts`: a larger slice is left to
 * the task `note-billed-resources`.
 */
export async function noteBilledResources(
  store: Store,
  { organizationId, sliceId }: At,
  mostParts = Infinity,
): Promise<void> {
  const parts = await store.tenant(organizationId, async (tenant) =>
    billedResources(tenant).partsOf(sliceId),
  )
  if (parts > mostParts) return
  for (let part = 0; part < parts; part += 1)
    await store.tenant(organizationId, async (tenant) =>
      billedResources(tenant).addPart({ sliceId, part, parts }),
    )
  await store.tenant(organizationId, async (tenant) => billedResources(tenant).noteSlice(sliceId))
}

/**
 * The same for the first months that an ingest loaded of a source, as far as they are short: the others of the
 * organization wait for its end. The task `note-billed-resources` takes the rest.
 */
export async function noteIngested(
  store: Store,
  { organizationId, ...at }: { organizationId: number; ingestId: number; sourceId: number },
): Promise<void> {
  const slices = await store.tenant(organizationId, async (tenant) =>
    loadedByIngest(tenant).unnoted(at),
  )
  for (const sliceId of slices) await noteBilledResources(store, { organizationId, sliceId }, 1)
}

/** Brings what only bills know up to date with the current slices. Idempotent. */
export async function tidyBilledResources(store: Store, organizationId: number): Promise<void> {
  const version = await store.tenant(organizationId, async (tenant) =>
    tidiedResources(tenant).version(),
  )
  if (version === undefined) return
  let after: string | undefined = firstBilledKey
  while (after !== undefined) {
    const from: string = after
    after = await store.tenant(organizationId, async (tenant) =>
      tidiedResources(tenant).tidyPage(from),
    )
  }
  // A change meanwhile has raised the version, and is tidied next.
  await store.tenant(organizationId, async (tenant) => tidiedResources(tenant).tidied(version))
}
