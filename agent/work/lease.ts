import { Halted, messageOf } from '../faults.ts'
import type { Say } from '../say.ts'
import { pause } from '../service/backoff.ts'
import type { Answer } from '../service/call-service.ts'
import type { Deployment } from '../service/read-claim.ts'
import type { Service } from '../service/service.ts'

export type Lease = {
  /** Comes when work on the deployment ends early, with a `Halted` as its reason. */
  signal: AbortSignal
  /** Comes when the lease is lost: the service then takes neither lines nor a result. */
  lost: AbortSignal
  /**
   * Throws `Halted` where nothing more may be changed. Where the lease may have run out because the service could not
   * be asked, waits until it says who holds it. Asked before every step.
   */
  assertHeld(): Promise<void>
  /** Asks the service at once, and again until it answers: what it knows may be newer. */
  ask(): Promise<void>
  /** Tells the service of a hook at once. */
  report(hook: Record<string, unknown>): void
  lose: () => void
  close(): void
}

const everyMs = 10_000
const retryMs = 2_000
const usualLeaseMs = 45_000

/**
 * Holds the lease by a heartbeat every 10 seconds. A hook that runs is not ended because the service is away: what it
 * does is one step, and half of a step is worse. The next step waits.
 */
export function keepLease({
  service,
  deployment,
  claimed,
  greeting,
  ending,
  onAnswer,
  say,
}: {
  service: Service
  deployment: Deployment
  /** The answer of the claim, and when it was asked for. */
  claimed: { dateMs: number | undefined; askedAt: number }
  greeting: () => Record<string, unknown>
  /** Comes when the agent is to end. */
  ending: AbortSignal
  /** With each answer of the service that has its keys. */
  onAnswer: (body: Record<string, unknown>) => void
  say: Say
}): Lease {
  const { id: deploymentId, fence } = deployment
  const halted = new AbortController()
  const closed = new AbortController()
  const lost = new AbortController()
  const halt = (why: Halted['halt']) => halted.abort(new Halted(why))
  const lose = () => {
    halt('lease_lost')
    lost.abort(new Halted('lease_lost'))
  }
  const until = (leaseUntil: unknown, asked: { dateMs: number | undefined; askedAt: number }) =>
    asked.askedAt + leaseMs(leaseUntil, asked.dateMs)
  let heldUntil = until(deployment.leaseUntil, claimed)
  /** Not told yet; the last one that was is repeated. */
  const reports: Record<string, unknown>[] = []
  let told: Record<string, unknown> | undefined
  let wake = new AbortController()

  const take = (answer: Answer, askedAt: number) => {
    const { status, code, body } = answer
    if (status === 200 && body['leaseUntil'] !== null) {
      heldUntil = until(body['leaseUntil'], { dateMs: answer.dateMs, askedAt })
      onAnswer(body)
      if (body['stop'] === true) halt('stopped')
      return
    }
    say('warn', 'the lease is lost', { deploymentId, status, code })
    lose()
  }
  /** False if the service could not be asked. */
  const beat = async (): Promise<boolean> => {
    const askedAt = performance.now()
    const [hook = told] = reports
    const body = { ...greeting(), deploymentId, fence, ...(hook && { hook }) }
    try {
      take(await service.post('heartbeat', body, { signal: closed.signal }), askedAt)
      if (reports[0] === hook) reports.shift()
      told = hook
      return true
    } catch (error) {
      if (!closed.signal.aborted)
        say('warn', 'a heartbeat failed', { deploymentId, why: messageOf(error) })
      return false
    }
  }
  const run = async () => {
    const isOver = () => closed.signal.aborted || lost.signal.aborted
    while (!isOver()) {
      if (reports.length === 0) await pause(everyMs, wake.signal)
      wake = new AbortController()
      while (!isOver() && !(await beat()))
        await pause(retryMs * (0.5 + Math.random()), closed.signal)
    }
  }
  void run()
  const assertGoesOn = () => {
    halted.signal.throwIfAborted()
    ending.throwIfAborted()
  }
  const ask = async () => {
    while (!(await beat())) {
      await pause(retryMs, AbortSignal.any([ending, halted.signal]))
      assertGoesOn()
    }
    assertGoesOn()
  }

  return {
    signal: halted.signal,
    lost: lost.signal,
    async assertHeld() {
      assertGoesOn()
      if (performance.now() >= heldUntil) await ask()
    },
    ask,
    report(hook) {
      reports.push(hook)
      wake.abort()
    },
    lose,
    close() {
      closed.abort()
      wake.abort()
    },
  }
}

/**
 * How long a lease lasts, by the service's own clock: the host's may be wrong. The header `Date` has whole seconds, so
 * one is taken off.
 */
function leaseMs(leaseUntil: unknown, dateMs: number | undefined): number {
  const until = typeof leaseUntil === 'string' ? Date.parse(leaseUntil) : Number.NaN
  const ms = dateMs === undefined ? Number.NaN : until - dateMs - 1_000
  return ms >= 0 && ms <= 10 * usualLeaseMs ? ms : usualLeaseMs
}
