import { createHash, randomBytes } from 'node:crypto'
import { MockActivityEnvironment } from '@temporalio/testing'
import { advanceDeployment } from '../../../activities/pipelines/advance-deployment.ts'
import { endDeployment } from '../../../activities/pipelines/end-deployment.ts'
import { nextApplicationStep } from '../../../activities/pipelines/next-application-step.ts'
import { signArtifact } from '../../../activities/pipelines/sign-artifact.ts'
import { openDeployment } from '../../../activities/pipelines/open-deployment.ts'
import { applicationPipeline, applicationRun } from '../application-run.ts'
import type { Harness } from '../create-harness.ts'
import type { TestOrganization } from '../test-organization.ts'
import { runAt, type ApplicationRunOfTest } from '../git/application-of.ts'
import type { TestUser } from '../test-user.ts'
import { agentHosts, type AgentHosts, type HostAnswer, type WantedOfHost } from './agent-hosts.ts'
import { keepArtifact } from './keep-artifact.ts'

export type DeployWorld = {
  org: TestOrganization
  owner: TestUser
  workspaceId: number
  pipelineId: number
  hosts: AgentHosts
  /** A run whose build made this artifact, as the build leaves it. */
  built(options?: BuiltRun): Promise<ApplicationRunOfTest>
}

export type BuiltRun = {
  deploy?: string
  by?: TestUser
  /** Of another pipeline than the world's. */
  of?: number
  origin?: 'person' | 'push'
  /** The same name is the same bytes. */
  artifact?: string
  /** False: as the build leaves it, before its signature. */
  sign?: boolean
  hasSbom?: boolean
}

/** Half a manifest: what is said about hosts. */
const manifestOf = (deploy: string): string =>
  `version: 1\nbuild:\n  artifact: { path: dist }\n${deploy === '' ? '' : `deploy:\n${deploy.replaceAll(/^/gm, '  ')}\n`}`

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A pipeline with a target that has agents, and no worker: the test calls the activities. */
export async function deployWorld(
  harness: Harness,
  { criticality = 'standard' }: { criticality?: 'standard' | 'production' } = {},
): Promise<DeployWorld> {
  const { store } = harness.deps
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const { id: workspaceId } = await org.workspace({ by: owner })
  await store.platform('workspaces').where({ id: workspaceId }).update({ criticality })
  const pipelineId = await applicationPipeline(harness.deps, org.id, workspaceId)
  const hosts = agentHosts(harness, { organizationId: org.id, workspaceId })
  return {
    org,
    owner,
    workspaceId,
    pipelineId,
    hosts,
    async built({
      deploy = '',
      by = owner,
      of = pipelineId,
      origin = 'person',
      artifact,
      ...kept
    } = {}) {
      const { id } = await applicationRun(harness.deps, org.id, {
        pipelineId: of,
        origin,
        authorUserId: origin === 'person' ? by.id : null,
        branch: 'main',
      })
      const manifest = manifestOf(deploy)
      await store
        .platform('application_runs')
        .where({ pipelineRunId: id })
        .update({
          phase: 'building',
          commitSha: randomBytes(20).toString('hex'),
          manifest,
          manifestSha256: sha256(manifest),
        })
      const digest = `sha256:${sha256(artifact ?? String(id))}` as const
      await keepArtifact(harness.deps, org.id, { runId: id, digest, ...kept })
      return runAt(owner, of, id)
    },
  }
}

const call = async <T>(work: () => Promise<T>): Promise<T> =>
  new MockActivityEnvironment({ attempt: 1 }).run(work)

/** The activities of a deployment, each called as Temporal would. */
export function deployActivities({ deps }: Pick<Harness, 'deps'>) {
  const activities = {
    next: async (runId: number) => call(async () => nextApplicationStep(deps)({ runId })),
    open: async (runId: number) =>
      call(async () =>
        openDeployment({ ...deps, publicOrigin: 'https://control.example' })({ runId }),
      ),
    advance: async (runId: number) => call(async () => advanceDeployment(deps)({ runId })),
    sign: async (runId: number) =>
      call(async () =>
        signArtifact({ ...deps, publicOrigin: 'https://control.example' })({ runId }),
      ),
    end: async (runId: number) => call(async () => endDeployment(deps)({ runId })),

    /** As the workflow does, with agents that answer at once, until the run is over or waits for a person. */
    async deploy(
      { id }: { id: number },
      hosts: AgentHosts,
      say?: (host: WantedOfHost) => HostAnswer,
    ): Promise<string[]> {
      const told: string[] = []
      for (let passes = 0; passes < 100; passes += 1) {
        const { next } = await activities.next(id)
        if (next === 'open') await activities.open(id)
        else if (next === 'advance') {
          const advanced = await activities.advance(id)
          const answered = await hosts.answer(say)
          told.push(...answered)
          if (advanced.next === 'end') await activities.end(id)
          else if (answered.length === 0) return told
        } else return told
      }
      throw new Error('the deployment does not come to an end')
    },
  }
  return activities
}
