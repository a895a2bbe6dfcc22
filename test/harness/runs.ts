import { expect } from 'vitest'
import type { RunBody } from '../../api/runs/schemas.ts'
import type { TestWorkspace } from './test-organization.ts'
import type { TestUser } from './test-user.ts'

type Run = RunBody & { timeline?: Array<{ event: string }> }

/** Starts a run of a workspace. */
export async function startRun(user: TestUser, workspace: TestWorkspace, body = {}): Promise<Run> {
  const response = await user.post(`${workspace.url}/apply`, body)
  expect(response.statusCode, response.body).toBe(201)
  return response.json().run
}

export async function getRun(user: TestUser, workspace: TestWorkspace, id: number): Promise<Run> {
  const response = await user.get(`${workspace.url}/runs/${id}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json().run
}

/** Polls until `when` accepts the run. Throws after `timeoutMs`. */
export async function runUntil(
  user: TestUser,
  place: { workspace: TestWorkspace; id: number },
  when: (run: Run) => boolean,
  timeoutMs = 90_000,
): Promise<Run> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const run = await getRun(user, place.workspace, place.id)
    if (when(run)) return run
    if (Date.now() > deadline)
      throw new Error(`the run is still ${JSON.stringify({ ...run, plan: undefined }, null, 1)}`)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
}

export const isOver = (run: Run) => run.state !== 'running'
export const awaits = (run: Run) => run.awaitingApproval || isOver(run)

export async function linesOf(
  user: TestUser,
  workspace: TestWorkspace,
  run: { id: number; stage: string },
): Promise<string[]> {
  const lines: string[] = []
  // The API ends a page at 10,000 lines or 1 MB.
  for (let [after, count] = [0, 1]; count > 0;) {
    const url = `${workspace.url}/runs/${run.id}/logs?stage=${run.stage}&limit=10000&after=${after}`
    const page = (await user.get(url)).json()
    lines.push(...page.lines.map(({ line }: { line: string }) => line))
    ;[after, count] = [page.nextSeq, page.lines.length]
  }
  return lines
}
