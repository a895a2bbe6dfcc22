import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../start-platform.ts'
import { makeOrganization, makeWorkspaceOf } from './organization.ts'

export type Watched = {
  /** The time of each answer of the API to the quiet tenant. */
  apiMs: number[]
  /** The time from the start of a run to its end. */
  runMs: number[]
  /** Faults: a run that did not succeed, or an error answer. */
  faults: string[]
  /** Runs that failed as a run does whose process was killed, each from its start to its end. */
  lost: Array<{ id: number; from: number; to: number }>
}

export type QuietTenant = {
  /** Reads pages and applies for this time, beside the attacks. */
  watch(forMs: number): Promise<Watched>
}

type Run = { id: number; state: string; reason: string | null }

const askEveryMs = 50
const mayTakeMs = 120_000
/** A kill of the worker or its runner, of OpenTofu or a process below it. */
const endsOfKilled = new Set(['runner_lost', 'apply_errored', 'plan_errored'])
/** Longer than an apply may go without a heartbeat, so that a blocked worker loses it. */
const longApplySeconds = 40

/** A tenant that reads pages and applies small and long changes, one after the other. */
export async function quietTenant(platform: Platform, kills = false): Promise<QuietTenant> {
  const tenant = await makeOrganization(platform, 'quiet')
  const short = await makeWorkspaceOf(tenant, 'short', {
    'main.tf': 'resource "terraform_data" "one" { input = timestamp() }\n',
  })
  const long = await makeWorkspaceOf(tenant, 'long', {
    'main.tf': `resource "terraform_data" "one" {
  triggers_replace = timestamp()
  provisioner "local-exec" { command = "sleep ${longApplySeconds}" }
}
`,
  })
  const paths = ['/auth/me', '/workspaces', '/pipelines', `/workspaces/${short}/runs`]

  const ask = async (until: number, watched: Watched) => {
    for (let at = 0; Date.now() < until; at += 1) {
      const path = paths[at % paths.length] ?? ''
      try {
        watched.apiMs.push((await tenant.call('GET', path)).tookMs)
      } catch (error) {
        if (!kills) watched.faults.push(`GET ${path}: ${String(error).slice(0, 120)}`)
      }
      await sleep(askEveryMs)
    }
  }
  /** Undefined if the API was killed. The caller repeats the request. */
  const answer = async (method: string, path: string): Promise<Run | undefined> => {
    try {
      const { body } = await tenant.call(method, path, method === 'POST' ? {} : undefined)
      return body['run'] as Run
    } catch (error) {
      if (!kills) throw error
      await sleep(500)
      return undefined
    }
  }
  const apply = async (id: number, until: number, watched: Watched) => {
    do {
      const from = Date.now()
      const since = performance.now()
      const begun = await answer('POST', `/workspaces/${id}/apply`)
      if (!begun) continue
      const giveUpAt = Date.now() + mayTakeMs + longApplySeconds * 1_000
      let run = begun
      while (run.state === 'running' && Date.now() < giveUpAt) {
        await sleep(200)
        run = (await answer('GET', `/workspaces/${id}/runs/${run.id}`)) ?? run
      }
      if (run.state === 'succeeded') {
        if (id === short) watched.runMs.push(performance.now() - since)
      } else if (kills && endsOfKilled.has(run.reason ?? ''))
        watched.lost.push({ id: run.id, from, to: Date.now() })
      else watched.faults.push(`run ${run.id}: ${run.state} ${run.reason ?? ''}`)
    } while (Date.now() < until)
  }

  return {
    async watch(forMs) {
      const watched: Watched = { apiMs: [], runMs: [], faults: [], lost: [] }
      const until = Date.now() + forMs
      await Promise.all([
        ask(until, watched),
        apply(short, until, watched),
        apply(long, until, watched),
      ])
      return watched
    },
  }
}
