import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openCloud } from '../../../gateways/clouds/open-cloud.ts'
import { cloudDeps, cloudTarget } from '../../harness/clouds/cloud-target.ts'
import {
  type ScriptedAws,
  scriptedAccount,
  startScriptedAws,
} from '../../harness/clouds/scripted-aws.ts'
import { type ScriptedCloud, startScriptedCloud } from '../../harness/clouds/scripted-cloud.ts'

let aws: ScriptedAws
let trap: ScriptedCloud
let home: string

/** What the operator's machine may hold for itself: none of it may take part in a tenant's call. */
beforeAll(async () => {
  aws = await startScriptedAws()
  trap = await startScriptedCloud()
  home = mkdtempSync(join(tmpdir(), 'poisoned-'))
  const profile = [
    'region = eu-poison-1',
    `endpoint_url = ${trap.url}`,
    'use_fips_endpoint = true',
    'use_dualstack_endpoint = true',
    'retry_mode = legacy',
    'max_attempts = 1',
    'sdk_ua_app_id = poisoned',
    'aws_access_key_id = AKIAPOISON',
    'aws_secret_access_key = poison',
  ]
  const file = join(home, 'config')
  writeFileSync(file, ['[default]', ...profile, '[profile poisoned]', ...profile].join('\n'))
  const variables = {
    HOME: home,
    AWS_CONFIG_FILE: file,
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_PROFILE: 'poisoned',
    AWS_ACCESS_KEY_ID: 'AKIAPOISON',
    AWS_SECRET_ACCESS_KEY: 'poison',
    AWS_SESSION_TOKEN: 'poison',
    AWS_REGION: 'eu-poison-1',
    AWS_DEFAULT_REGION: 'eu-poison-1',
    AWS_ENDPOINT_URL: trap.url,
    AWS_ENDPOINT_URL_STS: trap.url,
    AWS_ENDPOINT_URL_S3: trap.url,
    AWS_S3_USE_ARN_REGION: 'poisoned',
    AWS_S3_DISABLE_EXPRESS_SESSION_AUTH: 'poisoned',
    AWS_REQUEST_CHECKSUM_CALCULATION: 'poisoned',
    AWS_RESPONSE_CHECKSUM_VALIDATION: 'poisoned',
    AWS_ENDPOINT_URL_RESOURCE_EXPLORER_2: trap.url,
    AWS_ENDPOINT_URL_RESOURCE_GROUPS_TAGGING_API: trap.url,
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_ROLE_ARN: 'arn:aws:iam::999999999999:role/poison',
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${trap.url}/credentials`,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: trap.url,
    AWS_SDK_UA_APP_ID: 'poisoned',
    AWS_RETRY_MODE: 'legacy',
    AWS_MAX_ATTEMPTS: '1',
    HTTPS_PROXY: trap.url,
    HTTP_PROXY: trap.url,
    ALL_PROXY: trap.url,
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
  await aws.cloud.stop()
  await trap.stop()
})

const keys = { accessKeyId: 'AKIATENANT', secretAccessKey: 'the-secret' }
const role = { roleArn: `arn:aws:iam::${scriptedAccount}:role/read` }

test.each([
  ['keys', keys, 'AKIATENANT'],
  ['a role', role, 'ASIASESSION'],
])(
  'the environment, ~/.aws and the metadata of this machine are not read for an account by %s',
  async (_, credentials, signer) => {
    aws.reset()
    const billing = { bucket: 'bills', prefix: '', region: 'us-east-1', exportName: 'focus' }
    const account = { provider: 'aws', accountId: scriptedAccount, credentials, billing } as const
    const cloud = await openCloud(
      cloudTarget(aws.cloud.url, account),
      cloudDeps([aws.cloud.port, trap.port]),
    )
    await cloud.validate()
    await cloud.places()
    await cloud.resources({ region: 'us-east-1', service: '', state: 'ok', reason: null }, null)
    await cloud.members?.({ cursor: null, limit: 50 })
    await expect(cloud.bills?.()?.find(AbortSignal.timeout(10_000))).rejects.toThrow(
      /s3:ListBucket/,
    )
    cloud.close()
    const signed = aws.cloud.asked.filter(({ body }) => !body.includes('WebIdentityToken'))
    expect(signed.length).toBeGreaterThan(5)
    for (const { headers } of signed) expect(headers.authorization).toContain(signer)
    expect(JSON.stringify(aws.cloud.asked)).not.toMatch(/poison/i)
    expect(trap.connections).toBe(0)
  },
)

/** Names are made of the account's own region, and looked up; nothing is sent. */
test.each(['keys', 'role'] as const)(
  "without an endpoint of its own, an account by %s is looked for at AWS's own names",
  async (kind) => {
    const names: string[] = []
    const deps = cloudDeps([trap.port])
    const cloud = await openCloud(
      {
        ...cloudTarget('', {
          provider: 'aws',
          accountId: scriptedAccount,
          credentials: kind === 'keys' ? keys : role,
          regions: ['eu-west-1'],
        }),
        endpoints: {},
      },
      {
        ...deps,
        outbound: {
          ...deps.outbound,
          keep: () => ({
            ...deps.outbound,
            close: () => {},
            async request(url) {
              names.push(new URL(url).host)
              return { status: 404, headers: {}, body: Buffer.from('') }
            },
          }),
        },
      },
    )
    await cloud.validate()
    expect(new Set(names)).toEqual(
      new Set(
        kind === 'keys'
          ? [
              'sts.eu-west-1.amazonaws.com',
              'ec2.eu-west-1.amazonaws.com',
              'resource-explorer-2.eu-west-1.amazonaws.com',
              'tagging.eu-west-1.amazonaws.com',
            ]
          : ['sts.eu-west-1.amazonaws.com'],
      ),
    )
    expect(trap.connections).toBe(0)
  },
)
