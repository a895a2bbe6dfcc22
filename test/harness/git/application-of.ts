import { expect } from 'vitest'
import { requestApplicationStart } from '../../../app/runs/request-application-start.ts'
import { applicationRun } from '../application-run.ts'
import type { TestUser } from '../test-user.ts'
import type { GitHarness } from './git-harness.ts'

let counter = 0

export type Application = {
  repo: string
  pipelineId: number
  connectionId: number
  /** A queued run, with the start of its workflow in the outbox if `start` says so. */
  run(options?: { branch?: string; start?: boolean }): Promise<ApplicationRunOfTest>
}

export type ApplicationRunOfTest = {
  id: number
  url: string
  shown(): Promise<ShownRun>
  lines(stage: string): Promise<string[]>
}

export type ShownRun = {
  state: string
  reason: string | null
  message: string | null
  endMessage: string | null
  commit: { sha: string; message: string } | null
  workflowId: string
  artifact?: { digest: string } | null
  warnings?: string[]
  blockedBy: { kind: string } | null
  stages: Array<{ name: string; state: string; by: string | null }>
}

/** A repository with these files, its connection, and a pipeline without a target. */
export async function applicationOf(
  harness: GitHarness,
  owner: TestUser,
  files: Record<string, string>,
): Promise<Application> {
  counter += 1
  const repo = `acme/app-${counter}`
  await harness.peer.createRepository(repo, files)
  const body = harness.body(repo, { repoType: 'application' })
  const { connection } = (await owner.post('/api/git/connections', body)).json()
  const name = `shop-${counter}`
  const made = await owner.post('/api/pipelines', {
    name,
    appGitConnectionId: connection.id,
    appRepo: repo,
  })
  expect(made.statusCode, made.body).toBe(201)
  const pipelineId: number = made.json().pipeline.id
  return {
    repo,
    pipelineId,
    connectionId: connection.id,
    async run({ branch = 'main', start = false } = {}) {
      const { id, number } = await applicationRun(harness.deps, owner.organizationId, {
        pipelineId,
        origin: 'person',
        authorUserId: owner.id,
        branch,
      })
      if (start)
        await harness.deps.store.tenant(owner.organizationId, async (tenant) =>
          requestApplicationStart(tenant, { id, number, pipelineId, pipelineName: name }),
        )
      return runAt(owner, pipelineId, id)
    },
  }
}

export function runAt(owner: TestUser, pipelineId: number, id: number): ApplicationRunOfTest {
  const url = `/api/pipelines/${pipelineId}/runs/${id}`
  return {
    id,
    url,
    shown: async () => (await owner.get(url)).json().run,
    lines: async (stage) => {
      const { lines } = (await owner.get(`${url}/logs?stage=${stage}`)).json()
      return lines.map(({ line }: { line: string }) => line)
    },
  }
}

/** The files of a repository whose manifest has this build. */
export const manifestWith = (build: string): Record<string, string> => ({
  '.cloud-control/pipeline.yml': `version: 1\nbuild:\n${build.replaceAll(/^/gm, '  ')}\n`,
})

/** The artifact is the folder `dist`, which this step makes. */
export const building = (run: string, more = ''): Record<string, string> =>
  manifestWith(
    `${more}${more && '\n'}steps:\n  - name: make\n    run: |\n${run.replaceAll(/^/gm, '      ')}\nartifact:\n  path: dist`,
  )
