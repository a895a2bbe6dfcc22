import { createServer, type IncomingMessage, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBwrap, sh, type ShellSandbox, shellSandbox, why } from './shell-sandbox.ts'

const curl = 'curl -sS --max-time 10'

for (const kind of ['bubblewrap', 'process'] as const)
  describe.skipIf(kind === 'bubblewrap' && !hasBwrap)(
    `the network of a run in ${kind} (${why})`,
    () => {
      let shell: ShellSandbox
      let api: Server
      const seen: Array<{ line: string; body: string; headers: IncomingMessage['headers'] }> = []
      const hosts: string[] = []

      beforeAll(async () => {
        api = createServer((request, response) => {
          void text(request).then((body) => {
            seen.push({ line: `${request.method} ${request.url}`, body, headers: request.headers })
            response.end('from the api')
          })
        })
        await once(api.listen(0, '127.0.0.1'), 'listening')
        const { port } = api.address() as AddressInfo
        shell = await shellSandbox({
          kind,
          apiUrl: `http://127.0.0.1:${port}`,
          outbound: {
            privateHosts: [{ use: 'cloud', host: 'cloud.test', port }],
            lookup: async (host) => [
              { address: host.endsWith('.test') ? '127.0.0.1' : '169.254.169.254', family: 4 },
            ],
            onHost: (_label, host, allowed) => hosts.push(`${host} ${allowed}`),
          },
        })
      })
      afterAll(async () => {
        await shell?.close()
        api?.close()
      })

      test('the state endpoint accepts every method, and only the path of the run’s own state', async () => {
        const bench = await shell.open({ statePath: '/api/workspaces/7/state' })
        const run = (script: string) => sh(bench, script, { network: 'run' })
        const locked = await run(
          `${curl} -X LOCK -d '{"ID":"1"}' -H 'X-Forwarded-For: 8.8.8.8' '${bench.stateUrl}?ID=1'`,
        )
        expect(locked.text).toBe('from the api')
        expect(seen.at(-1)).toMatchObject({
          line: 'LOCK /api/workspaces/7/state?ID=1',
          body: '{"ID":"1"}',
        })
        expect(seen.at(-1)?.headers['x-forwarded-for']).toBeUndefined()
        const count = seen.length
        for (const path of [
          '/8/state',
          '/7/state/versions',
          '/7/state/../../8/state',
          '/7/%73tate',
          '/7/state%3f',
        ])
          expect(
            (
              await run(
                `${curl} --path-as-is -o /dev/null -w '%{http_code}' ${bench.stateUrl.replace('/7/state', path)}`,
              )
            ).text,
          ).toBe('404')
        expect(seen).toHaveLength(count)
        await bench.close()
      })

      test('it waits while the API restarts', async () => {
        const { port } = api.address() as AddressInfo
        api.close()
        api.closeAllConnections()
        const bench = await shell.open({ statePath: '/api/workspaces/7/state' })
        const asked = sh(bench, `${curl} ${bench.stateUrl}`, { network: 'run' })
        await sleep(600)
        await once(api.listen(port, '127.0.0.1'), 'listening')
        expect((await asked).text).toBe('from the api')
        await bench.close()
      })

      test('the egress proxy refuses the metadata address and names that resolve to it', async () => {
        const bench = await shell.open()
        for (const target of [
          'https://169.254.169.254/',
          'https://rebound.example/',
          'https://[fd00:ec2::254]/',
          'https://127.0.0.1:5432/',
        ]) {
          const end = await sh(bench, `${curl} -p -x ${bench.proxyUrl} ${target}`, {
            network: 'run',
          })
          expect(end.text).toContain('403')
        }
        expect(hosts).toContain('rebound.example:443 false')
        await bench.close()
      })

      test('the egress proxy allows addresses that the operator opened, also over http', async () => {
        const { port } = api.address() as AddressInfo
        const bench = await shell.open()
        const opened = `http://cloud.test:${port}/x`
        const plain = await sh(bench, `${curl} -x ${bench.proxyUrl} ${opened}`, { network: 'run' })
        expect(plain.text).toBe('from the api')
        const tunnel = await sh(bench, `${curl} -p -x ${bench.proxyUrl} ${opened}`, {
          network: 'run',
        })
        expect(tunnel.text).toBe('from the api')
        const code = `-o /dev/null -w '%{http_code}'`
        const other = await sh(
          bench,
          `${curl} ${code} -x ${bench.proxyUrl} http://other.test:${port}/`,
          { network: 'run' },
        )
        // Refused before a DNS look-up or a connection.
        expect(other.text).toBe('403')
        await bench.close()
      })

      test('a step with the network `none` reaches neither', async () => {
        if (kind === 'process') return
        const bench = await shell.open({ statePath: '/api/workspaces/7/state' })
        const end = await sh(bench, `${curl} ${bench.stateUrl}; ${curl} ${bench.proxyUrl}`)
        expect(end.text).toMatch(/connect/i)
        expect(end.exitCode).toBe(7)
        await bench.close()
      })
    },
  )
