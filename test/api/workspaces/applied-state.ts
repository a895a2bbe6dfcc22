import { expect } from 'vitest'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestWorkspace } from '../../harness/test-organization.ts'
import { runInPhase } from './run-in-phase.ts'
import { stateClient } from './state-client.ts'

/** The state that the apply of a run writes, and the end of the run. */
export async function applyState(
  { app, deps }: Harness,
  { by, workspace }: { by: { id: number; organizationId: number }; workspace: TestWorkspace },
  state: unknown,
): Promise<void> {
  const place = {
    organizationId: by.organizationId,
    workspaceId: workspace.id,
    authorUserId: by.id,
  }
  const run = await runInPhase(deps, place, 'applying')
  const answer = await stateClient(app, workspace, run.token).write(state)
  expect(answer.statusCode, answer.body).toBe(200)
  const { platform } = deps.store
  await platform('workspace_runs').where({ id: run.id }).update({ phase: 'succeeded' })
  await platform('workspace_locks').where({ workspaceId: workspace.id }).delete()
}
