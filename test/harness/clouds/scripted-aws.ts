import { type CloudAnswer, type CloudRequest, startScriptedCloud } from './scripted-cloud.ts'

/** Those fields of a request that are texts. */
type Input = Record<string, string>
type Handler = (input: Input, request: CloudRequest) => CloudAnswer

/** AWS as a test says, by operation. The forms are those of the API references; the SDK's own parsers read them. */
export type ScriptedAws = Awaited<ReturnType<typeof startScriptedAws>>

export const scriptedAccount = '123456789012'

export async function startScriptedAws() {
  const cloud = await startScriptedCloud()
  const usual: Record<string, Handler> = {
    GetCallerIdentity: () =>
      xml(
        'GetCallerIdentity',
        `<Account>${scriptedAccount}</Account><Arn>arn:aws:iam::${scriptedAccount}:user/u</Arn>`,
      ),
    AssumeRoleWithWebIdentity: () =>
      xml(
        'AssumeRoleWithWebIdentity',
        `<Credentials><AccessKeyId>ASIASESSION</AccessKeyId><SecretAccessKey>session-secret</SecretAccessKey><SessionToken>session-token</SessionToken><Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration></Credentials>`,
      ),
    GetFederationToken: () =>
      xml(
        'GetFederationToken',
        `<Credentials>${session('federated')}</Credentials><FederatedUser><Arn>arn:aws:sts::${scriptedAccount}:federated-user/u</Arn><FederatedUserId>1:u</FederatedUserId></FederatedUser>`,
      ),
    DescribeRegions: () => regions({ 'us-east-1': true, 'eu-west-1': true, 'af-south-1': false }),
    ListIndexes: () => ({ body: { Indexes: [] } }),
    GetIndex: () => ({ body: { State: 'ACTIVE' } }),
    ListResources: () => ({ body: { Resources: [] } }),
    GetResources: () => ({ body: { ResourceTagMappingList: [], PaginationToken: '' } }),
    ListAccounts: () => ({ body: { Accounts: [] } }),
  }
  const state = { cloud, handlers: { ...usual }, calls: [] as string[] }
  cloud.answer = (request) => {
    const { operation, input } = parse(request)
    const region = regionOf(request)
    state.calls.push(region ? `${operation} ${region}` : operation)
    return state.handlers[operation]?.(input, request) ?? { status: 404 }
  }
  return Object.assign(state, {
    reset() {
      state.handlers = { ...usual }
      state.calls = []
      cloud.asked.length = 0
    },
  })
}

/** The region that a request was signed for. */
export const regionOf = ({ headers }: CloudRequest): string =>
  /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? ''

export const refusal = (code: string, message: string, status = 400): CloudAnswer => ({
  status,
  headers: { 'x-amzn-errortype': code },
  body: { __type: code, message },
})

export const xmlRefusal = (code: string, message: string, status = 403): CloudAnswer => ({
  status,
  headers: { 'content-type': 'text/xml' },
  body: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
})

export function regions(states: Record<string, boolean>): CloudAnswer {
  const items = Object.entries(states).map(
    ([name, isOn]) =>
      `<item><regionName>${name}</regionName><regionEndpoint>ec2.${name}.amazonaws.com</regionEndpoint><optInStatus>${isOn ? 'opted-in' : 'not-opted-in'}</optInStatus></item>`,
  )
  return {
    headers: { 'content-type': 'text/xml' },
    body: `<DescribeRegionsResponse><regionInfo>${items.join('')}</regionInfo></DescribeRegionsResponse>`,
  }
}

/** A session's keys, as STS sends them. */
export const session = (name: string, seconds = 3_600): string =>
  `<AccessKeyId>ASIA${name.toUpperCase()}</AccessKeyId><SecretAccessKey>${name}-secret</SecretAccessKey><SessionToken>${name}-token</SessionToken><Expiration>${new Date(Date.now() + seconds * 1_000).toISOString()}</Expiration>`

export const xml = (operation: string, result: string): CloudAnswer => ({
  headers: { 'content-type': 'text/xml' },
  body: `<${operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${operation}Result>${result}</${operation}Result></${operation}Response>`,
})

function parse(request: CloudRequest): { operation: string; input: Input } {
  const target = String(request.headers['x-amz-target'] ?? '')
  const isJson = request.body.startsWith('{')
  const form = Object.fromEntries(new URLSearchParams(isJson ? '' : request.body))
  const operation =
    target.split('.')[1] ??
    request.query.get('Action') ??
    form['Action'] ??
    request.path.replace(/^\//, '')
  return { operation, input: isJson ? JSON.parse(request.body) : form }
}
