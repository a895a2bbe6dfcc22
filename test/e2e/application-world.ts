import { createHash } from 'node:crypto'
import { applicationPipeline } from '../harness/application-run.ts'
import { builtRun } from '../harness/built-run.ts'
import type { Harness } from '../harness/create-harness.ts'
import { testDeployment } from '../harness/deployments.ts'
import type { TestUser } from '../harness/test-user.ts'

export type SeededApplication = {
  pipelineId: number
  /** A run whose deployment ended, on `hosts` hosts. */
  deployed: number
  /** A run that waits, on production for a second person. */
  waiting: number
}

const manifest = `version: 1
build:
  artifact: { path: dist }
deploy:
  strategy: canary
`

/** An application with a release on many hosts, without a Git host, a sandbox and agents. */
export async function seedApplication(
  harness: Harness,
  owner: TestUser,
  { workspaceId, hosts }: { workspaceId: number; hosts: number },
): Promise<SeededApplication> {
  const { deps } = harness
  const { organizationId } = owner
  const pipelineId = await applicationPipeline(deps, organizationId, workspaceId)
  const run = await testDeployment(deps, organizationId, {
    workspaceId,
    pipelineId,
    outcome: 'succeeded',
  })
  await deploy(harness, { ...run, organizationId, workspaceId, hosts })
  const waiting = await builtRun(deps, owner, { pipelineId, bytes: Buffer.from('a newer one') })
  return { pipelineId, deployed: run.id, waiting: waiting.id }
}

type Deployed = {
  id: number
  digest: string
  organizationId: number
  workspaceId: number
  hosts: number
}

async function deploy({ deps: { store } }: Harness, at: Deployed): Promise<void> {
  const db = store.platform
  await db.raw(
    `insert into agents (organization_id, workspace_id, name, labels, last_seen_at, version, os, arch,
       release_digest, release_run_id)
     select :organizationId, :workspaceId, 'web-' || n, '{"role":"web"}', now() + interval '10 minutes',
       '0.1.0', 'linux', 'x64', :digest, :id from generate_series(1, :hosts) as n`,
    at,
  )
  await db.raw(
    `insert into deployment_hosts (pipeline_run_id, agent_id, organization_id, position, state, batch, hooks,
       message, started_at, ended_at)
     select :id, a.id, a.organization_id, row_number() over (order by a.id),
       case when a.id % 40 = 0 then 'failed' else 'healthy' end, 1 + (row_number() over (order by a.id)) / 100,
       case when a.id % 40 = 0
         then '[{"name":"install","state":"succeeded","exitCode":0,"durationMs":1200},{"name":"activate","state":"failed","exitCode":3,"durationMs":40}]'::jsonb
         else '[{"name":"install","state":"succeeded","exitCode":0,"durationMs":1200},{"name":"health","state":"succeeded","exitCode":0,"durationMs":300}]'::jsonb end,
       case when a.id % 40 = 0 then 'The hook activate ended with exit code 3.' end,
       now() - interval '2 minutes', now() - interval '1 minute'
     from agents a where a.workspace_id = :workspaceId`,
    at,
  )
  const commitSha = createHash('sha1').update(String(at.id)).digest('hex')
  await db('applicationRuns')
    .where({ pipelineRunId: at.id })
    .update({
      phase: 'succeeded',
      commitSha,
      commitMessage: 'Show the price with tax',
      commitAuthor: 'Sam Okafor <sam@example.com>',
      branch: 'main',
      manifest,
      manifestSha256: createHash('sha256').update(manifest).digest('hex'),
      commits: JSON.stringify([
        { sha: commitSha, author: 'Sam Okafor', message: 'Show the price with tax' },
      ]),
      startedAt: db.raw(`now() - interval '3 minutes'`),
      endedAt: db.raw(`now() - interval '1 minute'`),
    })
  await db('deployments')
    .where({ pipelineRunId: at.id })
    .update({ batch: 3, batches: 3, warnings: ['hosts_failed'] })
  await db('stages')
    .where({ pipelineRunId: at.id })
    .update({
      state: 'succeeded',
      startedAt: db.raw(`now() - interval '3 minutes'`),
      endedAt: db.raw(`now() - interval '1 minute'`),
    })
}
