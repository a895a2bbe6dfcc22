import { Halted, messageOf } from '../faults.ts'
import type { Say } from '../say.ts'
import { pause } from '../service/backoff.ts'
import { neverTaken, type Answer } from '../service/call-service.ts'
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
  /** While it runs, the lease is not lost because the service refuses a heartbeat. */
  duringHook<T>(hook: () => Promise<T>): Promise<T>
  lose: () => void
  close(): void
}

const everyMs = 10_000
/** A refusal is of something that a person mends, so it is asked for less often. */
const againMs = { away: 2_000, refused: everyMs }
const usualLeaseMs = 45_000

/** `refused`: the service answered, and said nothing of the lease, as for a token that it does not know any more. */
type Beat = 'answered' | 'refused' | 'away'

/**
 * Holds the lease by a heartbeat every 10 seconds. A hook that runs is not ended because the service is away or refuses
 * the heartbeat: what it does is one step, and half of a step is worse. The next step waits while the service is away.
 * Where the service refuses, the lease is lost once it is over and no hook runs: a new claim then says what is wrong.
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
  let hookRuns = false

  const take = (answer: Answer, askedAt: number): Beat => {
    const { status, code, body } = answer
    if (status === 200 && body['leaseUntil'] !== null) {
      heldUntil = until(body['leaseUntil'], { dateMs: answer.dateMs, askedAt })
      onAnswer(body)
      if (body['stop'] === true) halt('stopped')
      return 'answered'
    }
    const isRefused = ![200, 404, 409].includes(status)
    if (isRefused && (hookRuns || performance.now() < heldUntil)) {
      say('warn', 'the service refuses a heartbeat', { deploymentId, status, code })
      return 'refused'
    }
    say('warn', 'the lease is lost', { deploymentId, status, code })
    lose()
    return 'answered'
  }
  const beat = async (): Promise<Beat> => {
    const askedAt = performance.now()
    const [hook = told] = reports
    const body = { ...greeting(), deploymentId, fence, ...(hook && { hook }) }
    try {
      const answer = await service.post('heartbeat', body, { signal: closed.signal })
      const outcome = take(answer, askedAt)
      const isUnreadable = neverTaken.has(answer.status)
      if (outcome === 'refused' && !isUnreadable) return outcome
      // A report that the service cannot read would be refused again, and the lease with it.
      if (reports[0] === hook) reports.shift()
      told = isUnreadable ? undefined : hook
      return outcome
    } catch (error) {
      if (!closed.signal.aborted)
        say('warn', 'a heartbeat failed', { deploymentId, why: messageOf(error) })
      return 'away'
    }
  }
  const run = async () => {
    const isOver = () => closed.signal.aborted || lost.signal.aborted
    while (!isOver()) {
      if (reports.length === 0) await pause(everyMs, wake.signal)
      wake = new AbortController()
      for (;;) {
        if (isOver()) break
        const outcome = await beat()
        if (outcome === 'answered') break
        await pause(againMs[outcome] * (0.5 + Math.random()), closed.signal)
      }
    }
  }
  void run()
  const assertGoesOn = () => {
    halted.signal.throwIfAborted()
    ending.throwIfAborted()
  }
  const ask = async () => {
    for (;;) {
      const outcome = await beat()
      if (outcome === 'answered') break
      await pause(againMs[outcome], AbortSignal.any([ending, halted.signal]))
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
    async duringHook(hook) {
      hookRuns = true
      try {
        return await hook()
      } finally {
        hookRuns = false
      }
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
