import {
  paginateGetResources,
  ResourceGroupsTaggingAPIClient,
  type ResourceTagMapping,
} from '@aws-sdk/client-resource-groups-tagging-api'
import { Client } from 'pg'
import { copyInto } from './copy-into.ts'
import type { BenchCloud } from './start-clouds.ts'

/** What a bare loop took: all pages in turn, over the client that the product uses. */
export async function barePaging({ port, count }: BenchCloud): Promise<{ seconds: number }> {
  const since = performance.now()
  let seen = 0
  for await (const page of pages(port)) seen += page.length
  expectAll(seen, count)
  return { seconds: (performance.now() - since) / 1_000 }
}

/** The same, with each page copied into a table of the same columns as it comes. */
export async function bareCopy(
  { port, count }: BenchCloud,
  { databaseUrl, indexes }: { databaseUrl: string; indexes: boolean },
): Promise<{ seconds: number }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const more = indexes ? 'including all' : 'including generated including defaults'
    await client.query(`create table bench_copied (like cloud_resources ${more})`)
    const since = performance.now()
    let seen = 0
    const copied = copyInto(client, columns, async function* rows() {
      for await (const page of pages(port)) {
        seen += page.length
        yield page.map(rowOf).join('')
      }
    })
    await copied
    const seconds = (performance.now() - since) / 1_000
    expectAll(seen, count)
    await client.query('drop table bench_copied')
    return { seconds }
  } finally {
    await client.end()
  }
}

async function* pages(port: number): AsyncGenerator<ResourceTagMapping[]> {
  const client = new ResourceGroupsTaggingAPIClient({
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${port}`,
    credentials: { accessKeyId: 'AKIAAAAAAAAAAAAAAAAA', secretAccessKey: 'a'.repeat(40) },
  })
  for await (const page of paginateGetResources({ client, pageSize: 100 }, {}))
    yield page.ResourceTagMappingList ?? []
  client.destroy()
}

function expectAll(seen: number, count: number): void {
  if (seen !== count) throw new Error(`the bare loop saw ${seen} of ${count} resources`)
}

const columns =
  'bench_copied (organization_id, cloud_account_id, place_id, provider, cloud_id, service, type, name, region, tags, digest)'

/** In the text format of COPY. */
function rowOf({ ResourceARN: arn = '', Tags = [] }: ResourceTagMapping): string {
  const tags = Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]))
  const service = arn.split(':')[2] ?? ''
  const text = JSON.stringify(tags).replaceAll('\\', '\\\\')
  const digest = '0'.repeat(44)
  return `1\t1\t1\taws\t${arn}\t${service}\t${service}:thing\t${tags['Name'] ?? arn}\tus-east-1\t${text}\t${digest}\n`
}
