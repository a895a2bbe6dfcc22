import { describe, expect, test } from 'vitest'
import { createSecretSearch } from '../secrets/secret-search.ts'
import { collectHeld, cloudKey, type HeldResource } from './held-resources.ts'

type Attributes = Record<string, unknown>
const one = (type: string, attributes: unknown, more: Attributes = {}) => ({
  address: `${type}.a`,
  type,
  instance: { attributes, ...more },
})
const held = (objects: Array<ReturnType<typeof one>>, secrets: string[] = []) => {
  const collected = collectHeld(createSecretSearch(secrets))
  for (const object of objects) collected.add(object)
  return collected
    .result()
    .rows()
    .map((row): HeldResource => JSON.parse(row))
}
const idsOf = (...args: Parameters<typeof held>) => held(...args).map(({ cloudId }) => cloudId)
const arn = 'arn:aws:s3:::logs-of-one'
const mark = (...names: string[]) => names.map((value) => [{ type: 'get_attr', value }])

describe('collectHeld', () => {
  test.each([
    ['aws_s3_bucket', { arn, id: 'logs-of-one' }, arn],
    ['aws_sns_topic', { id: 'arn:aws-cn:sns:cn-north-1:123456789012:t' }, undefined],
    [
      'aws_cloudwatch_log_group',
      { arn: 'arn:aws:logs:eu-west-1:1:log-group:g:*' },
      'arn:aws:logs:eu-west-1:1:log-group:g',
    ],
    [
      'azurerm_linux_virtual_machine',
      { id: '/subscriptions/A/resourceGroups/RG/providers/Microsoft.Compute/virtualMachines/VM' },
      '/subscriptions/a/resourcegroups/rg/providers/microsoft.compute/virtualmachines/vm',
    ],
    [
      'google_compute_instance',
      {
        id: 'projects/p/zones/z/instances/i',
        self_link: 'https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/i',
      },
      '//compute.googleapis.com/projects/p/zones/z/instances/i',
    ],
    [
      'google_storage_bucket',
      { id: 'b', self_link: 'https://www.googleapis.com/storage/v1/b/b' },
      '//storage.googleapis.com/b',
    ],
    [
      'google_sql_database_instance',
      { self_link: 'https://sqladmin.googleapis.com/sql/v1beta4/projects/p/instances/i' },
      '//cloudsql.googleapis.com/projects/p/instances/i',
    ],
    [
      'google_container_cluster',
      { self_link: 'https://container.googleapis.com/v1/projects/p/locations/l/clusters/c' },
      '//container.googleapis.com/projects/p/locations/l/clusters/c',
    ],
    [
      'google_pubsub_topic',
      { id: 'projects/p/topics/t' },
      '//pubsub.googleapis.com/projects/p/topics/t',
    ],
    [
      'google_cloud_run_v2_service',
      { id: 'projects/p/locations/l/services/s' },
      '//run.googleapis.com/projects/p/locations/l/services/s',
    ],
    [
      'google_service_account',
      { id: 'projects/p/serviceAccounts/a@p.iam.gserviceaccount.com', unique_id: '117' },
      '//iam.googleapis.com/projects/p/serviceAccounts/117',
    ],
    [
      'google_secret_manager_secret',
      { id: 'projects/p/secrets/s', name: 'projects/123456789012/secrets/s' },
      '//secretmanager.googleapis.com/projects/123456789012/secrets/s',
    ],
    [
      'google_secret_manager_secret',
      { id: 'projects/p/secrets/s', name: 'projects/123456789012/secrets/other' },
      '//secretmanager.googleapis.com/projects/p/secrets/s',
    ],
    [
      'google_secret_manager_secret',
      { id: 'projects/p/secrets/s', name: 's' },
      '//secretmanager.googleapis.com/projects/p/secrets/s',
    ],
    ['aws_nat_gateway', { id: 'nat-0dd07f56223a89b19' }, undefined],
    ['aws_ebs_volume', { id: 'vol-3d63b1f4' }, undefined],
  ])('%s by its id as the inventory has it', (type, attributes, expected) => {
    expect(idsOf([one(type, attributes)])).toEqual([expected ?? Object.values(attributes)[0]])
  })

  test.each([
    [
      'the id of what a setting belongs to',
      'aws_ec2_instance_state',
      { id: 'i-0ae9198e3f12fa3e1' },
    ],
    [
      'the id of what an object of a new type is set for',
      'aws_new_resource_policy',
      { id: arn, resource_arn: arn },
    ],
    ['the id of another kind', 'aws_nat_gateway', { id: 'eni-0ae9198e3f12fa3e1' }],
    ['a relative id of another provider', 'random_id', { id: 'projects/p/topics/t' }],
    ['an id that is no cloud id', 'aws_route53_record', { id: 'Z1_name_A' }],
    [
      'an Azure association, which joins two ids',
      'azurerm_x',
      { id: '/subscriptions/a/x|/subscriptions/a/y' },
    ],
    ['an id of 2,001 characters', 'aws_s3_bucket', { arn: `arn:aws:s3:::${'x'.repeat(1_988)}` }],
    ['a control character', 'aws_s3_bucket', { arn: 'arn:aws:s3:::a\u0000b' }],
    ['half of a surrogate pair', 'aws_s3_bucket', { arn: 'arn:aws:s3:::a\ud800' }],
    ['a number, a list, an object', 'aws_s3_bucket', { arn: 1, id: [arn], self_link: { arn } }],
    ['attributes that are a list', 'aws_s3_bucket', [arn]],
  ])('is not held: %s', (_, type, attributes) => {
    expect(idsOf([one(type, attributes)])).toEqual([])
  })

  test('an id of 2,000 characters is held', () => {
    const long = `arn:aws:s3:::${'x'.repeat(1_987)}`
    expect(idsOf([one('aws_s3_bucket', { arn: long })])).toEqual([long])
  })

  test('of the attributes only plain ones that decide a price are kept', () => {
    const [row] = held([
      one('aws_db_instance', {
        arn,
        instance_class: 'db.t3.micro',
        allocated_storage: 20,
        multi_az: false,
        password: 'hunter2',
        user_data: 'x',
        engine: 'e'.repeat(101),
        iops: null,
        settings: [{ tier: 'db-f1-micro', password: 'p' }],
        tier: { deep: 1 },
      }),
    ])
    expect(row?.attributes).toEqual({
      instance_class: 'db.t3.micro',
      allocated_storage: 20,
      multi_az: false,
      'settings[0].tier': 'db-f1-micro',
    })
  })

  test('nothing that is marked as sensitive, or contains a known secret, is kept', () => {
    const sensitive_attributes = mark('instance_type', 'settings')
    const attributes = { arn, instance_type: 'm5.large', settings: [{ tier: 't' }], zone: 'z' }
    expect(held([one('aws_x', attributes, { sensitive_attributes })])[0]?.attributes).toEqual({
      zone: 'z',
    })
    const byArn = { sensitive_attributes: mark('arn') }
    expect(idsOf([one('aws_x', attributes, byArn)])).toEqual([])
    // A mark in a form that nobody writes hides all attributes.
    expect(idsOf([one('aws_x', attributes, { sensitive_attributes: [[{ odd: 1 }]] })])).toEqual([])
    expect(idsOf([one('aws_x', attributes)], ['logs-of-one'])).toEqual([])
    const [row] = held(
      [{ ...one('aws_x', attributes), address: 'aws_x.a["a-long-secret"]' }],
      ['a-long-secret', 'm5.large'],
    )
    expect(row).toMatchObject({ address: 'aws_x.a["[masked]', attributes: { zone: 'z' } })
  })

  test('of two objects with one id the resource itself is kept, in either order', () => {
    const both = [
      one('aws_secretsmanager_secret_version', { arn }),
      one('aws_secretsmanager_secret', { arn }),
      one('aws_secretsmanager_secret_policy', { arn }),
    ]
    for (const order of [both, both.toReversed()])
      expect(held(order).map(({ type }) => type)).toEqual(['aws_secretsmanager_secret'])
  })

  test.each<[string, Attributes]>([
    ['aws_secretsmanager_secret_version', { arn, id: `${arn}|AWSCURRENT` }],
    ['aws_sns_topic_policy', { arn, id: arn }],
    ['azurerm_storage_account_network_rules', { id: '/subscriptions/a/x/y' }],
    ['google_pubsub_topic_iam_policy', { id: 'projects/p/topics/t' }],
  ])('%s alone does not hold what it belongs to', (type, attributes) => {
    expect(idsOf([one(type, attributes)])).toEqual([])
  })

  test('a script that names a resource does not displace it, nor its sizes, in either order', () => {
    const both = [
      one('terraform_data', { output: { value: arn, type: 'string' } }),
      one('aws_rds_cluster_instance', { arn, instance_class: 'db.t3.micro' }),
    ]
    for (const order of [both, both.toReversed()])
      expect(held(order)).toMatchObject([
        { type: 'aws_rds_cluster_instance', attributes: { instance_class: 'db.t3.micro' } },
      ])
  })

  test('what a script made is held by the output of its terraform_data', () => {
    const output = (value: unknown) => ({ output: { value, type: 'dynamic' } })
    const self = 'https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/d'
    const deep = JSON.parse(`${'['.repeat(5_000)}"${arn}"${']'.repeat(5_000)}`)
    expect(idsOf([one('terraform_data', output(arn))])).toEqual([arn])
    expect(held([one('terraform_data', output({ x: { arn, instance_type: 't' } }))])).toMatchObject(
      [
        {
          cloudId: arn,
          provider: 'aws',
          address: 'terraform_data.a',
          attributes: { instance_type: 't' },
        },
      ],
    )
    expect(idsOf([one('terraform_data', output([arn, { self_link: self }]))])).toHaveLength(2)
    expect(idsOf([one('terraform_data', output(deep))])).toEqual([])
    expect(idsOf([one('terraform_data', { input: arn })])).toEqual([])
    const marked = { sensitive_attributes: mark('input') }
    expect(idsOf([one('terraform_data', output(arn), marked)])).toEqual([])
    const many = Array.from({ length: 5_000 }, (_, n) => `${arn}-${n}`)
    expect(idsOf([one('terraform_data', output(many))])).toHaveLength(100)
  })

  test('rows are ordered by key; equal states have one digest, and no others', () => {
    const objects = ['a', 'b', 'c', 'd'].map((name) => one('aws_x', { arn: `${arn}-${name}` }))
    const keys = held(objects).map(({ cloudId }) => cloudKey(cloudId))
    expect(keys).toEqual(keys.toSorted())
    expect(held(objects)).toEqual(held(objects.toReversed()))
    const digest = (all: typeof objects) => {
      const collected = collectHeld(createSecretSearch([]))
      for (const object of all) collected.add(object)
      return collected.result().sha256
    }
    expect(digest(objects)).toBe(digest([...objects]))
    expect(digest(objects)).not.toBe(digest(objects.slice(1)))
    const resized = one('aws_x', { arn: `${arn}-a`, instance_type: 't' })
    expect(digest(objects)).not.toBe(digest([resized, ...objects.slice(1)]))
  })
})
