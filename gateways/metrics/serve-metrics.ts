import { createServer, type Server } from 'node:http'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

/**
 * Serves `GET /metrics` for Prometheus, on an address of its own, so that it is never reachable
 * where the API is. If its port is in use, the service runs without metrics.
 */
export function serveMetrics(
  registry: Registry,
  { host, port, log }: { host: string; port: number; log: Pick<Logger, 'warn'> },
): Server {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    )
  })
  server.on('error', (error) => log.warn({ err: error, port }, 'no metrics'))
  return server.listen(port, host)
}
