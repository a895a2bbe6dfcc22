import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchOrganization } from './organization.ts'

/** As many as an organization may sync at once (domain/clouds/max-live-syncs.ts). */
const accounts = 4
/** Then the list ends, so that no sync goes on beside the next measurement. */
const endlessMs = 30_000
/** Just less than the service reads of one answer (gateways/clouds/max-answer-bytes.ts). */
const pageBytes = 1024 * 1024 - 4_096
const mayTakeMs = 120_000

let endsAtMs = 0

/**
 * The AWS of all hostile tenants: each page of the tagging API has 1 MiB, of resources that nobody has seen
 * before, and each has a next one. Half of the accounts send as many small resources as fit, which no cloud does;
 * the others a hundred with large tags.
 */
export async function serveGiantCloud(port: number): Promise<void> {
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(port, '127.0.0.1'), 'listening')
  server.unref()
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const text = `${request.url} ${Buffer.concat(chunks).toString()}`
  const operation = String(request.headers['x-amz-target'] ?? '').split('.')[1]
  const send = (type: string, body: string) =>
    response.writeHead(200, { 'content-type': type }).end(body)
  // The keys of each account name it.
  const owner = /AKIA(\d{12})\//.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (operation === 'GetResources') send('application/x-amz-json-1.1', page(owner))
  else if (text.includes('DescribeRegions')) send('text/xml', regions)
  else if (text.includes('GetCallerIdentity')) send('text/xml', identity(owner))
  else send('application/json', '{"Indexes":[]}')
}

let pages = 0
function page(owner: string): string {
  pages += 1
  const isLast = Date.now() > endsAtMs
  const tags = Number(owner) % 2 === 0 ? largeTags : '{"Key":"Name","Value":""}'
  const one = (n: number) =>
    `{"ResourceARN":"arn:aws:sqs:us-east-1:${owner}:${pages}-${n}","Tags":[${tags}]}`
  const count = Math.floor(pageBytes / (one(99_999).length + 1))
  const list = Array.from({ length: isLast ? 1 : count }, (_, n) => one(n)).join(',')
  return `{"PaginationToken":"${isLast ? '' : pages}","ResourceTagMappingList":[${list}]}`
}

/** 50 of 1.6 KB: a hundred resources with them fill a page. */
const largeTags = Array.from(
  { length: 50 },
  (_, n) => `{"Key":"${n}","Value":"${'x'.repeat(1_645)}"}`,
).join(',')

const regions = `<DescribeRegionsResponse><regionInfo><item><regionName>us-east-1</regionName></item></regionInfo></DescribeRegionsResponse>`
const identity = (owner: string) =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Account>${owner}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`

/** Syncs four accounts at that cloud, again and again. */
export async function giantCloud({
  organization,
  cloudPort,
}: {
  organization: BenchOrganization
  cloudPort: number
}) {
  const { call } = organization
  const paths: string[] = []
  for (let at = 0; at < accounts; at += 1) {
    // The last digit chooses the kind of its pages.
    const accountId = `${randomInt(1e10, 1e11 - 1)}${at}`
    const { body } = await call('POST', '/cloud/accounts', {
      provider: 'aws',
      name: `giant ${at}`,
      accountId,
      credentials: { accessKeyId: `AKIA${accountId}`, secretAccessKey: 'a'.repeat(40) },
      endpoint: `http://127.0.0.1:${cloudPort}`,
      regions: ['us-east-1'],
      // None by itself while the bench runs.
      syncIntervalMinutes: 10_080,
    })
    paths.push(`/cloud/accounts/${(body['account'] as { id: number }).id}`)
  }
  const isLive = async (path: string): Promise<boolean> => {
    const { body } = await call('GET', `${path}/syncs?limit=1`)
    return (body['syncs'] as Array<{ state: string }>)[0]?.state === 'running'
  }
  return {
    name: 'a cloud of endless pages of 8 MiB',
    async strike() {
      endsAtMs = Date.now() + endlessMs
      for (const path of paths) await call('POST', `${path}/sync`)
      const giveUpAtMs = Date.now() + mayTakeMs
      for (const path of paths)
        while (Date.now() < giveUpAtMs && (await isLive(path))) await sleep(1_000)
    },
  }
}
