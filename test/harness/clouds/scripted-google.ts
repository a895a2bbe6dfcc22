import { type CloudAnswer, type CloudRequest, startScriptedCloud } from './scripted-cloud.ts'

/**
 * Google's token hosts, Cloud Asset and Resource Manager as a test says. The answers have the form of Google's
 * discovery documents (cloudasset v1 SearchAllResourcesResponse, cloudresourcemanager v3
 * TestIamPermissionsResponse) and of RFC 6749 and RFC 8693; Google's own library reads them.
 */
export type ScriptedGoogle = Awaited<ReturnType<typeof startScriptedGoogle>>

type Answer = (request: CloudRequest) => CloudAnswer

export async function startScriptedGoogle() {
  const cloud = await startScriptedCloud()
  const usual = {
    token: (() => ({
      body: { access_token: 'the-access-token', token_type: 'Bearer', expires_in: 3_599 },
    })) as Answer,
    exchange: (() => ({
      body: {
        access_token: 'the-federated-token',
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 3_599,
      },
    })) as Answer,
    impersonate: (() => ({
      body: {
        accessToken: 'the-impersonated-token',
        expireTime: new Date(Date.now() + 3_600_000).toISOString(),
      },
    })) as Answer,
    test: (({ body }) => ({ body: JSON.parse(body) })) as Answer,
    search: (() => ({ body: {} })) as Answer,
    bill: (() => ({ body: {} })) as Answer,
  }
  const state = { cloud, handlers: { ...usual } }
  cloud.answer = (request) => {
    const { path } = request
    if (path === '/token') return state.handlers.token(request)
    if (path === '/v1/token') return state.handlers.exchange(request)
    if (path.endsWith(':generateAccessToken')) return state.handlers.impersonate(request)
    if (path.endsWith(':testIamPermissions')) return state.handlers.test(request)
    if (path.endsWith(':searchAllResources')) return state.handlers.search(request)
    return state.handlers.bill(request)
  }
  return Object.assign(state, {
    reset() {
      state.handlers = { ...usual }
      cloud.asked.length = 0
    },
  })
}

/** `{ error: { code, message, status, details } }` (AIP-193). */
export const googleRefusal = (
  code: number,
  status: string,
  more: { message?: string; reason?: string } = {},
): CloudAnswer => ({
  status: code,
  body: {
    error: {
      code,
      message: more.message ?? status,
      status,
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: more.reason }],
    },
  },
})

/** RFC 6749 5.2. It repeats what it was sent, as the worst of them do. */
export const tokenRefusal = (error: string, described: string, { body }: CloudRequest) => ({
  status: 400,
  body: { error, error_description: `${described} ${body}` },
})
