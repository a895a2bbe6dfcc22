import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nameOfBilled, nameOfCloudId } from '../../../domain/clouds/name-of-resource.ts'
import { unwrap } from '../../../store/driver/tenant.ts'
import { createHarness, type Harness } from '../../harness/create-harness.ts'

const ids = [
  'i-0ae9198e3f12fa3e1',
  'vol-3d63b1f4',
  'tgw-attach-0a1b2c3d4e5f60718',
  'logs-of-one',
  'Logs.of_one',
  'arn:aws:s3:::Logs.of_one',
  'arn:aws:s3:::logs/a',
  'arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-0ae9198e3f12fa3e1',
  'arn:aws:ec2:us-west-2::snapshot/snap-0dde8e74d18bdd35b',
  'arn:aws:ec2:us-west-2:1:transit-gateway-attachment/tgw-attach-0a1b2c3d4e5f60718',
  'arn:aws:ec2:us-west-2:1:instance/',
  'arn:aws:ec2:us-west-2:1:instance/i-1/x',
  'arn:aws:ec2:us-west-2:1:instance/i-1\nx',
  'arn:aws:ecs:us-west-2:1:cluster/prod-0deadbeef',
  'arn:aws:logs:us-west-2:1:log-group:/a',
  'arn:',
  '',
  '-',
  'a-',
  'I-0AE9198E',
  'i-0ae9198e\n',
  'ünï-0ae9198e',
  '/subscriptions/A/resourceGroups/RG/providers/Microsoft.Compute/disks/D',
  '//compute.googleapis.com/projects/p/zones/z/instances/1',
  'ocid1.instance.oc1.phx.abc',
  `${'a-'.repeat(2_000)}!`,
]

describe('names of resources', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await createHarness()
  })
  afterAll(async () => harness.close())

  test('are the same in the database and in this process', async () => {
    const org = await harness.organization()
    const cases = ids.flatMap((id) =>
      ['aws', 'azure', 'oci'].flatMap((provider) =>
        ['Amazon Simple Storage Service', 'Amazon Elastic Compute Cloud'].map((service) => ({
          resourceId: id,
          provider,
          service,
        })),
      ),
    )
    const { rows } = await harness.deps.store.tenant(org.id, async (tenant) =>
      unwrap(tenant).db.raw(
        `select cloud_name(c."resourceId") as held, billed_name(c."resourceId", c.provider, c.service) as billed
         from json_to_recordset(?::json) as c ("resourceId" text, provider text, service text)`,
        [JSON.stringify(cases)],
      ),
    )
    expect(rows).toEqual(
      cases.map((one) => ({ held: nameOfCloudId(one.resourceId), billed: nameOfBilled(one) })),
    )
  })
})
