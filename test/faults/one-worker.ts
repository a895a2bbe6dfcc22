import { createHarness } from '../harness/create-harness.ts'
import { processesOf } from '../harness/processes.ts'
import { linesOf } from '../harness/runs.ts'
import type { TestWorkspace } from '../harness/test-organization.ts'

export type OneWorker = Awaited<ReturnType<typeof openOneWorker>>

/** The API and one worker as separate processes, and an Owner who makes workspaces. */
export async function openOneWorker() {
  const harness = await createHarness()
  const processes = await processesOf(harness)
  const api = await processes.startApi()
  const worker = await processes.startWorker()
  const org = await harness.organization()
  const owner = await org.user('Owner')
  return {
    harness,
    processes,
    api,
    worker,
    owner,
    make: async (files: Record<string, string>) => org.workspace({ by: owner, files }),
    /** The number of log lines of the stage that contain this text. */
    timesSaid: async (workspace: TestWorkspace, run: { id: number; stage: string }, text: string) =>
      (await linesOf(owner, workspace, run)).filter((line) => line.includes(text)).length,
    async close() {
      await processes.close()
      await harness.close()
    },
  }
}
