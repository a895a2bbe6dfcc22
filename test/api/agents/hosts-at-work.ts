import { expect } from 'vitest'
import { expireLeasesTask } from '../../../worker/tasks/expire-leases.ts'
import type { Harness } from '../../harness/create-harness.ts'
import { testDeployment, want } from '../../harness/deployments.ts'
import { agentPlace, makeAgent, type AgentClient } from './agent-client.ts'

export const hooks = {
  install: { path: 'hooks/install', timeoutSeconds: 300, repeatable: false },
  activate: { path: 'hooks/activate', timeoutSeconds: 60, repeatable: true },
}

/** What the tests of the protocol do with hosts that are at work. */
export function hostsAtWork(harness: Harness) {
  const platform = () => harness.deps.store.platform
  /** An agent, and a deployment that has something for it to do. */
  async function atWork(more: Partial<Parameters<typeof testDeployment>[2]> = {}, wanted?: string) {
    const place = await agentPlace(harness)
    const agent = await makeAgent(harness, place)
    const deployment = await testDeployment(harness.deps, place.org.id, {
      workspaceId: place.workspaceId,
      hooks,
      ...more,
    })
    await want(harness.deps, place.org.id, {
      deploymentId: deployment.id,
      agentId: agent.id,
      ...(wanted && { wanted, state: wanted === 'rollback' ? 'rolling_back' : 'updating' }),
    })
    return { ...place, agent, deployment }
  }

  const claimed = async (agent: AgentClient, waitSeconds = 0, more: object = {}) => {
    const answer = await agent.claim(waitSeconds, more)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().deployment
  }
  const resultOf = (deployment: { digest: string; id: number }, fence: number, ok = true) => ({
    fence,
    ok,
    release: { digest: deployment.digest, runId: deployment.id },
  })
  const wakes = async (runId: number) =>
    platform()('outbox').where({ kind: 'signal' }).whereLike('workflowId', `%/app-run/${runId}`)
  const ageLease = async (deploymentId: number, seconds: number) =>
    platform().raw(
      `update deployment_hosts set lease_until = lease_until - make_interval(secs => ?)
       where pipeline_run_id = ?`,
      [seconds, deploymentId],
    )
  const audited = async (organizationId: number, event: string) =>
    platform()('audit_entries').where({ organizationId, event }).orderBy('id')
  const expire = async () => expireLeasesTask(harness.deps).run()
  return { platform, atWork, claimed, resultOf, wakes, ageLease, audited, expire }
}
