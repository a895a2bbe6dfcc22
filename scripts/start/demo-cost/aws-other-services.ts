import { hexOf, type ServiceLine } from './demo-resource.ts'

type Place = Parameters<ServiceLine['id']>[0]
export const awsArn =
  (service: string, before = '') =>
  ({ account, region, name }: Place) =>
    `arn:aws:${service}:${region}:${account}:${before}${name}`
const [eu, us] = ['eu-central-1', 'us-east-1']

const dataLines: ServiceLine[] = [
  {
    service: 'Amazon Relational Database Service',
    category: 'Databases',
    subcategory: 'Relational Databases',
    type: 'DB instance',
    meter: 'db.m7g.large PostgreSQL',
    unit: 'Hours',
    unitPrice: 0.195,
    growth: 0.1,
    id: awsArn('rds', 'db:'),
    at: [
      ['prod', eu, 'catalog', 3, 33, 'catalog'],
      ['stage', eu, 'stage', 2, 9.4, 'platform'],
      ['data', us, 'reports', 2, 19, null],
    ],
  },
  {
    service: 'Amazon DynamoDB',
    category: 'Databases',
    subcategory: 'NoSQL Databases',
    type: 'Table',
    meter: 'Write request units',
    unit: 'Requests',
    unitPrice: 0.000000705,
    week: 'shop',
    growth: 0.25,
    id: awsArn('dynamodb', 'table/'),
    at: [
      ['prod', eu, 'carts', 5, 23, 'checkout'],
      ['stage', eu, 'carts-stage', 3, 1.2, 'platform'],
    ],
  },
  {
    service: 'Amazon ElastiCache',
    category: 'Databases',
    subcategory: 'Caching',
    type: 'Cluster',
    meter: 'cache.t4g.medium',
    unit: 'Hours',
    unitPrice: 0.076,
    id: awsArn('elasticache', 'cluster:'),
    at: [
      ['prod', eu, 'sessions', 3, 9.6, 'platform'],
      ['stage', eu, 'sessions-stage', 1, 1.8, 'platform'],
    ],
  },
  {
    service: 'Amazon OpenSearch Service',
    category: 'Analytics',
    subcategory: 'Search',
    type: 'Domain',
    meter: 'r7g.large.search',
    unit: 'Hours',
    unitPrice: 0.195,
    id: awsArn('es', 'domain/'),
    at: [
      ['prod', eu, 'products', 2, 28, 'catalog'],
      ['data', us, 'logs', 1, 14, 'data'],
    ],
  },
  {
    service: 'Amazon Redshift',
    category: 'Analytics',
    subcategory: 'Data Warehouses',
    type: 'Cluster',
    meter: 'ra3.xlplus node',
    unit: 'Hours',
    unitPrice: 1.086,
    id: awsArn('redshift', 'cluster:'),
    at: [['data', us, 'warehouse', 2, 78, 'data']],
  },
  {
    service: 'Amazon Simple Storage Service',
    category: 'Storage',
    subcategory: 'Object Storage',
    type: 'Bucket',
    meter: 'Standard storage',
    unit: 'GB-Months',
    unitPrice: 0.0245,
    growth: 0.5,
    id: ({ name }) => `northwind-${name}`,
    at: [
      ['prod', eu, 'media', 5, 19, 'catalog'],
      ['data', us, 'lake', 5, 52, 'data'],
      ['stage', eu, 'old-exports', 3, 8.5, null],
    ],
  },
]

const networkLines: ServiceLine[] = [
  {
    service: 'Amazon CloudFront',
    category: 'Networking',
    subcategory: 'Content Delivery',
    type: 'Distribution',
    meter: 'Data transfer to viewers, Europe',
    unit: 'GB',
    unitPrice: 0.085,
    week: 'shop',
    growth: 0.3,
    id: ({ account, name }) =>
      `arn:aws:cloudfront::${account}:distribution/E${hexOf(name, 13).toUpperCase()}`,
    at: [['prod', 'global', 'cdn', 3, 31, 'growth']],
  },
  {
    service: 'Elastic Load Balancing',
    category: 'Networking',
    subcategory: 'Application Networking',
    type: 'Load balancer',
    meter: 'Application load balancer',
    unit: 'Hours',
    unitPrice: 0.027,
    id: ({ account, region, name }) =>
      `arn:aws:elasticloadbalancing:${region}:${account}:loadbalancer/app/${name}/${hexOf(name, 16)}`,
    at: [
      ['prod', eu, 'shop-lb', 4, 9, 'platform'],
      ['stage', eu, 'stage-lb', 2, 1.6, 'platform'],
    ],
  },
  {
    service: 'Amazon Virtual Private Cloud',
    category: 'Networking',
    subcategory: 'Network Connectivity',
    type: 'NAT gateway',
    meter: 'NAT gateway data processed',
    unit: 'GB',
    unitPrice: 0.052,
    id: ({ account, region, name }) =>
      `arn:aws:ec2:${region}:${account}:natgateway/nat-0${hexOf(name, 16)}`,
    at: [
      ['prod', eu, 'nat-prod', 3, 17, 'platform'],
      ['data', us, 'nat-data', 2, 21, null],
    ],
  },
  {
    service: 'Amazon Route 53',
    category: 'Networking',
    subcategory: 'Domain Name System',
    type: 'Hosted zone',
    meter: 'DNS queries',
    unit: 'Queries',
    unitPrice: 0.0000004,
    id: ({ name }) => `arn:aws:route53:::hostedzone/Z${hexOf(name, 19).toUpperCase()}`,
    at: [['prod', 'global', 'zone', 3, 1.3, null]],
  },
]

const otherLines: ServiceLine[] = [
  {
    service: 'AmazonCloudWatch',
    category: 'Management and Governance',
    subcategory: 'Observability',
    type: 'Log group',
    meter: 'Log data ingested',
    unit: 'GB',
    unitPrice: 0.63,
    growth: 0.2,
    id: awsArn('logs', 'log-group:/northwind/'),
    at: [
      ['prod', eu, 'app', 8, 18, 'platform'],
      ['stage', eu, 'app-stage', 4, 2.6, 'platform'],
      ['data', us, 'jobs', 3, 6.4, null],
    ],
  },
  {
    service: 'AWS Key Management Service',
    category: 'Security',
    subcategory: 'Encryption',
    type: 'Key',
    meter: 'Customer managed key',
    unit: 'Keys',
    unitPrice: 1,
    id: ({ account, region, name }) => {
      const hex = hexOf(name, 32)
      const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
      return `arn:aws:kms:${region}:${account}:key/${[...parts, hex.slice(20)].join('-')}`
    },
    at: [['prod', eu, 'key', 6, 0.4, 'platform']],
  },
  {
    service: 'Amazon Simple Queue Service',
    category: 'Integration',
    subcategory: 'Messaging',
    type: 'Queue',
    meter: 'Requests, standard queues',
    unit: 'Requests',
    unitPrice: 0.0000004,
    week: 'shop',
    id: awsArn('sqs'),
    at: [
      ['prod', eu, 'orders', 5, 3.4, 'checkout'],
      ['stage', eu, 'orders-stage', 2, 0.3, 'platform'],
    ],
  },
]

/** The services of AWS that no commitment pays for. */
export const awsOtherLines: readonly ServiceLine[] = [...dataLines, ...networkLines, ...otherLines]
