import { setTimeout as sleep } from 'node:timers/promises'
import type { CallApi } from '../call-api.ts'
import type { Platform } from '../start-platform.ts'
import type { BenchCloud } from './start-clouds.ts'

export type TimedSync = { seconds: number; seen: number; added: number; changed: number }

type Sync = { id: number; state: string; reason: string | null } & Omit<TimedSync, 'seconds'>

/** Connects the account, which starts its first sync. Returns its address and how the sync went. */
export async function connectAndSync(
  { call }: Platform,
  { name, account, port, count }: BenchCloud,
): Promise<{ url: string; sync: TimedSync }> {
  const since = performance.now()
  const { body } = await call('POST', '/cloud/accounts', {
    provider: 'aws',
    name: `${name} ${count}`,
    accountId: account,
    credentials: { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'a'.repeat(40) },
    endpoint: `http://127.0.0.1:${port}`,
    regions: ['us-east-1'],
  })
  // The answer of the API has this shape.
  const url = `/cloud/accounts/${(body['account'] as { id: number }).id}`
  return { url, sync: await untilEnded(call, { url, since, count }) }
}

export async function syncAgain(
  { call }: Platform,
  url: string,
  { count }: BenchCloud,
): Promise<TimedSync> {
  const since = performance.now()
  await call('POST', `${url}/sync`)
  return untilEnded(call, { url, since, count })
}

async function untilEnded(
  call: CallApi,
  { url, since, count }: { url: string; since: number; count: number },
): Promise<TimedSync> {
  for (;;) {
    const { body } = await call('GET', `${url}/syncs?limit=1`)
    // The answer of the API has this shape.
    const [newest] = body['syncs'] as Sync[]
    if (newest && newest.state !== 'running') {
      const { state, reason, seen, added, changed } = newest
      if (state !== 'succeeded' || seen !== count)
        throw new Error(`a sync of ${count} ${state} with ${seen}: ${reason}`)
      return { seconds: (performance.now() - since) / 1_000, seen, added, changed }
    }
    await sleep(100)
  }
}
