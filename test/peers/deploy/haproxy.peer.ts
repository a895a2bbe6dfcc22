import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts } from '../../../engines/free-ports.ts'
import { hasBwrap } from '../../gateways/sandbox/shell-sandbox.ts'
import {
  deployingPipeline,
  type DeployingPipeline,
} from '../../harness/agents/deploying-pipeline.ts'
import { eventually } from '../../harness/eventually.ts'
import { gitHarness, peerMakers, type GitHarness } from '../../harness/git/git-harness.ts'
import { startServer, type PeerServer } from '../start-server.ts'

const hosts = ['host-1', 'host-2', 'host-3', 'host-4']

function hasTools(): boolean {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    execFileSync('which', ['wrk', 'python3'], { stdio: 'ignore' })
    return true
  } catch {
    console.log('skipped: install haproxy, wrk and python3 (Debian)')
    return false
  }
}

/** Commands of haproxy's Runtime API, and what the hooks of a host say to it. */
const admin = (port: number) => `#!/usr/bin/python3
import socket, sys
link = socket.create_connection(('127.0.0.1', ${port}))
link.sendall((sys.argv[1] + '\\n').encode())
print(link.makefile().read().strip())
`

const beginning = `#!/bin/sh
set -e
agent="$(dirname "$(dirname "$CC_RELEASE_PATH")")"
host="$(basename "$agent")"
`

/**
 * Takes the host out of the balance and waits until nobody is asking it. Another thread of haproxy may have chosen the
 * host just before and not count its request yet. Without `drain` it does not.
 */
const activate = ({ drain }: { drain: boolean }) =>
  drain
    ? `${beginning}
"$CC_RELEASE_PATH/hooks/admin" "set server app/$host state drain"
sleep 0.2
while [ "$("$CC_RELEASE_PATH/hooks/admin" 'show stat' | grep "^app,$host," | cut -d, -f5)" != 0 ]; do sleep 0.05; done
`
    : beginning

/** Restarts the service from the new release, and puts the host back once it answers with it. */
const health = `${beginning}
kill "$(cat "$agent.pid")"
until [ "$(python3 -c "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:$(cat "$agent.port")/page').read().decode().strip())" 2>&1)" = "$(cat "$CC_RELEASE_PATH/page")" ]; do sleep 0.1; done
"$CC_RELEASE_PATH/hooks/admin" "set server app/$host state ready"
`

const config = (ports: { front: number; admin: number }, servers: readonly number[]) => `
global
  stats socket ipv4@127.0.0.1:${ports.admin} level admin
defaults
  mode http
  retries 0
  option http-server-close
  timeout connect 2s
  timeout client 30s
  timeout server 10s
frontend front
  bind 127.0.0.1:${ports.front}
  default_backend app
backend app
  balance roundrobin
${servers.map((port, at) => `  server ${hosts[at]} 127.0.0.1:${port}`).join('\n')}
`

const deploy = `deploy:
  strategy: one-by-one
  strategies: { one-by-one: { kind: rolling, batch: 1 } }
  hooks:
    activate: { path: hooks/activate, timeout: 30s }
    health: { path: hooks/health, timeout: 30s }
`
const steps = 'mkdir -p dist; cp -r page hooks dist/; chmod 755 dist/hooks/*'

// A service of several hosts behind a load balancer, with clients that ask it all the time.
describe.skipIf(!hasBwrap || !hasTools())('a rolling deployment behind haproxy', () => {
  let harness: GitHarness
  let world: DeployingPipeline
  let balancer: PeerServer
  const folder = mkdtempSync(join(tmpdir(), 'cc-haproxy-'))
  const services: ChildProcess[] = []
  let front = 0

  beforeAll(async () => {
    const names = ['front', 'admin', ...hosts]
    const ports = await freePorts(names)
    const { front: port = 0, admin: adminPort = 0 } = ports
    front = port
    const servers = hosts.map((host) => ports[host] ?? 0)
    writeFileSync(join(folder, 'haproxy.cfg'), config({ front: port, admin: adminPort }, servers))
    balancer = await startServer(['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')], { port })
    harness = await gitHarness(peerMakers.gitlabPeer)
    world = await deployingPipeline(harness, { steps, deploy })
    await world.change({
      'hooks/admin': admin(adminPort),
      'hooks/activate': activate({ drain: true }),
      'hooks/health': health,
    })
    for (const [at, host] of hosts.entries()) {
      await world.addAgent(host)
      services.push(serve(join(world.folder, host), servers[at] ?? 0))
    }
  })
  afterAll(async () => {
    for (const service of services) if (service.pid) process.kill(-service.pid, 'SIGKILL')
    await world?.close()
    await harness?.close()
    await balancer?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Python's file server in what the link \`current\` points to, started again whenever it ends. */
  const serve = (agent: string, port: number): ChildProcess => {
    writeFileSync(`${agent}.port`, String(port))
    writeFileSync(`${agent}.pid`, '')
    const one = `cd -P ${agent}/current 2>/dev/null && echo $$ > ${agent}.pid && exec python3 -m http.server ${port} --bind 127.0.0.1`
    return spawn('sh', ['-c', `while :; do sh -c '${one}'; sleep 0.1; done`], {
      stdio: 'ignore',
      detached: true,
    })
  }
  const deployed = async () => {
    const run = await world.started()
    const shown = await world.ended(run)
    const lines = (await run.lines('deploy')).join('\n')
    expect(shown, `${shown.endMessage}\n${lines}\n${world.said()}`).toMatchObject({
      state: 'succeeded',
    })
    return lines
  }
  /** What wrk counted while the work was done. */
  const asked = async (
    work: () => Promise<unknown>,
  ): Promise<{ requests: number; failed: number }> => {
    const wrk = spawn('wrk', ['-t1', '-c8', '-d600s', `http://127.0.0.1:${front}/page`])
    let said = ''
    wrk.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const over = once(wrk, 'exit')
    try {
      await work()
    } finally {
      wrk.kill('SIGINT')
      await over
    }
    const number = (form: RegExp) =>
      [...said.matchAll(form)].flatMap((match) => match.slice(1).map(Number))
    const [requests = 0] = number(/(\d+) requests in/g)
    const failures = [
      ...number(/Non-2xx or 3xx responses: (\d+)/g),
      ...number(/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/g),
    ]
    return { requests, failed: failures.reduce((sum, count) => sum + count, 0) }
  }
  const pages = () =>
    hosts.map((host) => readFileSync(join(world.folder, host, 'current/page'), 'utf8').trim())

  test('no request fails while four hosts change their release one by one', async () => {
    await deployed()
    await eventually(async () => (await fetch(`http://127.0.0.1:${front}/page`)).ok)
    await world.change({ page: 'two\n' })
    const { requests, failed } = await asked(deployed)
    console.log(`${requests} requests, ${failed} failed`)
    expect(requests).toBeGreaterThan(1_000)
    expect(failed).toBe(0)
    expect(pages()).toEqual(hosts.map(() => 'two'))
  })

  test('without draining requests fail, and wrk counts them', async () => {
    await world.change({ page: 'three\n', 'hooks/activate': activate({ drain: false }) })
    const { failed } = await asked(deployed)
    expect(failed).toBeGreaterThan(0)
    expect(pages()).toEqual(hosts.map(() => 'three'))
  })
})
