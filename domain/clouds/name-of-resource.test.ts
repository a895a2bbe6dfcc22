import { describe, expect, test } from 'vitest'
import {
  isSamePlace,
  nameOfBilled,
  nameOfCloudId,
  placeOfBilled,
  placeOfCloudId,
} from './name-of-resource.ts'

const account = '365499461711'
const ec2 = (kind: string, id: string) => `arn:aws:ec2:us-west-2:${account}:${kind}/${id}`
const billed = (resourceId: string, service = 'Amazon Elastic Compute Cloud', provider = 'aws') =>
  nameOfBilled({ resourceId, provider, service })

describe('the name of a resource', () => {
  // The forms of ResourceId in the FOCUS sample data, each beside what a state has: arn, or id without one.
  test.each<[string, string]>([
    ['i-0ae9198e3f12fa3e1', ec2('instance', 'i-0ae9198e3f12fa3e1')],
    [ec2('instance', 'i-06c9b65de0a8df980'), 'i-06c9b65de0a8df980'],
    ['vol-09d113e4e879a4636', ec2('volume', 'vol-09d113e4e879a4636')],
    ['vol-3d63b1f4', ec2('volume', 'vol-3d63b1f4')],
    [ec2('natgateway', 'nat-0dd07f56223a89b19'), 'nat-0dd07f56223a89b19'],
    [
      ec2('snapshot', 'snap-0dde8e74d18bdd35b'),
      'arn:aws:ec2:us-west-2::snapshot/snap-0dde8e74d18bdd35b',
    ],
    ['vpn-0d2dda19', ec2('vpn-connection', 'vpn-0d2dda19')],
    [ec2('vpn-connection', 'vpn-051f5b77d3a6d0e53'), 'vpn-051f5b77d3a6d0e53'],
    [ec2('elastic-ip', 'eipalloc-f79f3983'), 'eipalloc-f79f3983'],
    [ec2('network-interface', 'eni-09b8d5ef0823fb6d9'), 'eni-09b8d5ef0823fb6d9'],
    ['vpc-0f2a44c1', ec2('vpc', 'vpc-0f2a44c1')],
    [
      'tgw-attach-0a1b2c3d4e5f60718',
      ec2('transit-gateway-attachment', 'tgw-attach-0a1b2c3d4e5f60718'),
    ],
    ...[
      `arn:aws:elasticloadbalancing:us-west-2:${account}:loadbalancer/app/tungsten/c365455f461d4e4a`,
      `arn:aws:sqs:us-west-2:${account}:mobile-i-032d64f2065481b12`,
      `arn:aws:logs:us-west-2:${account}:log-group:/reservations/9d633274-4f40-4d50-a36f-7584b7affaa0`,
      `arn:aws:cloudfront::${account}:distribution/E1H6PI5VWS3NLQ`,
      'arn:aws:route53:::hostedzone/Z08868891QBJ3Q0INTTNF',
      'arn:aws:apigateway:us-west-2::/restapis/pg73f0cf05/stages/prod1',
    ].map((id): [string, string] => [id, id]),
  ])('of a bill’s %s is that of %s', (resourceId, cloudId) => {
    expect(billed(resourceId)).toBe(nameOfCloudId(cloudId))
    const place = { subAccountId: account, region: 'us-west-2' }
    expect(isSamePlace(placeOfBilled(resourceId, place), placeOfCloudId(cloudId))).toBe(true)
  })

  test('of a bucket, where the service has buckets', () => {
    const bucket = nameOfCloudId('arn:aws:s3:::Logs.of_one')
    expect(billed('Logs.of_one', 'Amazon Simple Storage Service')).toBe(bucket)
    expect(billed('arn:aws:s3:::Logs.of_one')).toBe(bucket)
    expect(billed('Logs.of_one', 'Amazon Lightsail')).not.toBe(bucket)
    // A bucket may be named as an instance is.
    expect(billed('i-0ae9198e', 'Amazon Simple Storage Service')).not.toBe(
      nameOfCloudId('i-0ae9198e'),
    )
    // An object in it is no bucket.
    expect(nameOfCloudId('arn:aws:s3:::logs/a')).toBe('arn:aws:s3:::logs/a')
  })

  test('of Azure ignores case; other providers’ ids are as they are', () => {
    const id = '/subscriptions/A/resourceGroups/RG/providers/Microsoft.Compute/disks/D'
    expect(billed(id, 'Virtual Machines', 'azure')).toBe(nameOfCloudId(id.toLowerCase()))
    expect(billed('i-0ae9198e', 'Compute', 'oci')).toBe('i-0ae9198e')
    expect(billed('ocid1.instance.oc1.phx.Abc', 'COMPUTE', 'oci')).toBe(
      'ocid1.instance.oc1.phx.Abc',
    )
  })

  test('of another service’s resource is not an EC2 id, although it ends like one', () => {
    const cluster = `arn:aws:ecs:us-west-2:${account}:cluster/prod-0deadbeef`
    expect(nameOfCloudId(cluster)).toBe(cluster)
    expect(nameOfCloudId(ec2('instance', 'i-1/x'))).toBe(ec2('instance', 'i-1/x'))
    expect(nameOfCloudId('arn:aws:ec2:us-west-2:1:instance/')).toBe(
      'arn:aws:ec2:us-west-2:1:instance/',
    )
  })

  test('of a hostile text takes linear time', () => {
    const began = performance.now()
    for (const text of [
      `${'a-'.repeat(50_000)}!`,
      `${'a'.repeat(100_000)}!`,
      `i-${'0'.repeat(100_000)}!`,
    ])
      expect(nameOfCloudId(text)).toBe(text)
    expect(performance.now() - began).toBeLessThan(500)
  })
})

describe('the place of a resource', () => {
  const of = (subAccountId: string | null, region: string | null) =>
    placeOfBilled('i-0ae9198e', { subAccountId, region })
  const held = placeOfCloudId('arn:aws:ec2:us-west-2:012345678901:instance/i-0ae9198e')

  test.each([
    ['the same', of('012345678901', 'us-west-2'), true],
    ['an account whose zero was dropped', of('12345678901', 'us-west-2'), true],
    ['no account', of(null, 'us-west-2'), true],
    ['a name for an account', of('Atlas Nimbus', null), true],
    ['no region', of('012345678901', null), true],
    ['a global charge', of('012345678901', 'global'), true],
    ['another account', of('112345678901', 'us-west-2'), false],
    ['another region', of('012345678901', 'eu-west-1'), false],
  ])('%s', (_, place, expected) => {
    expect(isSamePlace(place, held)).toBe(expected)
    expect(isSamePlace(held, place)).toBe(expected)
  })

  test('in an ARN wins over the columns of the charge', () => {
    const arn = 'arn:aws:ec2:us-west-2:012345678901:instance/i-0ae9198e'
    expect(placeOfBilled(arn, { subAccountId: '999999999999', region: 'eu-west-1' })).toEqual(held)
    const without = 'arn:aws:ec2:us-west-2::snapshot/snap-0ae9198e'
    expect(placeOfBilled(without, { subAccountId: '012345678901', region: null })).toEqual(held)
  })
})
