import { batchBytes } from '../../domain/infrastructure/pack-rows.ts'
import { presentPublicOutputs } from '../../domain/workspaces/present-outputs.ts'
import type { StateOutput } from '../../domain/workspaces/split-state.ts'
import type { Keyring } from '../../gateways/keyring/keyring.ts'
import { batchesPerPage, openPage } from '../../gateways/keyring/sealed-rows.ts'
import type { Store } from '../../store/driver/connect.ts'
import { partTables, stateParts } from '../../store/workspaces/state-parts.ts'
import { stateVersions } from '../../store/workspaces/state-versions.ts'
import { searchForSecrets } from '../workspaces/secrets-of-workspace.ts'
import { inParts } from '../workspaces/state-in-parts.ts'

/** Longer values are no addresses or names, and would fill the environment of a hook. */
const maxValueCharacters = 4_096

/**
 * The outputs that hooks are given of a state of the target, by the names of their variables: `lb_dns` is
 * `CC_OUT_LB_DNS`. A sensitive one, one that is not there and one that is too long are left out. No state has none.
 */
export async function outputsFor(
  deps: { store: Store; keyring: Keyring },
  {
    organizationId,
    workspaceId,
    stateVersionId,
  }: { organizationId: number; workspaceId: number; stateVersionId: number | null },
  names: readonly string[],
): Promise<Record<string, string>> {
  if (names.length === 0 || stateVersionId === null) return {}
  const { store, keyring } = deps
  const version = await store.tenant(organizationId, async (tenant) =>
    stateVersions(tenant).get(workspaceId, stateVersionId),
  )
  const { id } = await inParts(deps, { organizationId, version })
  const search = await store.tenant(organizationId, async (tenant) =>
    searchForSecrets(deps, tenant, {
      organizationId,
      workspaceId,
      runId: version.workspaceRunId,
    }),
  )
  const wanted = new Set(names)
  const found: Record<string, string> = {}
  for (let after = 0; ;) {
    const batches = await store.tenant(organizationId, async (tenant) =>
      stateParts(tenant).after(
        { versionId: id, kind: 'output' },
        after,
        batchesPerPage(batchBytes),
      ),
    )
    const page = openPage<StateOutput>(
      keyring,
      { organizationId, table: partTables.output, ownerId: id },
      { batches, after, limit: 200, maxBytes: batchBytes },
    )
    for (const { name, value, sensitive } of presentPublicOutputs(page.rows, search))
      if (wanted.has(name) && !sensitive) {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        if (text.length <= maxValueCharacters) found[variableOf(name)] = text
      }
    if (page.nextSeq === null || Object.keys(found).length === wanted.size) return found
    after = page.nextSeq
  }
}

const variableOf = (name: string): string => `CC_OUT_${name.toUpperCase().replaceAll('-', '_')}`
