import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../start-platform.ts'
import { makeOrganization, makeWorkspaceOf } from './organization.ts'

export type Watched = {
  /** Of each answer of the API to the quiet tenant. */
  apiMs: number[]
  /** From the start of a run to its end. */
  runMs: number[]
  /** What must not be: a run that did not succeed, an answer that was an error. */
  faults: string[]
  /** Runs that ended `runner_lost` where processes are killed, each from its start to its end. */
  lost: Array<{ id: number; from: number; to: number }>
}

export type QuietTenant = {
  /** Asks and applies for so long, beside whatever else is going on. */
  watch(forMs: number): Promise<Watched>
}

type Run = { id: number; state: string; reason: string | null }

const askEveryMs = 50
const mayTakeMs = 120_000
/** Longer than an apply may go without a heartbeat, so that a worker that is held up loses it. */
const longApplySeconds = 40

/** A tenant who looks at pages and applies small changes and long ones, one after the other. */
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
  /** Undefined where the API was killed: it is asked again. */
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
      } else if (kills && run.reason === 'runner_lost')
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
