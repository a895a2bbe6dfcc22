import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { newToken } from '../../../domain/access/credentials.ts'
import { tokens } from '../../../store/tokens/tokens.ts'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ScimClient = {
  token: string
  call(
    method: Method,
    path: string,
    body?: unknown,
    options?: InjectOptions,
  ): Promise<LightMyRequestResponse>
  get(path: string): Promise<LightMyRequestResponse>
  post(path: string, body: unknown): Promise<LightMyRequestResponse>
  patch(path: string, ...operations: unknown[]): Promise<LightMyRequestResponse>
  put(path: string, body: unknown): Promise<LightMyRequestResponse>
  delete(path: string): Promise<LightMyRequestResponse>
  /** Creates a resource and returns the body of the answer. */
  user(userName: string, more?: object): Promise<{ id: string; [name: string]: unknown }>
  group(displayName: string, members?: string[]): Promise<{ id: string; [name: string]: unknown }>
  roleOf(id: string): Promise<string>
}

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A SCIM client with a token of this organization. */
export async function scimClient(harness: Harness, org: TestOrganization): Promise<ScimClient> {
  const { plain, hash, prefix } = newToken('scim')
  const owner = await org.user('Owner')
  await harness.deps.store.tenant(org.id, async (tenant) =>
    tokens(tenant).createScimToken(owner.id, { name: 'idp', hash, prefix }),
  )
  const call: ScimClient['call'] = async (method, path, body, options = {}) =>
    harness.app.inject({
      method,
      url: `/api/scim/v2${path}`,
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      ...options,
      headers: {
        authorization: `Bearer ${plain}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...options.headers,
      },
    })
  const made = async (path: string, body: object) => {
    const response = await call('POST', path, body)
    if (response.statusCode !== 201) throw new Error(`${path}: ${response.body}`)
    return response.json()
  }
  return {
    token: plain,
    call,
    get: async (path) => call('GET', path),
    post: async (path, body) => call('POST', path, body),
    put: async (path, body) => call('PUT', path, body),
    delete: async (path) => call('DELETE', path),
    patch: async (path, ...operations) =>
      call('PATCH', path, { schemas: [patchUrn], Operations: operations }),
    user: async (userName, more = {}) => made('/Users', { schemas: [userUrn], userName, ...more }),
    group: async (displayName, members) =>
      made('/Groups', {
        schemas: [groupUrn],
        displayName,
        ...(members && { members: members.map((value) => ({ value })) }),
      }),
    roleOf: async (id) => (await call('GET', `/Users/${id}`)).json().roles[0].value,
  }
}
