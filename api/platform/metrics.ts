import type { FastifyInstance } from 'fastify'
import { Gauge, Histogram, Registry } from 'prom-client'
import {
  countDeadOutbox,
  countLiveRuns,
  oldestOutboxSeconds,
} from '../../store/platform/measure-queues.ts'
import type { Deps } from '../deps.ts'

/**
 * What the API tells Prometheus (gateways/metrics/serve-metrics.ts).
 * Labels are routes and states: no organization, no name, no address. What is the process's own, such as its
 * memory, is added where the process starts: its observers live as long as the process.
 */
export function observe(app: FastifyInstance, deps: Deps): Registry {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'cc_http_request_duration_seconds',
    help: 'Time from request to answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  app.whenOver(({ method, routeOptions }, reply, answered) => {
    const route = routeOptions.url ?? 'none'
    const status = answered ? reply.statusCode : 'aborted'
    requests.observe({ method, route, status }, reply.elapsedTime / 1_000)
  })

  const gauge = (name: string, help: string, collect: (gauge: Gauge<'phase'>) => Promise<void>) =>
    new Gauge({
      name,
      help,
      labelNames: ['phase'],
      registers: [registry],
      async collect() {
        // A scrape shows what is available while the database is down.
        await collect(this).catch(() => undefined)
      },
    })
  const { platform } = deps.store
  gauge('cc_runs', 'Runs that are not over, by phase', async (runs) => {
    runs.reset()
    for (const { phase, count } of await countLiveRuns(platform)) runs.set({ phase }, count)
  })
  gauge('cc_outbox_oldest_seconds', 'Age of the oldest message to Temporal', async (oldest) =>
    oldest.set(await oldestOutboxSeconds(platform)),
  )
  gauge('cc_outbox_dead', 'Messages to Temporal that were given up', async (dead) =>
    dead.set(await countDeadOutbox(platform)),
  )
  return registry
}
