import { join } from 'node:path'
import { maskSecrets, type Mask } from '../../domain/runs/mask-secrets.ts'
import type { AgentFolder } from '../disk/agent-folder.ts'
import { Halted, messageOf } from '../faults.ts'
import { openOutput } from '../output/output-file.ts'
import { sendOutput } from '../output/send-output.ts'
import type { Say } from '../say.ts'
import { createBackoff, pause } from '../service/backoff.ts'
import { neverTaken } from '../service/call-service.ts'
import type { Deployment } from '../service/read-claim.ts'
import type { Service } from '../service/service.ts'
import type { Trust } from '../trust.ts'
import type { Work } from './context.ts'
import { openJournal, removeOtherJournals } from './journal.ts'
import { keepLease } from './lease.ts'
import { perform } from './perform.ts'
import { releasesIn } from './releases.ts'

export type WorkDeps = {
  folder: AgentFolder
  service: Service
  trust: Trust
  greeting: () => Record<string, unknown>
  ending: AbortSignal
  ended: AbortSignal
  say: Say
}

/** Works on a deployment until the service has its result, the lease is lost, or the agent ends. */
export async function workOn(
  deps: WorkDeps,
  deployment: Deployment,
  claimed: { dateMs: number | undefined; askedAt: number },
): Promise<void> {
  const { folder, service, trust, greeting, ending, say } = deps
  const { id, fence, action } = deployment
  const journal = openJournal(folder.deployments, id)
  journal.begin({ id, fence, action })
  removeOtherJournals(folder.deployments, id)
  const lease = keepLease({
    service,
    deployment,
    claimed,
    greeting,
    ending,
    onAnswer: (body) => trust.learn(body['keys']),
    say,
  })
  const output = openOutput(join(journal.folder, 'output'))
  const secrets = deployment.env.filter(({ sensitive }) => sensitive).map(({ value }) => value)
  const sending = new AbortController()
  const sender = sendOutput({
    service,
    route: `deployments/${id}/logs`,
    fence,
    folder: journal.folder,
    output,
    mask: maskOf(secrets),
    signal: AbortSignal.any([sending.signal, lease.lost]),
    onLost: lease.lose,
    say,
  })
  const work: Work = {
    ...deps,
    deployment,
    releases: releasesIn(folder),
    journal,
    lease,
    output,
  }
  say('info', 'a deployment begins', { id, fence, action })
  try {
    const body = journal.last('result')?.body ?? (await resultOf(work))
    await sender.finish()
    await sendResult(work, body)
    journal.note({ is: 'taken' })
    say('info', 'a deployment ends', { id, ok: body['ok'], message: body['message'] })
  } catch (error) {
    if (!(error instanceof Halted)) throw error
    say('warn', 'a deployment is left as it is', { id, why: error.halt })
    if (error.halt === 'ending') await Promise.race([sender.finish(), pause(lastLinesMs)])
  } finally {
    sending.abort()
    lease.close()
    output.close()
    journal.close()
  }
}

async function resultOf(work: Work): Promise<Record<string, unknown>> {
  const { journal, releases } = work
  const outcome = await perform(work)
  const body = { ...outcome, release: releases.running(), hooks: journal.finished() }
  journal.note({ is: 'result', body })
  return body
}

/** Tries a claim of results that the service cannot read. It gives the work again five times, and then gives it up. */
const maxUnread = 4

/**
 * Repeats the result until the service has it, or says that it is another's to give. One that the service cannot read
 * is made shorter, and is not repeated without end.
 */
async function sendResult(work: Work, body: Record<string, unknown>): Promise<void> {
  const { deployment, service, journal, lease, ended, say } = work
  const { id, fence } = deployment
  const backoff = createBackoff({ firstMs: 500, mostMs: 15_000 })
  const signal = AbortSignal.any([lease.lost, ended])
  for (let unread = 0; unread < maxUnread;) {
    const refused = journal.last('result-refused')
    const sent = refused ? shortOf(body, refused.status) : body
    try {
      const answer = await service.post(`deployments/${id}/result`, { fence, ...sent }, { signal })
      const { status, code } = answer
      if (status < 300) return
      if (status === 409 || status === 404) throw new Halted('lease_lost')
      say('error', 'the service does not take the result', { id, status, code })
      if (neverTaken.has(status)) {
        unread += 1
        if (!refused) journal.note({ is: 'result-refused', status, code })
      }
    } catch (error) {
      if (error instanceof Halted) throw error
      if (signal.aborted) throw new Halted(lease.lost.aborted ? 'lease_lost' : 'ending')
      say('warn', 'a result could not be sent', { id, why: messageOf(error) })
    }
    await backoff.wait(signal)
  }
  throw new Halted('result_refused')
}

/** What the service cannot do without. */
const shortOf = (
  { ok, refused, release }: Record<string, unknown>,
  status: number,
): Record<string, unknown> => ({
  ok,
  refused,
  message: `the service refused the whole result with status ${status}: its log has the rest`,
  release,
})

/** Before the agent ends. Lines that are not sent in it are sent at the next start. */
const lastLinesMs = 2_000

/** Where secrets cannot be masked, no line is shown. */
function maskOf(secrets: readonly string[]): Mask {
  const hidden = () => '[masked]'
  try {
    const mask = maskSecrets(secrets)
    return (text, maxLength) => {
      try {
        return mask(text, maxLength)
      } catch {
        return hidden()
      }
    }
  } catch {
    return hidden
  }
}
