import { wakeApplication } from '../../../app/runs/wake-application.ts'
import type { Harness } from '../create-harness.ts'

export type WantedOfHost = {
  agentId: number
  name: string
  runId: number
  wanted: 'deploy' | 'install' | 'activate' | 'rollback' | 'verify'
}

/** What an agent says of an action; `switched`: it failed after `current` pointed to the new release. */
export type HostAnswer = 'ok' | 'fail' | 'switched' | 'silent'

/** Agents of a workspace, which claim and answer through the store as their routes do. */
export function agentHosts(
  { deps: { store } }: Pick<Harness, 'deps'>,
  { organizationId, workspaceId }: { organizationId: number; workspaceId: number },
) {
  const db = store.platform
  const hosts = {
    /** Online from now on, by default. */
    async add(
      name: string,
      { labels = {}, seenSecondsAgo = 0 }: { labels?: object; seenSecondsAgo?: number } = {},
    ): Promise<number> {
      const { rows } = await db.raw(
        `insert into agents (organization_id, workspace_id, name, labels, last_seen_at)
         values (?, ?, ?, ?, now() - make_interval(secs => ?)) returning id`,
        [organizationId, workspaceId, name, JSON.stringify(labels), seenSecondsAgo],
      )
      return rows[0].id
    },

    /** Heartbeats of those that are not away. */
    async beat(): Promise<void> {
      await db.raw(
        `update agents set last_seen_at = now() where workspace_id = ?
           and last_seen_at > now() - interval '1 minute'`,
        [workspaceId],
      )
    },

    async lose(agentId: number): Promise<void> {
      await db.raw(`update agents set last_seen_at = now() - interval '1 hour' where id = ?`, [
        agentId,
      ])
      await db.raw(
        `update deployment_hosts set wanted_at = now() - interval '1 hour' where agent_id = ?`,
        [agentId],
      )
    },

    async wanted(): Promise<WantedOfHost[]> {
      const { rows } = await db.raw(
        `select h.agent_id as "agentId", a.name, h.pipeline_run_id as "runId", h.wanted
         from deployment_hosts h join agents a on a.id = h.agent_id
           join deployments d on d.pipeline_run_id = h.pipeline_run_id
         where a.workspace_id = ? and h.wanted is not null and d.ended_at is null
         order by h.position`,
        [workspaceId],
      )
      return rows
    },

    /** Claims what is wanted now and answers it. Returns what it was. */
    async answer(say: (host: WantedOfHost) => HostAnswer = () => 'ok'): Promise<string[]> {
      const told = await hosts.wanted()
      for (const host of told) {
        const answer = say(host)
        await claim(host)
        if (answer !== 'silent') await result(host, answer)
      }
      return told.map(({ name, wanted }) => `${name} ${wanted}`)
    },

    async states(runId: number): Promise<Record<string, string>> {
      const { rows } = await db.raw(
        `select a.name, h.state from deployment_hosts h join agents a on a.id = h.agent_id
         where h.pipeline_run_id = ? order by h.position`,
        [runId],
      )
      return Object.fromEntries(
        rows.map(({ name, state }: { name: string; state: string }) => [name, state]),
      )
    },

    /** Until stopped: each agent answers what is wanted of it. */
    work(say: (host: WantedOfHost) => HostAnswer = () => 'ok'): () => Promise<void> {
      let isOpen = true
      const working = (async () => {
        while (isOpen) {
          await hosts.beat()
          await hosts.answer(say)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      })()
      return async () => {
        isOpen = false
        await working
      }
    },
  }

  const claim = async ({ agentId, runId }: WantedOfHost) =>
    db.raw(
      `update deployment_hosts set claimed_at = coalesce(claimed_at, now()), fence = fence + 1,
         lease_until = now() + interval '45 seconds', started_at = coalesce(started_at, now())
       where agent_id = ? and pipeline_run_id = ? and wanted is not null`,
      [agentId, runId],
    )

  const result = async (
    { agentId, runId, wanted }: WantedOfHost,
    answer: Exclude<HostAnswer, 'silent'>,
  ) => {
    const good = {
      deploy: 'healthy',
      activate: 'healthy',
      install: 'staged',
      rollback: 'rolled_back',
      verify: 'healthy',
    }
    const isOk = answer === 'ok'
    const state = isOk ? good[wanted] : wanted === 'rollback' ? 'stuck' : 'failed'
    const runsNew =
      wanted === 'rollback' ? !isOk : wanted !== 'install' && (isOk || answer === 'switched')
    await db.raw(
      `update deployment_hosts set state = ?, runs_new = ?, wanted = null, lease_until = null,
         hooks = '[{"name":"health","state":"succeeded","exitCode":0,"durationMs":5}]', ended_at = now()
       where agent_id = ? and pipeline_run_id = ? and wanted is not null`,
      [state, runsNew, agentId, runId],
    )
    await store.tenant(organizationId, async (tenant) => wakeApplication(tenant, runId, 'result'))
  }
  return hosts
}

export type AgentHosts = ReturnType<typeof agentHosts>
