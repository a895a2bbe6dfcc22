import { describe, expect, test } from 'vitest'
import { importBlocks, importRule, type Importable } from './import-blocks.ts'
import { awsRules, googleRules, type ImportRule } from './import-rules.ts'

const resource = (cloudId: string, more: Partial<Importable> = {}): Importable => ({
  provider: cloudId.startsWith('arn:') ? 'aws' : cloudId.startsWith('//') ? 'gcp' : 'azure',
  cloudId,
  name: 'n',
  region: '',
  ...more,
})
const aws = (rest: string) => `arn:aws:${rest}`
const group = '/subscriptions/s/resourcegroups/rg'

describe('importRule', () => {
  test.each([
    [aws('s3:::logs'), 'aws_s3_bucket', 'logs'],
    [aws('ec2:eu-west-1:1:instance/i-0a'), 'aws_instance', 'i-0a'],
    [aws('rds:eu-west-1:1:db:main'), 'aws_db_instance', 'main'],
    [aws('sns:eu-west-1:1:topic'), 'aws_sns_topic', aws('sns:eu-west-1:1:topic')],
    [aws('sqs:eu-west-1:1:q'), 'aws_sqs_queue', 'https://sqs.eu-west-1.amazonaws.com/1/q'],
    [
      'arn:aws-cn:sqs:cn-north-1:1:q',
      'aws_sqs_queue',
      'https://sqs.cn-north-1.amazonaws.com.cn/1/q',
    ],
    [aws('iam::1:role/path/to/deploy'), 'aws_iam_role', 'deploy'],
    [aws('iam::1:policy/p'), 'aws_iam_policy', aws('iam::1:policy/p')],
    [aws('logs:eu-west-1:1:log-group:/aws/lambda/f'), 'aws_cloudwatch_log_group', '/aws/lambda/f'],
    [aws('ecs:eu-west-1:1:service/main/web'), 'aws_ecs_service', 'main/web'],
    [aws('eks:eu-west-1:1:nodegroup/main/pool/uuid'), 'aws_eks_node_group', 'main:pool'],
    [aws('kms:eu-west-1:1:alias/a'), 'aws_kms_alias', 'alias/a'],
    [aws('ssm:eu-west-1:1:parameter/a/b'), 'aws_ssm_parameter', '/a/b'],
    [aws('ssm:eu-west-1:1:parameter/a'), 'aws_ssm_parameter', 'a'],
    [
      aws('elasticloadbalancing:eu-west-1:1:loadbalancer/app/web/50'),
      'aws_lb',
      aws('elasticloadbalancing:eu-west-1:1:loadbalancer/app/web/50'),
    ],
    [aws('elasticloadbalancing:eu-west-1:1:loadbalancer/old'), 'aws_elb', 'old'],
    [
      aws('autoscaling:eu-west-1:1:autoScalingGroup:uuid:autoScalingGroupName/web'),
      'aws_autoscaling_group',
      'web',
    ],
    [aws('apigateway:eu-west-1::/restapis/abc'), 'aws_api_gateway_rest_api', 'abc'],
    [
      '//compute.googleapis.com/projects/p/zones/z/instances/i',
      'google_compute_instance',
      'projects/p/zones/z/instances/i',
    ],
    [
      '//compute.googleapis.com/projects/p/global/addresses/a',
      'google_compute_global_address',
      'projects/p/global/addresses/a',
    ],
    [
      '//compute.googleapis.com/projects/p/regions/r/addresses/a',
      'google_compute_address',
      'projects/p/regions/r/addresses/a',
    ],
    ['//storage.googleapis.com/b', 'google_storage_bucket', 'b'],
    [
      '//cloudsql.googleapis.com/projects/p/instances/i',
      'google_sql_database_instance',
      'projects/p/instances/i',
    ],
    [
      '//container.googleapis.com/projects/p/zones/z/clusters/c',
      'google_container_cluster',
      'projects/p/locations/z/clusters/c',
    ],
    [
      '//container.googleapis.com/projects/p/locations/l/clusters/c/nodePools/n',
      'google_container_node_pool',
      'p/l/c/n',
    ],
    ['//pubsub.googleapis.com/projects/p/topics/t', 'google_pubsub_topic', 'projects/p/topics/t'],
    [group, 'azurerm_resource_group', '/subscriptions/s/resourceGroups/rg'],
    [
      `${group}/providers/microsoft.storage/storageaccounts/a`,
      'azurerm_storage_account',
      '/subscriptions/s/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/a',
    ],
    [
      `${group}/providers/microsoft.network/virtualnetworks/v/subnets/n`,
      'azurerm_subnet',
      '/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v/subnets/n',
    ],
    [
      `${group}/providers/microsoft.new/things/t`,
      'azapi_resource',
      `${group}/providers/microsoft.new/things/t`,
    ],
    [
      '/providers/microsoft.management/managementgroups/g',
      'azapi_resource',
      '/providers/microsoft.management/managementgroups/g',
    ],
  ])('%s', (cloudId, type, id) => {
    expect(importRule(resource(cloudId))).toEqual({ type, id })
  })

  test.each([
    aws('braket:eu-west-1:1:device/x'),
    aws('ec2:eu-west-1:1:constructor/x'),
    aws('constructor:eu-west-1:1:x'),
    aws('ec2:eu-west-1:1:instance/'),
    aws('apigateway:eu-west-1::/restapis/abc/stages/prod'),
    aws('s3:::bucket/key'),
    // The ARN of before 2018 does not name the cluster, which the import id does.
    aws('ecs:eu-west-1:1:service/web'),
    '//storage.googleapis.com/b/o',
    '//compute.googleapis.com/projects/p/zones/z',
    '//unknown.googleapis.com/projects/p/things/t',
    '//iam.googleapis.com/projects/p/serviceAccounts/112233445566778899000',
  ])('has no rule: %s', (cloudId) => {
    expect(importRule(resource(cloudId))).toBeUndefined()
  })

  const functionId = '//cloudfunctions.googleapis.com/projects/p/locations/l/functions/f'
  const email = 'deploy@p.iam.gserviceaccount.com'
  const accountId = '//iam.googleapis.com/projects/p/serviceAccounts/112233445566778899000'
  const first = { type: 'google_cloudfunctions_function', id: 'p/l/f' }
  const second = {
    type: 'google_cloudfunctions2_function',
    id: 'projects/p/locations/l/functions/f',
  }
  const account = { type: 'google_service_account', id: `projects/p/serviceAccounts/${email}` }
  test.each<[string, Partial<Importable>, ImportRule]>([
    [functionId, { type: 'cloudfunctions.googleapis.com/CloudFunction' }, first],
    [functionId, { type: 'cloudfunctions.googleapis.com/Function' }, second],
    [functionId, {}, second],
    [accountId, { name: email }, account],
    [`//iam.googleapis.com/projects/p/serviceAccounts/${email}`, { name: 'The deployer' }, account],
  ])('%s with %j', (cloudId, more, rule) => {
    expect(importRule(resource(cloudId, more))).toEqual(rule)
  })

  test('the table has the types that were asked for', () => {
    expect(Object.keys(awsRules).length).toBeGreaterThanOrEqual(60)
    expect(Object.keys(googleRules).length).toBeGreaterThanOrEqual(40)
    const types = [...Object.values(awsRules).map(([type]) => type), ...Object.values(googleRules)]
    expect(new Set(types).size).toBe(types.length)
  })
})

