import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createCloudDoor, type Lending } from '../../../gateways/sandbox/cloud-door.ts'

const capability = 'the-capability-of-this-run'
const expiresAt = new Date(Date.now() + 3_600_000)
const aws = {
  kind: 'aws',
  accessKeyId: 'ASIA1',
  secretAccessKey: 'secret',
  sessionToken: 'token',
  expiresAt,
} as const

let closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing) close()
  closing = []
})

async function open(lend: () => Promise<Lending>) {
  const door = createCloudDoor({ capability, lend })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => door.close())
  const { port } = door.address() as AddressInfo
  const ask = async (
    path: string,
    init: { method?: string; body?: URLSearchParams; headers?: Record<string, string> } = {},
  ) => {
    const headers = { authorization: capability, ...init.headers }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })
    return { status: answer.status, body: await answer.json() }
  }
  const exchange = async (token: string) =>
    ask('/google/token', {
      method: 'POST',
      body: new URLSearchParams({ subject_token: token }),
      headers: { authorization: '' },
    })
  return { ask, exchange }
}

test('each cloud’s libraries are answered in their own dialect', async () => {
  const ofAws = await open(async () => ({ lent: aws }))
  expect(await ofAws.ask('/aws')).toEqual({
    status: 200,
    body: {
      AccessKeyId: 'ASIA1',
      SecretAccessKey: 'secret',
      Token: 'token',
      Expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  })
  const ofAzure = await open(async () => ({
    lent: { kind: 'azure', assertion: 'an-assertion', expiresAt },
  }))
  const bearer = { headers: { authorization: `Bearer ${capability}` } }
  expect(await ofAzure.ask('/azure?audience=api://AzureADTokenExchange', bearer)).toEqual({
    status: 200,
    body: { value: 'an-assertion' },
  })
  const ofGoogle = await open(async () => ({
    lent: { kind: 'gcp', accessToken: 'a-token', expiresAt },
  }))
  const source = await ofGoogle.ask('/google', bearer)
  expect((await ofGoogle.exchange(source.body.subject_token)).body).toMatchObject({
    access_token: 'a-token',
    token_type: 'Bearer',
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  })
})

test('401: another run’s capability, a part of one, or none, asks no cloud', async () => {
  let asked = 0
  const { ask, exchange } = await open(async () => {
    asked += 1
    return { lent: aws }
  })
  for (const authorization of ['', 'another', `${capability}x`, capability.slice(1)])
    for (const path of ['/aws', '/azure', '/google'])
      expect((await ask(path, { headers: { authorization } })).status, path).toBe(401)
  for (const token of ['', 'another']) expect((await exchange(token)).status).toBe(401)
  expect(asked).toBe(0)
})

test('400, 404: no token for another audience, no other path, no other cloud', async () => {
  const { ask, exchange } = await open(async () => ({
    lent: { kind: 'azure', assertion: 'an-assertion', expiresAt },
  }))
  for (const audience of ['sts.amazonaws.com', 'https://management.azure.com'])
    expect((await ask(`/azure?audience=${audience}`)).status).toBe(400)
  for (const path of ['/', '/aws/', '/latest/meta-data', '/aws/../../api'])
    expect((await ask(path)).status, path).toBe(404)
  expect((await ask('/aws')).status).toBe(404)
  expect((await exchange(capability)).status).toBe(404)
})

test('403, 503: why nothing is lent', async () => {
  const over = await open(async () => ({ how: 'over', reason: 'This run is over.' }))
  expect(await over.ask('/aws')).toMatchObject({
    status: 403,
    body: { message: 'This run is over.' },
  })
  const away = await open(async () => ({ how: 'unreachable', reason: 'AWS does not answer.' }))
  expect((await away.ask('/aws')).status).toBe(503)
})

test('a body beyond 64 KiB is not read', async () => {
  const { exchange } = await open(async () => ({ lent: aws }))
  await expect(exchange('x'.repeat(100_000))).rejects.toThrow()
})
