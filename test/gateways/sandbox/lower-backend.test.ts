import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseLogins } from '../../../gateways/keyring/database-logins.ts'
import { openCpuGroup } from '../../../gateways/sandbox/cpu-group.ts'
import { lowerBackend, type Backend } from '../../../gateways/sandbox/lower-backend.ts'
import { connectStore, type Store } from '../../../store/driver/connect.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const groupOf = (pid: number | string): string =>
  readFileSync(`/proc/${pid}/cgroup`, 'utf8')
    .split('\n')
    .find((line) => /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:/.test(line)) ?? ''

describe.skipIf(openCpuGroup('work') === undefined)('on a host with cgroup v1', () => {
  let harness: Harness
  let store: Store
  const backends: Backend[] = []
  beforeAll(async () => {
    harness = await createHarness()
    store = connectStore(databaseLogins(harness.config), 2, {
      onBackend: async (backend) => {
        backends.push(backend)
      },
    })
  })
  afterAll(async () => {
    await store.close()
    await harness.close()
  })

  test('the server’s process of a connection is put into the group of the worker’s', async () => {
    await store.tenant(1, async () => undefined)
    const [backend] = backends
    if (!backend) throw new Error('no connection was opened')
    expect(groupOf(backend.pid)).not.toContain('cloud-control-work')
    await lowerBackend(backend)
    expect(groupOf(backend.pid)).toContain('cloud-control-work')
  })

  test('a process that only has the same number is left where it is', async () => {
    const [backend] = backends
    const before = groupOf('self')
    await lowerBackend({ pid: process.pid, clientPort: backend?.clientPort ?? 0 })
    await lowerBackend({ pid: 0, clientPort: 0 })
    expect(groupOf('self')).toBe(before)
  })
})
