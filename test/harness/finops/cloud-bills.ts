import { dayAfter } from '../../../domain/finops/anomalies/days.ts'
import { stateOf } from '../../api/workspaces/state-client.ts'
import { seededRandom } from './varied-bill.ts'

type Values = Record<string, string | number>

/** Resources of one size: how a state, a plan and a bill of the cloud write them. */
export type CloudKind = {
  type: string
  /** In a plan and a state; `NAME` is the resource's. */
  values: Values
  ids: Values
  billedId: string
  service: string
  listADay: number
  /** How much a day may differ; undefined is paid by use. */
  noise?: number
}

export type Cloud = {
  name: string
  /** As the bill has them. */
  provider: string
  region: string
  account: string
  /** What is paid of the list. */
  negotiated: number
  /** What is on the invoice, of what is paid: the rest of it was paid before. */
  invoiced: number
  kinds: CloudKind[]
  /** The provider's configuration in a plan. */
  configured?: Values
}

const azureId = '/subscriptions/1b2c/resourceGroups/Shop/providers/Microsoft'
const googlePlace = 'projects/shop/zones/europe-west1-b'

export const clouds: Cloud[] = [
  {
    name: 'aws',
    provider: 'AWS',
    region: 'eu-west-1',
    account: '123456789012',
    negotiated: 0.77,
    invoiced: 1,
    configured: { region: 'eu-west-1' },
    kinds: [
      {
        type: 'aws_instance',
        values: { instance_type: 'm5.large' },
        ids: { arn: 'arn:aws:ec2:eu-west-1:123456789012:instance/i-NAME', id: 'i-NAME' },
        billedId: 'i-NAME',
        service: 'Amazon Elastic Compute Cloud',
        listADay: 2.304,
        noise: 0.02,
      },
      {
        type: 'aws_db_instance',
        values: { instance_class: 'db.r6g.large', engine: 'postgres', allocated_storage: 100 },
        ids: { arn: 'arn:aws:rds:eu-west-1:123456789012:db:NAME', id: 'NAME' },
        billedId: 'arn:aws:rds:eu-west-1:123456789012:db:NAME',
        service: 'Amazon Relational Database Service',
        listADay: 5.76,
        noise: 0.05,
      },
      {
        type: 'aws_s3_bucket',
        values: {},
        ids: { arn: 'arn:aws:s3:::shop-NAME', id: 'shop-NAME' },
        billedId: 'shop-NAME',
        service: 'Amazon Simple Storage Service',
        listADay: 3,
      },
    ],
  },
  {
    name: 'azurerm',
    provider: 'Microsoft',
    region: 'westeurope',
    account: '/subscriptions/1b2c',
    negotiated: 0.85,
    invoiced: 0,
    kinds: [
      {
        type: 'azurerm_linux_virtual_machine',
        values: { size: 'Standard_D4s_v5', location: 'West Europe' },
        ids: { id: `${azureId}.Compute/virtualMachines/NAME` },
        billedId: `${azureId.toUpperCase()}.COMPUTE/VIRTUALMACHINES/NAME`,
        service: 'Virtual Machines',
        listADay: 5.06,
        noise: 0.02,
      },
      {
        type: 'azurerm_managed_disk',
        values: { disk_size_gb: 256, storage_account_type: 'Premium_LRS', location: 'westeurope' },
        ids: { id: `${azureId}.Compute/disks/NAME` },
        billedId: `${azureId}.Compute/disks/NAME`,
        service: 'Storage',
        listADay: 1.27,
        noise: 0,
      },
      {
        type: 'azurerm_storage_account',
        values: { location: 'westeurope' },
        ids: { id: `${azureId}.Storage/storageAccounts/NAME` },
        billedId: `${azureId}.Storage/storageAccounts/NAME`,
        service: 'Storage',
        listADay: 4,
      },
    ],
  },
  {
    name: 'google',
    provider: 'Google Cloud',
    region: 'europe-west1',
    account: 'shop',
    negotiated: 0.7,
    invoiced: 0.4,
    kinds: [
      {
        type: 'google_compute_instance',
        values: { machine_type: 'n2-standard-8', zone: 'europe-west1-b' },
        ids: { self_link: `https://www.googleapis.com/compute/v1/${googlePlace}/instances/NAME` },
        billedId: `//compute.googleapis.com/${googlePlace}/instances/NAME`,
        service: 'Compute Engine',
        listADay: 10.26,
        noise: 0.03,
      },
      {
        type: 'google_compute_disk',
        values: { size: 500, type: 'pd-ssd', zone: 'europe-west1-b' },
        ids: { self_link: `https://www.googleapis.com/compute/v1/${googlePlace}/disks/NAME` },
        billedId: `//compute.googleapis.com/${googlePlace}/disks/NAME`,
        service: 'Compute Engine',
        listADay: 3.08,
        noise: 0,
      },
      {
        type: 'google_storage_bucket',
        values: { location: 'EUROPE-WEST1' },
        ids: { self_link: 'https://www.googleapis.com/storage/v1/b/shop-NAME' },
        billedId: '//storage.googleapis.com/shop-NAME',
        service: 'Cloud Storage',
        listADay: 2,
      },
    ],
  },
]

