import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApp } from '../../../api/app.ts'
import { Secret } from '../../../config.ts'
import { createKeyring } from '../../../gateways/keyring/keyring.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'
import { lockInfo, stateClient, stateOf } from './state-client.ts'

/** The statement of docs/runbook.md, "A key is missing from the keyring". */
const deleteOfRunbook =
  /```sql\n(delete from retired_values[^`]*)```/.exec(
    readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8'),
  )?.[1] ?? ''

describe('sensitive values whose key the keyring has lost', () => {
  let harness: Harness
  /** The service after its key was lost: it has another one. */
  let app: FastifyInstance
  beforeAll(async () => {
    harness = await createHarness()
    const key = new Secret(randomBytes(32).toString('base64'))
    app = await createApp({ ...harness.deps, keyring: createKeyring([{ id: 'other', key }]) })
  })
  afterAll(async () => {
    await app.close()
    await harness.close()
  })

  const made = async () => {
    const org = await harness.organization()
    const owner = await org.user('Owner')
    const workspace = await org.workspace({ by: owner })
    const { url } = workspace
    // With the other key, so that only values of variables have the lost one.
    const client = stateClient(app, workspace, await owner.token('Deployer'))
    const info = lockInfo()
    await client.lock(info)
    expect((await client.write(stateOf(1), info.ID)).statusCode).toBe(200)
    const add = async (key: string) => {
      const body = { key, value: `${key}-of-the-lost-key`, sensitive: true }
      return `${url}/variables/${(await owner.post(`${url}/variables`, body)).json().variable.id}`
    }
    const viewer = await org.user('Viewer')
    const ask = async (method: 'DELETE' | 'PATCH' | 'GET', path: string, payload?: object) =>
      app.inject({
        method,
        url: path,
        headers: {
          cookie: `cc_session=${(method === 'GET' ? viewer : owner).cookie}`,
          origin: harness.config.baseUrl,
        },
        ...(payload && { payload }),
      })
    return { owner, url, add, ask }
  }

  test('200: a variable gets a new value, or is deleted', async () => {
    const { url, add, ask } = await made()
    const [changed, deleted] = [await add('changed'), await add('deleted')]
    expect((await ask('GET', `${url}/outputs`)).json().code).toBe('keyring_unavailable')
    expect((await ask('PATCH', changed, { value: 'entered-again' })).statusCode).toBe(200)
    expect((await ask('DELETE', deleted)).statusCode).toBe(200)
    expect((await ask('GET', `${url}/outputs`)).statusCode).toBe(200)
  })

  test('503: earlier values stay hidden until an operator deletes them, and /readyz says so', async () => {
    const { owner, url, add, ask } = await made()
    const { platform } = harness.deps.store
    expect((await owner.delete(await add('token'))).statusCode).toBe(200)
    await platform('configuration_versions').delete()
    const keyring = async () => {
      // It is checked once a second.
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001)
      return (await app.inject('/readyz')).json().keyring
    }
    onTestFinished(() => void vi.restoreAllMocks())
    expect(await keyring()).toEqual({
      ok: false,
      detail: 'lacks a key that the store is sealed with',
    })
    expect((await ask('GET', `${url}/outputs`)).json().code).toBe('keyring_unavailable')
    await platform.raw(deleteOfRunbook.replace(`('k1', 'k2')`, `('other', 'test')`))
    expect(await platform('retired_values').pluck('key')).toEqual(['token'])
    await platform.raw(deleteOfRunbook.replace(`('k1', 'k2')`, `('other')`))
    expect(await platform('retired_values').pluck('key')).toEqual([])
    expect(await keyring()).toEqual({ ok: true })
    expect((await ask('GET', `${url}/outputs`)).statusCode).toBe(200)
  })
})
