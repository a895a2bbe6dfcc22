import { Readable } from 'node:stream'
import type { HttpRequest } from '@smithy/types'
import { expect, test } from 'vitest'
import { s3HttpHandler } from '../../../gateways/clouds/aws/aws-http-handler.ts'
import { allOf, signedRequest } from '../../../gateways/clouds/aws/signed-request.ts'
import { blobHttpClient } from '../../../gateways/clouds/azure/blob-http-client.ts'
import { assertParsable } from '../../../gateways/clouds/full-page.ts'
import type { KeptOutbound, OutboundRequest } from '../../../gateways/outbound/outbound.ts'

const mebibyte = 1_048_576
const filled = (text: string) => text.repeat(Math.floor(mebibyte / text.length))
const tooLarge = expect.objectContaining({ code: 'response_too_large' })

test.each([
  ['elements', `<r>${filled('<a/>')}</r>`],
  ['attributes', `<r ${filled('a=11')}/>`],
  ['entities', `<r>${filled('&lt;')}</r>`],
  ['line ends', `\n<r>${filled('\r')}</r>`],
  ['two DOCTYPEs', '<!DOCTYPE a>\n<!doctype b><r/>'],
  ['DOCTYPEs alone', filled('<!DocType>')],
  ['lists', ` [${filled('[],')}0]`],
  ['numbers', `{"a":[${filled('1,')}0]}`],
  ['texts', `[${filled('"",')}0]`],
])('an answer of many %s is refused before it is parsed', (_, text) => {
  expect(() => assertParsable(Buffer.from(text))).toThrow(tooLarge)
})

const properties = Array.from({ length: 30 }, (_, n) => `<P-${n}>Mon, 01 Jan 2026</P-${n}>`)
const object =
  '<Contents><Key>bills/a.csv</Key><ETag>&quot;9b2cf535&quot;</ETag><Size>1</Size><Owner><ID>a</ID><DisplayName>x</DisplayName></Owner><ChecksumType>FULL_OBJECT</ChecksumType><StorageClass>STANDARD</StorageClass><LastModified>2026-10-01</LastModified><ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm></Contents>'
const tagged = { Tags: Array.from({ length: 120 }, (_, n) => ({ Key: `k${n}`, Value: 'a, b' })) }
test.each([
  ['a list of 1,000 objects of S3', `<?xml version="1.0"?><R>${object.repeat(1_000)}</R>`],
  ['a list of 500 blobs', `\uFEFF<R>${`<Blob>${properties.join('')}</Blob>`.repeat(500)}</R>`],
  ['12,000 tags', JSON.stringify(Array.from({ length: 100 }, () => tagged))],
  ['JSON with XML in its texts', JSON.stringify(['<a b="">'.repeat(45_000)])],
  ['a page of HTML', '<!DOCTYPE html><html><!-- a --></html>'],
  ['nothing', ''],
])('%s is read', (_, text) => {
  expect(() => assertParsable(Buffer.from(text))).not.toThrow()
})

test('items are found in one pass, up to 10,000', () => {
  const long = 'x'.repeat(4_001)
  expect(allOf(`<item>a</item><item>${long}</item>\n<item><b/></item><item>c`, 'item')).toEqual([
    'a',
    '<b/>',
  ])
  expect(allOf('<item>a</item>'.repeat(10_000), 'item')).toHaveLength(10_000)
  expect(() => allOf('<item>a</item>'.repeat(10_001), 'item')).toThrow('endless')
  const before = performance.now()
  // Looked at from each place anew, these are 8,000,000,000 steps.
  expect(allOf('<item>'.repeat(2_000_000), 'item')).toEqual([])
  expect(performance.now() - before).toBeLessThan(5_000)
})

test('the list of regions is read up to 1 MiB', async () => {
  const asked: OutboundRequest[] = []
  const kept = {
    request: async (_url: URL, request: OutboundRequest) => {
      asked.push(request)
      return { status: 200, headers: {}, body: Buffer.from(`<r>${filled('<a/>')}</r>`) }
    },
  } as unknown as KeptOutbound
  const credentials = async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'secret' })
  const url = new URL('https://ec2.example/?Action=DescribeRegions')
  const request = { url, service: 'ec2' as const, region: 'us-east-1', action: 'ec2:x' }
  await expect(signedRequest({ kept }, credentials, request)).rejects.toThrow('more in an answer')
  expect(asked[0]?.maxBytes).toBe(mebibyte)
})

/** An outgoing connection on which each file is refused at length. */
function refusing(piece: string) {
  const sent = { pieces: 0 }
  function* endless() {
    for (; sent.pieces < 1_000; sent.pieces += 1) yield Buffer.from(piece)
  }
  const stream = async () => ({
    status: 403,
    headers: {},
    body: Readable.from(endless(), { highWaterMark: 1 }),
  })
  return { sent, outbound: { stream } as unknown as KeptOutbound }
}
const fileOf = {
  method: 'GET',
  protocol: 'https:',
  hostname: 's3.example',
  path: '/bucket/file',
  query: { 'x-id': 'GetObject' },
  headers: {},
} as unknown as HttpRequest
type BlobRequest = Parameters<ReturnType<typeof blobHttpClient>['sendRequest']>[0]
const blobOf = {
  url: 'https://a.blob.core.windows.net/c/file',
  method: 'GET',
  headers: { toJson: () => ({}) },
  streamResponseStatusCodes: new Set([200]),
} as unknown as BlobRequest

test('of the refusal of a file no more than 64 KiB are read and parsed', async () => {
  const { sent, outbound } = refusing('x'.repeat(16_384))
  const { response } = await s3HttpHandler(outbound).handle(fileOf)
  expect(response.body).toHaveLength(65_536)
  expect(sent.pieces).toBeLessThan(10)
  const many = refusing('<!DOCTYPE a>')
  await expect(s3HttpHandler(many.outbound).handle(fileOf)).rejects.toEqual(tooLarge)
  const blobs = blobHttpClient(refusing('<!DOCTYPE a>').outbound, new Map())
  await expect(blobs.sendRequest(blobOf)).rejects.toEqual(tooLarge)
})
