import { randomUUID } from 'node:crypto'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { TestWorkspace } from '../../harness/test-organization.ts'

export type StateClient = {
  read(): Promise<LightMyRequestResponse>
  write(body: unknown, lockId?: string): Promise<LightMyRequestResponse>
  lock(info?: Record<string, unknown>): Promise<LightMyRequestResponse>
  unlock(info: Record<string, unknown>): Promise<LightMyRequestResponse>
}

/**
 * A client of OpenTofu's http backend protocol for one workspace. The token is the password of
 * basic auth, as in OpenTofu.
 */
export function stateClient(
  app: FastifyInstance,
  { url }: Pick<TestWorkspace, 'url'>,
  token: string,
): StateClient {
  const authorization = `Basic ${Buffer.from(`tofu:${token}`).toString('base64')}`
  const call = async (method: string, path: string, body?: unknown) =>
    app.inject({
      method,
      url: path,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
  return {
    read: async () => call('GET', `${url}/state`),
    write: async (body, lockId) =>
      call('POST', `${url}/state${lockId === undefined ? '' : `?ID=${lockId}`}`, body),
    lock: async (info = lockInfo()) => call('LOCK', `${url}/state`, info),
    unlock: async (info) => call('UNLOCK', `${url}/state`, info),
  }
}

export const lockInfo = (fields: Record<string, unknown> = {}) => ({
  ID: randomUUID(),
  Operation: 'OperationTypePlan',
  Info: '',
  Who: 'somebody@laptop',
  Version: '1.12.6',
  Created: '2026-01-02T03:04:05.123456789Z',
  Path: '',
  ...fields,
})

/** A state with one resource, in OpenTofu's format. */
export const stateOf = (serial: number, fields: Record<string, unknown> = {}) => ({
  version: 4,
  terraform_version: '1.12.6',
  serial,
  lineage: 'lineage-one',
  outputs: {
    open: { value: `serial ${serial}`, type: 'string' },
    hidden: { value: 'hunter2', type: 'string', sensitive: true },
  },
  resources: [
    {
      mode: 'managed',
      type: 'terraform_data',
      name: 'one',
      provider: 'provider["builtin"]',
      instances: [
        { index_key: 'a', attributes: { input: 'attribute-secret' } },
        { index_key: 'b', attributes: {} },
      ],
    },
    {
      module: 'module.net',
      mode: 'data',
      type: 'terraform_data',
      name: 'read',
      provider: 'provider["builtin"]',
      instances: [{ attributes: {} }],
    },
  ],
  ...fields,
})
