import type { Tenant } from '../../store/driver/tenant.ts'
import { users } from '../../store/users/users.ts'
import type { ConfigurationVersion } from '../../store/workspaces/configuration-versions.ts'
import type { ConfigurationVersionBody } from './schemas.ts'

/** Configuration versions as callers see them, with the names of their authors. */
export async function presentConfigurations(
  tenant: Tenant,
  rows: ReadonlyArray<ConfigurationVersion & { fileCount?: number }>,
): Promise<ConfigurationVersionBody[]> {
  const ids = new Set(rows.flatMap(({ authorUserIds }) => authorUserIds))
  const people = await users(tenant).listByIds([...ids])
  const label = (id: number) => {
    const person = people.find((user) => user.id === id)
    return person?.email ?? person?.name ?? 'a former member'
  }
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    source: row.source,
    commitSha: row.commitSha,
    sha256: row.filesSha256,
    fileNames: row.fileNames,
    fileCount: row.fileCount ?? row.fileNames.length,
    sizeBytes: row.sizeBytes,
    authors: row.authorUserIds.map((id) => ({ id, label: label(id) })),
    createdAt: row.createdAt.toISOString(),
  }))
}
