import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Deps } from '../../api/deps.ts'
import { sessionCookieOf } from '../../api/http/https.ts'
import { newSecret, newToken } from '../../domain/access/credentials.ts'
import type { Role } from '../../domain/access/roles.ts'
import { tokens } from '../../store/tokens/tokens.ts'
import { sessions } from '../../store/users/sessions.ts'

export type TestUser = {
  id: number
  organizationId: number
  email: string
  cookie: string
  get(url: string, options?: InjectOptions): Promise<LightMyRequestResponse>
  post(url: string, body?: unknown, options?: InjectOptions): Promise<LightMyRequestResponse>
  put(url: string, body?: unknown, options?: InjectOptions): Promise<LightMyRequestResponse>
  patch(url: string, body?: unknown, options?: InjectOptions): Promise<LightMyRequestResponse>
  delete(url: string): Promise<LightMyRequestResponse>
  /** An API token of this user, for requests without a cookie. */
  token(role?: Role): Promise<string>
}

/**
 * A signed-in user. The session is inserted directly, which saves the second that password hashing
 * takes.
 */
export async function createTestUser(
  app: FastifyInstance,
  deps: Deps,
  person: { id: number; organizationId: number; email: string },
): Promise<TestUser> {
  const { id, organizationId, email } = person
  const secret = newSecret()
  await deps.store.tenant(organizationId, async (tenant) =>
    sessions(tenant).create({
      userId: id,
      tokenHash: secret.hash,
      ip: '127.0.0.1',
      userAgent: 'test',
    }),
  )
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    options: InjectOptions = {},
  ) =>
    app.inject({
      method,
      url,
      ...(body !== undefined && { payload: body as object }),
      ...options,
      headers: {
        cookie: `${sessionCookieOf(deps.config)}=${secret.plain}`,
        ...(method !== 'GET' && { origin: deps.config.baseUrl }),
        ...options.headers,
      },
    })
  return {
    id,
    organizationId,
    email,
    cookie: secret.plain,
    get: async (url, options) => call('GET', url, undefined, options),
    post: async (url, body, options) => call('POST', url, body, options),
    put: async (url, body, options) => call('PUT', url, body, options),
    patch: async (url, body, options) => call('PATCH', url, body, options),
    delete: async (url) => call('DELETE', url),
    async token(role = 'Org Admin') {
      const made = newToken('pat')
      await deps.store.tenant(organizationId, async (tenant) =>
        tokens(tenant).createApiToken(id, {
          name: 'test',
          role,
          expiresInDays: 1,
          hash: made.hash,
          prefix: made.prefix,
        }),
      )
      return made.plain
    },
  }
}
