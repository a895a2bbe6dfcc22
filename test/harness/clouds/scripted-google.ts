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
    if (path.endsWith(':searchAllResources'))
      return tooLong(request.query.get('query')) ?? state.handlers.search(request)
    return state.handlers.bill(request)
  }
  return Object.assign(state, {
    reset() {
      state.handlers = { ...usual }
      cloud.asked.length = 0
    },
  })
}

type Asset = { name: string; location?: string; [field: string]: unknown }

/**
 * Lists these assets as Cloud Asset does: those in which the words of one of the query's locations follow each other,
 * with page tokens that belong to the query.
 */
export const assetsOf =
  (assets: readonly Asset[], pageSize = 500): Answer =>
  ({ query: sent }) => {
    const query = sent.get('query') ?? ''
    const [from = '0', of = query] = sent.get('pageToken')?.split(' of ') ?? []
    if (of !== query) return googleRefusal(400, 'INVALID_ARGUMENT', { message: 'Bad page token' })
    const matching = assets.filter(({ location }) => query === '' || isAt(location ?? '', query))
    const end = Number(from) + Math.min(pageSize, Number(sent.get('pageSize')))
    const results = matching.slice(Number(from), end)
    return {
      body: { results, ...(end < matching.length && { nextPageToken: `${end} of ${query}` }) },
    }
  }

/** "Search query syntax": at most 10 comparisons and 2,048 characters. */
function tooLong(query: string | null): CloudAnswer | undefined {
  if (query === null || (locationsOf(query).length <= 10 && query.length <= 2_048)) return undefined
  return googleRefusal(400, 'INVALID_ARGUMENT', { message: 'The query is too long.' })
}

const locationsOf = (query: string): string[] =>
  (/^location:\((.*)\)$/.exec(query)?.[1] ?? '').split(' OR ')

/** The same page: words end at all characters but letters, digits, `_` and `&`, and case does not count. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9_&]+/)
    .filter(Boolean)

const isAt = (location: string, query: string): boolean =>
  locationsOf(query).some((one) =>
    ` ${wordsOf(location).join(' ')} `.includes(` ${wordsOf(one).join(' ')} `),
  )

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