describe('importBlocks', () => {
  test('one block each, with names of their own and the region beside it', () => {
    const found = [
      resource(aws('s3:::logs'), { name: 'Logs of 2024', region: 'eu-west-1' }),
      resource(aws('s3:::other'), { name: 'logs-of-2024' }),
      resource(aws('braket:eu-west-1:1:device/x')),
      resource(aws('s3:::held'), { workspace: { name: 'net', address: 'aws_s3_bucket.b["x"]' } }),
    ]
    expect(importBlocks(found))
      .toBe(`# tofu plan -generate-config-out=generated.tf writes the resources of these blocks.

# in "eu-west-1"
import {
  to = aws_s3_bucket.logs_of_2024
  id = "logs"
}

import {
  to = aws_s3_bucket.logs_of_2024_2
  id = "other"
}

# There is no rule for "arn:aws:braket:eu-west-1:1:device/x": look up its type.

# "arn:aws:s3:::held" is "aws_s3_bucket.b[\\"x\\"]" of the workspace "net".
`)
  })

  test('what is gone, and a service account without its email, is a comment', () => {
    const account = '//iam.googleapis.com/projects/p/serviceAccounts/112233445566778899000'
    const found = [
      resource(aws('s3:::logs'), { state: 'gone' }),
      resource(account, { name: 'The "deployer"' }),
      resource(aws('s3:::other'), { state: 'present' }),
    ]
    const text = importBlocks(found)
    expect(text.match(/^import \{$/gm)).toHaveLength(1)
    expect(text).toContain('# "arn:aws:s3:::logs" is gone: there is nothing to import.\n')
    expect(text).toContain(
      `# "${account}" is imported by its email, which the inventory does not have: google_service_account.\n`,
    )
  })

  const hostile = [
    '"\n}\nresource "x" "y" {}\n#',
    '${file("/etc/passwd")}',
    '%{ if true }x%{ endif }',
    '$${x}',
    '\\"',
    '*/ \r\n import {}',
    '\u2028}\u2029\u0085\u0000',
    '\u202e\u{e0001}',
    '',
    '1-2',
    '😀',
    'x'.repeat(2_000),
  ]
  test.each(hostile)('a hostile name, id and region add nothing: %j', (text) => {
    const found = [
      resource(`arn:aws:s3:::${text.replaceAll(/[/:]/g, '')}x`, { name: text, region: text }),
      resource(`arn:aws:nothing:::${text}`, { name: text, region: text }),
      resource('arn:aws:s3:::held', { workspace: { name: text, address: text } }),
    ]
    const lines = importBlocks(found).split('\n')
    for (const line of lines)
      expect(line).toMatch(
        /^(|# [^\p{Cc}\p{Zl}\p{Zp}]*|import \{| {2}to = aws_s3_bucket\.[a-z][a-z0-9_]*| {2}id = "(?:[^"\\$%\p{Cc}\p{Zl}\p{Zp}]|\\["\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|[$%](?!\{))*"|\})$/u,
      )
    expect(lines.filter((line) => line === 'import {')).toHaveLength(1)
  })
})
