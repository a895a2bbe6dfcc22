import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig, Secret } from '../config.ts'
import { expectAnswer } from '../engines/expect-answer.ts'
import { freePorts } from '../engines/free-ports.ts'
import { databaseLogins, type DatabaseLogins } from '../gateways/keyring/database-logins.ts'
import { nodeFlags } from '../scripts/start/node-flags.ts'
import { connectOwner } from '../store/driver/connect.ts'
import { benchConfig } from './config.ts'
import type { seedOrganization, Size } from './seed-organization.ts'

export type BenchApi = {
  address: string
  databaseUrl: string
  cookie: string
  pid: number
  stop: () => Promise<void>
}

const thisCopy = join(import.meta.dirname, '..')
const email = 'owner@demo.example'

/**
 * The API of a working copy as a separate process, with its own database filled to this size. `logins` are those of
 * that database.
 */
export async function startApi(
  at: { databaseUrl: string; name: string; dataDir: string; root?: string },
  size: Size,
): Promise<BenchApi & { logins: DatabaseLogins }> {
  const admin = connectOwner(new Secret(at.databaseUrl))
  await admin.raw(`create database ${at.name}`)
  await admin.destroy()
  const url = new URL(at.databaseUrl)
  url.pathname = `/${at.name}`
  const password = randomBytes(15).toString('base64url')
  const { api: port } = await freePorts(['api'])
  const address = `http://127.0.0.1:${port}`
  const env = {
    NODE_OPTIONS: benchConfig.nodeOptions,
    CC_DATA_DIR: at.dataDir,
    CC_PORT: String(port),
    CC_METRICS_PORT: '0',
    CC_BASE_URL: address,
    CC_KEYRING: `bench=${randomBytes(32).toString('base64')}`,
    // High limits, because one session or token sends requests as fast as it can.
    CC_RATE_LIMITS: 'token=100000000,scim=100000000,address=100000000',
    CC_BOOTSTRAP_EMAIL: email,
    CC_BOOTSTRAP_PASSWORD: password,
    DATABASE_URL: url.href,
    // This bench does not use Temporal.
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  }
  const { stop, pid } = start(at.root ?? thisCopy, [...nodeFlags.api, 'api/server.ts'], env)
  await untilUp(`${address}/healthz`)
  const owner = connectOwner(new Secret(url.href))
  await (
    await seederOf(at.root ?? thisCopy)
  )(owner, size)
  await owner.destroy()
  const answer = await fetch(`${address}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ email, password }),
  })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (!cookie) throw new Error(`no session: ${await answer.text()}`)
  const logins = databaseLogins(readConfig(env))
  return { address, databaseUrl: url.href, cookie, pid, stop, logins }
}

/** The working copy's own, which knows the tables as they are there. */
async function seederOf(root: string): Promise<typeof seedOrganization> {
  const module = (await import(join(root, 'bench/seed-organization.ts'))) as {
    seedOrganization: typeof seedOrganization
  }
  return module.seedOrganization
}

/** Fastify and pg alone, with the same database server. */
export async function startBare(databaseUrl: string, database: string): Promise<BenchApi> {
  const url = new URL(databaseUrl)
  url.pathname = `/${database}`
  const { bare: port } = await freePorts(['bare'])
  const { stop, pid } = start(thisCopy, ['bench/bare-server.ts'], {
    DATABASE_URL: url.href,
    PORT: String(port),
  })
  const address = `http://127.0.0.1:${port}`
  await untilUp(`${address}/row/1`)
  return { address, databaseUrl: url.href, cookie: '', pid, stop }
}

function start(
  cwd: string,
  script: string[],
  env: NodeJS.ProcessEnv,
): Pick<BenchApi, 'pid' | 'stop'> {
  const child: ChildProcess = spawn(process.execPath, script, {
    cwd,
    env: { PATH: benchConfig.path, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, stop }
}

async function untilUp(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1)
    try {
      await expectAnswer(url)
      return
    } catch (error) {
      if (tries > 300) throw error
      await sleep(200)
    }
}
