import { type CloudAnswer, type CloudRequest, startScriptedCloud } from './scripted-cloud.ts'

export const subscription = '0b1f6471-1bf0-4dda-aec3-cb9272f09590'
export const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'

/**
 * Entra and Resource Manager as a test says. The answers have the form of Microsoft's published examples
 * (`azure-rest-api-specs`: resourcegraph 2024-04-01 ResourcesBasicQuery, authorization 2022-04-01
 * GetPermissions, subscriptions 2022-12-01 GetSubscription), and the SDK's own parsers read them.
 */
export type ScriptedAzure = Awaited<ReturnType<typeof startScriptedAzure>>

type Answer = (request: CloudRequest) => CloudAnswer

export async function startScriptedAzure() {
  const cloud = await startScriptedCloud()
  const usual = {
    token: (() => ({
      body: { token_type: 'Bearer', expires_in: 3_599, access_token: 'the-access-token' },
    })) as Answer,
    subscription: (() => ({
      body: {
        id: `/subscriptions/${subscription}`,
        subscriptionId: subscription,
        tenantId: tenant,
        displayName: 'My Subscription',
        state: 'Enabled',
      },
    })) as Answer,
    permissions: (() => ({
      body: {
        value: [{ actions: ['*/read'], notActions: [], dataActions: [], notDataActions: [] }],
      },
    })) as Answer,
    graph: (() => graphPage([])) as Answer,
    blobs: (() => ({ status: 404 })) as Answer,
  }
  const state = { cloud, handlers: { ...usual } }
  cloud.answer = (request) => {
    const path = request.path.replace(/\/$/, '')
    if (path.endsWith('/oauth2/v2.0/token')) return state.handlers.token(request)
    if (path.endsWith('/.well-known/openid-configuration')) return openIdConfiguration(path)
    if (path.endsWith('/permissions')) return state.handlers.permissions(request)
    if (path === '/providers/Microsoft.ResourceGraph/resources')
      return state.handlers.graph(request)
    if (request.query.get('comp') === 'list') return state.handlers.blobs(request)
    return state.handlers.subscription(request)
  }
  return Object.assign(state, {
    reset() {
      state.handlers = { ...usual }
      cloud.asked.length = 0
    },
  })
}

export function graphPage(data: object[], skipToken?: string): CloudAnswer {
  return {
    body: {
      totalRecords: data.length,
      count: data.length,
      data,
      facets: [],
      resultTruncated: 'false',
      ...(skipToken !== undefined && { $skipToken: skipToken }),
    },
  }
}

export const azureRefusal = (status: number, code: string, message = code): CloudAnswer => ({
  status,
  body: { error: { code, message } },
})

/** Entra's answer to a refused sign-in. It repeats what it was sent, as the worst of them do. */
export const signInRefusal = (code: number, { body }: CloudRequest): CloudAnswer => ({
  status: 401,
  body: {
    error: 'invalid_client',
    error_description: `AADSTS${code}: refused. Trace ID: x ${body}`,
    error_codes: [code],
  },
})

function openIdConfiguration(path: string): CloudAnswer {
  const tenantPath = path.split('/')[1]
  const base = `https://login.microsoftonline.com/${tenantPath}`
  return {
    body: {
      token_endpoint: `${base}/oauth2/v2.0/token`,
      authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
      end_session_endpoint: `${base}/oauth2/v2.0/logout`,
      jwks_uri: `${base}/discovery/v2.0/keys`,
      issuer: `${base}/v2.0`,
    },
  }
}
