import { randomBytes } from 'node:crypto'
import { placeOfValue } from '../../../app/workspaces/secrets-of-workspace.ts'
import type { Harness } from '../../harness/create-harness.ts'

/** A sensitive value of OpenTofu with so many texts of so many characters. */
export const listOf = (count: number, length = 32): string =>
  JSON.stringify(
    Array.from({ length: count }, () => randomBytes(length).toString('hex').slice(0, length)),
  )

/** Stores 85 lists of 1,000 texts, which a workspace could have before their number together was bounded. */
export async function storeLists(
  { deps: { store, keyring } }: Harness,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
): Promise<void> {
  const rows = Array.from({ length: 85 }, (_, n) => ({
    organizationId,
    workspaceId,
    key: `stored_${n}`,
    kind: 'terraform',
    sensitive: true,
    value: keyring.seal(placeOfValue(organizationId), listOf(1_000, 8)),
    valueMac: randomBytes(32),
  }))
  await store.platform('workspace_variables').insert(rows)
}
