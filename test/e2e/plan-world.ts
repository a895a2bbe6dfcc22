import { testPlan } from '../../domain/infrastructure/test-plan.ts'
import { recordedPlan } from '../api/infrastructure/recorded-plan.ts'
import type { Harness } from '../harness/create-harness.ts'
import { startRun } from '../harness/runs.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'

type Change = Parameters<typeof testPlan>[0][number]
type By = { org: TestOrganization; by: TestUser }

/** The address of a run that has this plan, without a worker that made it. */
export async function pageOfPlan(
  harness: Harness,
  { org, by }: By,
  plan: Record<string, unknown>,
): Promise<string> {
  const workspace = await org.workspace({ by })
  const { id } = await startRun(by, workspace)
  await recordedPlan(harness, { organizationId: org.id, workspaceRunId: id }, plan)
  return `/workspaces/${workspace.id}/runs/${id}?tab=plan`
}

const policy = (effect: string, actions: readonly string[]) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: effect, Action: actions }] })
const script = (image: string) =>
  `#!/bin/sh\nset -eu\nexport REGION=eu-central-1\ndocker run ${image}\necho done\n`

/** A plan with one of everything that the viewer shows in a way of its own. */
export const mixedPlan = () =>
  testPlan(
    [
      {
        address: 'aws_db_instance.main',
        actions: ['delete', 'create'],
        before: { engine: 'postgres 15', size: 'small', password: 'correct-horse-battery' },
        after: { engine: 'postgres 16', size: 'small', password: 'correct-horse-staple' },
        beforeSensitive: { password: true },
        afterSensitive: { password: true },
        unknown: { id: true },
        fields: { action_reason: 'replace_because_cannot_update' },
        changeFields: { replace_paths: [['engine']] },
      },
      {
        address: 'aws_instance.worker[4]',
        actions: ['delete'],
        before: { name: 'worker 4' },
        fields: { action_reason: 'delete_because_count_index', index: 4 },
      },
      {
        address: 'module.access.aws_iam_policy.deploy',
        actions: ['update'],
        before: { policy: policy('Allow', ['s3:GetObject', 's3:ListBucket']) },
        after: { policy: policy('Allow', ['s3:GetObject', 's3:PutObject', 's3:ListBucket']) },
        fields: { module_address: 'module.access' },
      },
      {
        address: 'module.web.aws_instance.app',
        actions: ['update'],
        before: { user_data: script('shop:1.4.2'), tags: { Name: 'app' } },
        after: { user_data: script('shop:1.5.0'), tags: { Name: 'app', Team: 'shop' } },
        fields: { module_address: 'module.web' },
      },
      // A name that reads as another one where its characters act.
      {
        address: 'aws_s3_bucket.logs["\u202eevil\u200bגיבוי"]',
        actions: ['delete'],
        before: { bucket: 'logs-\u2066archive\u2069', region: 'eu-central-1' },
      },
      { address: 'aws_vpc.old', actions: ['forget'], before: { cidr: '10.0.0.0/16' } },
      ...Array.from({ length: 12 }, (_, n) => created(n)),
    ],
    {
      output_changes: {
        endpoint: {
          actions: ['update'],
          before: 'https://old.example',
          after: 'https://new.example',
        },
      },
    },
  )

const created = (n: number): Change => ({
  address: `module.web.aws_route53_record.name["host-${n}"]`,
  actions: ['create'],
  after: { name: `host-${n}.shop.example`, type: 'A', ttl: 300 },
  fields: { module_address: 'module.web', index: `host-${n}` },
})

/** A plan of so many changes, a deletion at every hundredth place. */
export const longPlan = (count: number) =>
  testPlan(
    Array.from({ length: count }, (_, n): Change => {
      const values = { name: `item-${n}`, size: n % 7, tags: { Team: `team-${n % 13}` } }
      const address = `module.part${n % 9}.aws_instance.item[${n}]`
      const fields = { module_address: `module.part${n % 9}`, index: n }
      return n % 100 === 0
        ? { address, fields, actions: ['delete'], before: values }
        : { address, fields, actions: ['create'], after: values }
    }),
  )

/** Three tiers that need each other, with an instance beside. */
export const joinedPlan = () => {
  const needs: Record<string, readonly string[]> = {
    'aws_vpc.main': [],
    'aws_subnet.one': ['aws_vpc.main'],
    'aws_subnet.two': ['aws_vpc.main'],
    'aws_security_group.web': ['aws_vpc.main'],
    'aws_instance.web': ['aws_subnet.one', 'aws_security_group.web'],
    'aws_db_instance.main': ['aws_subnet.two', 'aws_security_group.web'],
    'aws_route53_record.shop': ['aws_instance.web', 'aws_db_instance.main'],
    'aws_s3_bucket.logs': [],
  }
  const resources = Object.entries(needs).map(([address, references]) => ({
    address,
    expressions: { input: { references } },
  }))
  return testPlan(
    Object.keys(needs).map((address) =>
      address === 'aws_db_instance.main'
        ? { address, actions: ['delete', 'create'], before: { size: 1 }, after: { size: 2 } }
        : { address, actions: ['create'], after: { name: address } },
    ),
    { configuration: { root_module: { resources } } },
  )
}
