import { createServer, type Server } from 'node:http'

export type ReadyPages = {
  server: Server
  /** The tokens of the pages that were asked for, in order; '' for the first page. */
  asked: string[]
  /** Renders pages of these many resources anew. */
  fill(count: number, change?: (n: number) => Record<string, string>): void
  /** Whether it no longer knows any credentials. */
  refuses: boolean
  /** Awaited before each page. */
  beforePage: () => Promise<void>
}

const pageSize = 100
const region = 'us-east-1'
export const readyAccount = '123456789012'
export const readyArn = (n: number, account: string = readyAccount) =>
  `arn:aws:ec2:${region}:${account}:instance/i-${n.toString(16).padStart(17, '0')}`

/**
 * An AWS account whose pages of the tagging API are rendered before they are asked for, so that the
 * server costs next to nothing. It has no Resource Explorer, and believes all credentials.
 */
export function readyPages(count: number, account: string = readyAccount): ReadyPages {
  let pages = new Map<string, Buffer>()
  const ready: ReadyPages = {
    asked: [],
    refuses: false,
    beforePage: async () => undefined,
    fill(wanted, change = () => ({})) {
      pages = render(wanted, { account, change })
    },
    server: createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const target = String(request.headers['x-amz-target'] ?? '')
        const send = (status: number, type: string, answer: string | Buffer) =>
          response.writeHead(status, { 'content-type': type }).end(answer)
        if (ready.refuses) {
          const unknown = { __type: 'UnrecognizedClientException', message: 'unknown' }
          response.setHeader('x-amzn-errortype', unknown.__type)
          send(400, 'application/x-amz-json-1.1', JSON.stringify(unknown))
          return
        }
        if (target.endsWith('.GetResources')) {
          // The SDK's own body.
          const { PaginationToken = '' } = JSON.parse(body) as { PaginationToken?: string }
          ready.asked.push(PaginationToken)
          void ready
            .beforePage()
            .then(() => send(200, 'application/x-amz-json-1.1', pages.get(PaginationToken) ?? '{}'))
          return
        }
        const text = `${request.url} ${body}`
        if (text.includes('DescribeRegions')) send(200, 'text/xml', regions)
        else if (text.includes('GetCallerIdentity')) send(200, 'text/xml', identityOf(account))
        else if (text.includes('ListIndexes'))
          send(200, 'application/json', JSON.stringify({ Indexes: [] }))
        else send(404, 'application/json', '{}')
      })
    }),
  }
  ready.fill(count)
  return ready
}

type Rendered = { account: string; change: (n: number) => Record<string, string> }

function render(count: number, { account, change }: Rendered): Map<string, Buffer> {
  const pages = new Map<string, Buffer>()
  for (let from = 0; from === 0 || from < count; from += pageSize) {
    const numbers = Array.from({ length: Math.min(pageSize, count - from) }, (_, n) => from + n)
    const next = from + pageSize < count ? String(from + pageSize) : ''
    const list = numbers.map((n) => ({
      ResourceARN: readyArn(n, account),
      Tags: Object.entries({
        Name: `machine ${n}`,
        env: n % 3 === 0 ? 'prod' : 'test',
        team: `team-${n % 40}`,
        ...change(n),
      }).map(([Key, Value]) => ({ Key, Value })),
    }))
    const page = { PaginationToken: next, ResourceTagMappingList: list }
    pages.set(from === 0 ? '' : String(from), Buffer.from(JSON.stringify(page)))
  }
  return pages
}

const regions = `<DescribeRegionsResponse><regionInfo><item><regionName>${region}</regionName><regionEndpoint>ec2</regionEndpoint><optInStatus>opt-in-not-required</optInStatus></item></regionInfo></DescribeRegionsResponse>`
const identityOf = (account: string) =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Account>${account}</Account><Arn>arn:aws:iam::${account}:user/u</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>`
