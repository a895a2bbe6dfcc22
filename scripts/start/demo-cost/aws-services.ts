import { awsArn as arn, awsOtherLines } from './aws-other-services.ts'
import { hexOf, makeResources, type DemoResource, type ServiceLine } from './demo-resource.ts'
import { shopNames } from './shop-names.ts'

const accounts = {
  prod: { id: '111122223333', name: 'shop-production', env: 'production' },
  stage: { id: '444455556666', name: 'shop-staging', env: 'staging' },
  data: { id: '777788889999', name: 'data-platform', env: null },
}

const instance = ({ name }: { name: string }) => `i-0${hexOf(name, 16)}`

const compute = {
  service: 'Amazon Elastic Compute Cloud',
  category: 'Compute',
  subcategory: 'Virtual Machines',
  type: 'Instance',
  unit: 'Hours',
  id: instance,
} as const
const [eu, us] = ['eu-central-1', 'us-east-1']

/** What the workspace demo-shop holds: its state has the same resources (shop-files.ts). */
const shopLines: ServiceLine[] = [
  {
    ...compute,
    meter: 'm7g.xlarge Linux',
    unitPrice: 0.1952,
    commitment: 'savings-plan',
    isShop: true,
    at: [['prod', eu, shopNames.web, 3, 15, 'checkout']],
  },
  {
    ...compute,
    meter: 'c7g.4xlarge Linux',
    unitPrice: 0.6976,
    isShop: true,
    // The run of demo-shop that is dated back starts them: the first anomaly.
    beganDaysAgo: 5,
    at: [['prod', eu, shopNames.worker, 6, 132, 'checkout']],
  },
  {
    service: 'Amazon Relational Database Service',
    category: 'Databases',
    subcategory: 'Relational Databases',
    type: 'DB instance',
    meter: 'db.r7g.2xlarge PostgreSQL Multi-AZ',
    unit: 'Hours',
    unitPrice: 1.912,
    isShop: true,
    id: arn('rds', 'db:'),
    at: [['prod', eu, shopNames.database, 1, 45.9, 'checkout']],
  },
  {
    service: 'Amazon ElastiCache',
    category: 'Databases',
    subcategory: 'Caching',
    type: 'Cluster',
    meter: 'cache.r7g.large',
    unit: 'Hours',
    unitPrice: 0.262,
    isShop: true,
    id: arn('elasticache', 'cluster:'),
    at: [['prod', eu, shopNames.cache, 1, 12.6, 'checkout']],
  },
  {
    service: 'Amazon Simple Storage Service',
    category: 'Storage',
    subcategory: 'Object Storage',
    type: 'Bucket',
    meter: 'Standard storage',
    unit: 'GB-Months',
    unitPrice: 0.0245,
    growth: 0.6,
    isShop: true,
    id: ({ name }) => name,
    at: [['prod', eu, shopNames.bucket, 1, 14, 'checkout']],
  },
]

const computeLines: ServiceLine[] = [
  {
    ...compute,
    meter: 'm7g.large Linux',
    unitPrice: 0.0976,
    commitment: 'savings-plan',
    at: [
      ['prod', eu, 'catalog', 9, 62, 'catalog'],
      ['prod', eu, 'search', 6, 44, 'catalog'],
      ['data', us, 'spark', 8, 71, 'data'],
    ],
  },
  {
    ...compute,
    meter: 't4g.large Linux',
    unitPrice: 0.0768,
    week: 'office',
    commitment: 'savings-plan',
    at: [['stage', eu, 'stage', 10, 21, 'platform']],
  },
  {
    ...compute,
    subcategory: 'Block Storage',
    type: 'Volume',
    meter: 'gp3 storage',
    unit: 'GB-Months',
    unitPrice: 0.0952,
    growth: 0.15,
    id: ({ name }) => `vol-0${hexOf(name, 16)}`,
    at: [
      ['prod', eu, 'disk-prod', 14, 26, 'catalog'],
      ['data', us, 'disk-data', 9, 31, 'data'],
      ['stage', eu, 'disk-left-behind', 5, 9, null],
    ],
  },
  {
    ...compute,
    subcategory: 'Network',
    type: 'Transfer',
    meter: 'Data transfer out',
    unit: 'GB',
    unitPrice: 0.09,
    week: 'shop',
    id: () => null,
    at: [
      ['prod', eu, 'transfer-prod', 1, 22, null],
      ['data', us, 'transfer-data', 1, 7, null],
    ],
  },
  {
    service: 'AWS Lambda',
    category: 'Compute',
    subcategory: 'Serverless Compute',
    type: 'Function',
    meter: 'Compute time, Arm',
    unit: 'GB-Seconds',
    unitPrice: 0.0000133334,
    week: 'shop',
    growth: 0.3,
    id: arn('lambda', 'function:'),
    at: [
      ['prod', eu, 'orders', 9, 11, 'checkout'],
      ['stage', eu, 'orders-stage', 4, 1.4, 'platform'],
      ['data', us, 'collect', 3, 4.2, null],
    ],
  },
  {
    service: 'Amazon Elastic Container Service',
    category: 'Compute',
    subcategory: 'Containers',
    type: 'Service',
    meter: 'Fargate vCPU, Arm',
    unit: 'vCPU-Hours',
    unitPrice: 0.03238,
    week: 'shop',
    growth: 0.2,
    commitment: 'savings-plan',
    id: arn('ecs', 'service/main/'),
    at: [
      ['prod', eu, 'storefront', 5, 48, 'growth'],
      ['stage', eu, 'storefront-stage', 3, 9, 'growth'],
    ],
  },
  {
    service: 'Amazon Elastic Kubernetes Service',
    category: 'Compute',
    subcategory: 'Containers',
    type: 'Cluster',
    meter: 'Cluster',
    unit: 'Hours',
    unitPrice: 0.1,
    id: arn('eks', 'cluster/'),
    at: [
      ['prod', eu, 'platform', 1, 2.4, 'platform'],
      ['stage', eu, 'platform-stage', 1, 2.4, 'platform'],
      ['data', us, 'notebooks', 1, 2.4, 'data'],
    ],
  },
]

export const awsResources: readonly DemoResource[] = makeResources('aws', accounts, [
  ...shopLines,
  ...computeLines,
  ...awsOtherLines,
])
