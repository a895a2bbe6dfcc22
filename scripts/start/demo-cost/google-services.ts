import { makeResources, type DemoResource, type ServiceLine } from './demo-resource.ts'
import { shopNames } from './shop-names.ts'

const accounts = {
  analytics: { id: 'northwind-analytics', name: 'Analytics', env: 'production' },
  web: { id: 'northwind-web', name: 'Web', env: 'production' },
}

type Place = Parameters<ServiceLine['id']>[0]
const idOf =
  (service: string, folder: string) =>
  ({ account, region, name }: Place) =>
    `//${service}.googleapis.com/projects/${account}/${folder.replace('REGION', region)}/${name}`
const bucket = ({ name }: Place) => `//storage.googleapis.com/${name}`
const [west, central] = ['europe-west3', 'us-central1']

const storage = {
  service: 'Cloud Storage',
  category: 'Storage',
  subcategory: 'Object Storage',
  type: 'Bucket',
  meter: 'Standard storage, Frankfurt',
  unit: 'GB-Months',
  unitPrice: 0.023,
  growth: 0.4,
  id: bucket,
} as const

const computeLines: ServiceLine[] = [
  {
    service: 'Compute Engine',
    category: 'Compute',
    subcategory: 'Virtual Machines',
    type: 'Instance',
    meter: 'N2 instance core',
    unit: 'Hours',
    unitPrice: 0.0407,
    growth: 0.1,
    id: idOf('compute', 'zones/REGION-a/instances'),
    at: [
      ['analytics', central, 'dataproc', 7, 46, 'data'],
      ['web', west, 'render', 5, 21, 'growth'],
    ],
  },
  {
    service: 'Cloud Run',
    category: 'Compute',
    subcategory: 'Serverless Compute',
    type: 'Service',
    meter: 'CPU allocation time',
    unit: 'vCPU-Seconds',
    unitPrice: 0.000024,
    week: 'shop',
    growth: 0.3,
    id: idOf('run', 'locations/REGION/services'),
    at: [['web', west, 'landing', 8, 17, 'growth']],
  },
  {
    service: 'Kubernetes Engine',
    category: 'Compute',
    subcategory: 'Containers',
    type: 'Cluster',
    meter: 'Autopilot pod mCPU',
    unit: 'Hours',
    unitPrice: 0.0573,
    id: idOf('container', 'locations/REGION/clusters'),
    at: [['analytics', central, 'airflow', 2, 19, 'data']],
  },
  {
    service: 'Vertex AI',
    category: 'AI and Machine Learning',
    subcategory: 'AI Platforms',
    type: 'Endpoint',
    meter: 'Online prediction node',
    unit: 'Hours',
    unitPrice: 0.75,
    week: 'office',
    id: idOf('aiplatform', 'locations/REGION/endpoints'),
    at: [['analytics', central, 'recommend', 2, 26, 'data']],
  },
]

const otherLines: ServiceLine[] = [
  { ...storage, isShop: true, at: [['web', west, shopNames.exports, 1, 5, 'checkout']] },
  {
    ...storage,
    at: [
      ['analytics', west, 'northwind-events', 5, 24, 'data'],
      ['web', west, 'northwind-assets', 2, 4, null],
    ],
  },
  {
    service: 'BigQuery',
    category: 'Analytics',
    subcategory: 'Data Warehouses',
    type: 'Dataset',
    meter: 'Analysis',
    unit: 'TiB',
    unitPrice: 6.25,
    week: 'office',
    growth: 0.2,
    id: idOf('bigquery', 'datasets'),
    at: [['analytics', west, 'mart', 6, 47, 'data']],
  },
  {
    service: 'Cloud SQL',
    category: 'Databases',
    subcategory: 'Relational Databases',
    type: 'Instance',
    meter: 'PostgreSQL vCPU',
    unit: 'Hours',
    unitPrice: 0.0413,
    id: ({ account, name }) => `//cloudsql.googleapis.com/projects/${account}/instances/${name}`,
    at: [['web', west, 'cms', 3, 16, 'growth']],
  },
  {
    service: 'Cloud Pub/Sub',
    category: 'Integration',
    subcategory: 'Messaging',
    type: 'Topic',
    meter: 'Message delivery',
    unit: 'TiB',
    unitPrice: 40,
    week: 'shop',
    id: idOf('pubsub', 'topics'),
    at: [['analytics', west, 'clicks', 6, 9, 'data']],
  },
  {
    service: 'Cloud Logging',
    category: 'Management and Governance',
    subcategory: 'Observability',
    type: 'Bucket',
    meter: 'Log storage',
    unit: 'GiB',
    unitPrice: 0.5,
    id: () => null,
    at: [
      ['analytics', west, 'logs-analytics', 2, 6, null],
      ['web', west, 'logs-web', 1, 3, null],
    ],
  },
  {
    service: 'Networking',
    category: 'Networking',
    subcategory: 'Network Connectivity',
    type: 'Transfer',
    meter: 'Internet data transfer out',
    unit: 'GiB',
    unitPrice: 0.12,
    week: 'shop',
    id: () => null,
    at: [
      ['web', west, 'transfer-web', 2, 12, null],
      ['analytics', central, 'transfer-analytics', 1, 3, null],
    ],
  },
]

export const googleResources: readonly DemoResource[] = makeResources('gcp', accounts, [
  ...computeLines,
  ...otherLines,
])
