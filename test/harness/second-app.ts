import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { createApp } from '../../api/app.ts'
import { databaseLogins } from '../../gateways/keyring/database-logins.ts'
import { connectStore } from '../../store/driver/connect.ts'
import type { Harness } from './create-harness.ts'
import type { TestUser } from './test-user.ts'

export type SecondApp = {
  app: FastifyInstance
  /** The same signed-in user, with requests to the other API. */
  call(
    user: TestUser,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    place: { url: string; body?: unknown },
  ): Promise<LightMyRequestResponse>
  close(): Promise<void>
}

/**
 * Another API over the same database with its own connection pools, as a second process would be.
 * Rules that hold here hold across processes.
 */
export async function createSecondApp({ deps, config, secrets }: Harness): Promise<SecondApp> {
  const store = connectStore(databaseLogins(config), 8, { isShared: true })
  const app = await createApp({ ...deps, store })
  secrets.follow(app)
  return {
    app,
    call: async (user, method, { url, body }) =>
      app.inject({
        method,
        url,
        ...(body !== undefined && { payload: body as object }),
        headers: { cookie: `cc_session=${user.cookie}`, origin: config.baseUrl },
      }),
    async close() {
      await app.close()
      await store.close()
    },
  }
}
