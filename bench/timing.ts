import { randomBytes, randomInt } from 'node:crypto'
import { Agent, request } from 'node:http'
import { hashPassword } from '../gateways/passwords/passwords.ts'
import { users } from '../store/users/users.ts'
import { benchConfig } from './config.ts'
import { median, p95, table } from './figures.ts'
import { mannWhitney } from './mann-whitney.ts'
import { startPlatform, type Platform } from './start-platform.ts'

const each = benchConfig.rounds(200)
/** Below this p value, response times distinguish known from unknown addresses. */
const significance = 0.01
/** Chance alone gives one such result in a hundred. Three in a row are not chance. */
const attempts = 3

const routes = {
  '/auth/login': (email: string) => ({ email, password: 'not the password at all' }),
  '/auth/password/forgot': (email: string) => ({ email }),
}

/**
 * Checks whether response times reveal to an attacker that an address exists: distinct addresses of
 * each kind, in random order.
 */
export async function timingSuite(): Promise<boolean> {
  const platform = await startPlatform((line) => console.log(line))
  const rows = [['route', 'known p50 ms', 'unknown p50 ms', 'known p95', 'unknown p95', 'p']]
  let apart = false
  try {
    for (const [path, body] of Object.entries(routes)) {
      let p = 0
      for (let attempt = 0; attempt < attempts && p <= significance; attempt += 1) {
        const { known, unknown } = await measure(platform, path, body)
        p = mannWhitney(known, unknown)
        const cell = (value: number) => value.toFixed(2)
        rows.push([
          path,
          ...[median(known), median(unknown), p95(known), p95(unknown)].map(cell),
          p.toFixed(4),
        ])
      }
      apart ||= p <= significance
    }
  } finally {
    await platform.stop()
  }
  console.log(
    `\n${each} distinct addresses of each kind, interleaved at random\n\n${table(rows)}\n`,
  )
  console.log(apart ? 'told apart: p ≤ 0.01, again and again' : 'not told apart: p > 0.01')
  return !apart
}

type Kind = 'known' | 'unknown'

async function measure(
  platform: Platform,
  path: string,
  bodyOf: (email: string) => object,
): Promise<Record<Kind, number[]>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post = async (email: string) => timePost(agent, platform.address + path, bodyOf(email))
  const order = shuffled<[Kind, string]>([
    ...(await makeAccounts(platform)).map((email): [Kind, string] => ['known', email]),
    ...Array.from({ length: each }, (): [Kind, string] => ['unknown', newAddress()]),
  ])
  // The first requests compile code and open connections.
  for (let n = 0; n < 20; n += 1) await post(newAddress())
  const times: Record<Kind, number[]> = { known: [], unknown: [] }
  for (const [kind, email] of order) times[kind].push(await post(email))
  agent.destroy()
  return times
}

/** Addresses of equal length in one domain, so that they differ only in whether they exist. */
const newAddress = () => `u${randomBytes(8).toString('hex')}@demo.example`

async function makeAccounts({ store }: Platform): Promise<string[]> {
  const passwordHash = await hashPassword(randomBytes(15).toString('base64url'))
  const emails = Array.from({ length: each }, newAddress)
  await store.tenant(1, async (tenant) => {
    for (const email of emails)
      await users(tenant).create({ email, name: 'Somebody', role: 'Viewer', passwordHash })
  })
  return emails
}

function shuffled<T>(items: readonly T[]): T[] {
  const rest = [...items]
  return items.flatMap(() => rest.splice(randomInt(rest.length), 1))
}

async function timePost(agent: Agent, url: string, body: object): Promise<number> {
  const payload = JSON.stringify(body)
  const since = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      response.resume()
      response.on('end', () => resolve(performance.now() - since))
    })
    sent.end(payload)
  })
}
