import type { Role } from '../../domain/access/roles.ts'
import type { Harness } from './create-harness.ts'

/** A workspace in a new organization, and the user who made it. */
export async function ownedWorkspace(harness: Harness, role: Role = 'Owner') {
  const org = await harness.organization()
  const owner = await org.user(role)
  const workspace = await org.workspace({ by: owner })
  return { org, owner, workspace, url: workspace.url }
}
