import type { Harness } from '../../harness/create-harness.ts'
import { ownedWorkspace } from '../../harness/owned-workspace.ts'
import { lockInfo, stateClient } from './state-client.ts'

/** A workspace whose state is locked by its Owner's OpenTofu. */
export async function lockedState(harness: Harness) {
  const made = await ownedWorkspace(harness)
  const client = stateClient(harness.app, made.workspace, await made.owner.token())
  const info = lockInfo()
  await client.lock(info)
  return { ...made, client, info }
}
