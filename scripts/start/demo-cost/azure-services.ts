import { hexOf, makeResources, type DemoResource, type ServiceLine } from './demo-resource.ts'

const subscription = (name: string) => {
  const hex = hexOf(name, 32)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
const accounts = {
  office: { id: subscription('office'), name: 'back-office', env: 'production' },
  ai: { id: subscription('ai'), name: 'assistants', env: 'development' },
}

type Place = Parameters<ServiceLine['id']>[0]
const idOf =
  (type: string) =>
  ({ account, name }: Place) =>
    `/subscriptions/${account}/resourceGroups/rg-${name.replace(/-\d+$/, '')}/providers/${type}/${name}`
const [west, north] = ['westeurope', 'northeurope']

const computeLines: ServiceLine[] = [
  {
    service: 'Virtual Machines',
    category: 'Compute',
    subcategory: 'Virtual Machines',
    type: 'Virtual machine',
    meter: 'D4s v5',
    unit: 'Hours',
    unitPrice: 0.23,
    commitment: 'reservation',
    id: idOf('Microsoft.Compute/virtualMachines'),
    at: [['office', west, 'erp', 6, 33, 'finance']],
  },
  {
    service: 'Virtual Machines',
    category: 'Compute',
    subcategory: 'Virtual Machines',
    type: 'Virtual machine',
    meter: 'B4ms',
    unit: 'Hours',
    unitPrice: 0.192,
    week: 'office',
    id: idOf('Microsoft.Compute/virtualMachines'),
    at: [
      ['office', west, 'desktop', 7, 24, 'finance'],
      ['ai', north, 'lab', 3, 13, null],
    ],
  },
  {
    service: 'Azure Kubernetes Service',
    category: 'Compute',
    subcategory: 'Containers',
    type: 'Managed cluster',
    meter: 'Standard uptime SLA',
    unit: 'Hours',
    unitPrice: 0.1,
    id: idOf('Microsoft.ContainerService/managedClusters'),
    at: [
      ['office', west, 'aks-office', 1, 2.4, 'platform'],
      ['ai', north, 'aks-ai', 2, 4.8, 'data'],
    ],
  },
  {
    service: 'Azure App Service',
    category: 'Compute',
    subcategory: 'Serverless Compute',
    type: 'App Service plan',
    meter: 'P1 v3',
    unit: 'Hours',
    unitPrice: 0.155,
    id: idOf('Microsoft.Web/serverFarms'),
    at: [['office', west, 'portal', 6, 22, 'finance']],
  },
  {
    service: 'Azure OpenAI',
    category: 'AI and Machine Learning',
    subcategory: 'Generative AI',
    type: 'Account',
    meter: 'Output tokens',
    unit: '1M tokens',
    unitPrice: 10,
    week: 'office',
    // New in the year: the third anomaly.
    beganDaysAgo: 38,
    id: idOf('Microsoft.CognitiveServices/accounts'),
    at: [['ai', north, 'assistant', 2, 39, 'data']],
  },
]

const otherLines: ServiceLine[] = [
  {
    service: 'Azure SQL Database',
    category: 'Databases',
    subcategory: 'Relational Databases',
    type: 'Database',
    meter: 'General purpose vCore',
    unit: 'Hours',
    unitPrice: 0.252,
    id: idOf('Microsoft.Sql/servers/sql-office/databases'),
    at: [['office', west, 'ledger', 6, 41, 'finance']],
  },
  {
    service: 'Azure Cosmos DB',
    category: 'Databases',
    subcategory: 'NoSQL Databases',
    type: 'Database account',
    meter: '100 RU/s',
    unit: 'Hours',
    unitPrice: 0.008,
    id: idOf('Microsoft.DocumentDB/databaseAccounts'),
    at: [
      ['office', west, 'tickets', 2, 9, 'platform'],
      ['ai', north, 'memory', 2, 7, null],
    ],
  },
  {
    service: 'Storage Accounts',
    category: 'Storage',
    subcategory: 'Object Storage',
    type: 'Storage account',
    meter: 'Hot LRS data stored',
    unit: 'GB-Months',
    unitPrice: 0.0196,
    growth: 0.4,
    id: idOf('Microsoft.Storage/storageAccounts'),
    at: [
      ['office', west, 'documents', 5, 14, 'finance'],
      ['ai', north, 'training', 3, 8, null],
    ],
  },
  {
    service: 'Azure Monitor',
    category: 'Management and Governance',
    subcategory: 'Observability',
    type: 'Workspace',
    meter: 'Analytics logs ingested',
    unit: 'GB',
    unitPrice: 2.3,
    id: idOf('Microsoft.OperationalInsights/workspaces'),
    at: [
      ['office', west, 'logs-office', 3, 15, 'platform'],
      ['ai', north, 'logs-ai', 2, 4, 'platform'],
    ],
  },
  {
    service: 'Application Gateway',
    category: 'Networking',
    subcategory: 'Application Networking',
    type: 'Application gateway',
    meter: 'Standard v2 capacity units',
    unit: 'Hours',
    unitPrice: 0.0144,
    id: idOf('Microsoft.Network/applicationGateways'),
    at: [['office', west, 'gateway', 2, 13, 'platform']],
  },
  {
    service: 'Bandwidth',
    category: 'Networking',
    subcategory: 'Network Connectivity',
    type: 'Transfer',
    meter: 'Inter-region data transfer',
    unit: 'GB',
    unitPrice: 0.02,
    id: () => null,
    at: [
      ['office', west, 'transfer-office', 1, 4.5, null],
      ['ai', north, 'transfer-ai', 1, 2.5, null],
    ],
  },
  {
    service: 'Microsoft Defender for Cloud',
    category: 'Security',
    subcategory: 'Threat Detection and Response',
    type: 'Plan',
    meter: 'Servers plan 2',
    unit: 'Hours',
    unitPrice: 0.02,
    id: () => null,
    at: [['office', west, 'defender', 2, 6.5, null]],
  },
]

export const azureResources: readonly DemoResource[] = makeResources('azure', accounts, [
  ...computeLines,
  ...otherLines,
])