/** `NAME` of the resource `n` of a kind, in small letters and digits as a short id has them. */
const nameOf = (at: number, n: number): string => `0abc${at}${n.toString(16).padStart(6, '0')}`
const named = <T>(values: T, name: string): T =>
  JSON.parse(JSON.stringify(values).replaceAll('NAME', name)) as T

/** Of each kind so many resources, the first with this number. */
export type Made = { first: number; count: number }

/** A state of OpenTofu with them. */
export const cloudState = ({ kinds, name }: Cloud, { first, count }: Made, serial = 1) =>
  stateOf(serial, {
    resources: kinds.map(({ type, values, ids }, at) => ({
      mode: 'managed',
      type,
      name: 'a',
      provider: `provider["registry.opentofu.org/hashicorp/${name}"]`,
      instances: Array.from({ length: count }, (_, n) => ({
        index_key: n,
        attributes: { ...values, ...named(ids, nameOf(at, first + n)) },
      })),
    })),
  })

const columns = `BilledCost EffectiveCost ListCost ContractedCost BillingCurrency
  BillingPeriodStart BillingPeriodEnd ChargePeriodStart ChargePeriodEnd
  ChargeCategory ProviderName ServiceName ResourceId SubAccountId RegionId`.split(/\s+/)

/** A month's bill as FOCUS 1.0 in CSV: each day of each resource, and a tax and a credit. */
export function cloudBill(cloud: Cloud, month: string, { first, count }: Made): string {
  const { kinds, provider, region, account, negotiated, invoiced } = cloud
  const next = seededRandom(Number(month.replace('-', '')))
  const start = `${month}-01`
  const days = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getDate()
  const line = (day: number, list: number, [category, service, id]: [string, string, string]) => {
    const paid = list * negotiated
    const amounts = [paid * invoiced, paid, list, paid].map((amount) => amount.toFixed(10))
    const times = [start, dayAfter(start, days), dayAfter(start, day), dayAfter(start, day + 1)]
    const at = times.map((time) => `${time}T00:00:00Z`)
    return [...amounts, 'USD', ...at, category, provider, service, id, account, region]
  }
  const lines = kinds.flatMap(({ billedId, service, listADay, noise }, at) =>
    Array.from({ length: count }, (_, n) => n).flatMap((n) =>
      Array.from({ length: days }, (__, day) => {
        const differs =
          noise === undefined ? (n + 1) * (day + 1) * next() : 1 + (next() * 2 - 1) * noise
        const id = named(billedId, nameOf(at, first + n))
        return line(day, listADay * differs, ['Usage', service, id])
      }),
    ),
  )
  const [kind] = kinds
  const id = named(kind?.billedId ?? '', nameOf(0, first))
  lines.push(line(3, 900, ['Tax', 'Tax', '']))
  lines.push(line(4, -700, ['Credit', kind?.service ?? '', month === '2026-03' ? id : '']))
  return [columns, ...lines].map((row) => `${row.map((cell) => `"${cell}"`).join(',')}\n`).join('')
}
