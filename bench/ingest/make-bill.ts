import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

/** A database of the bench's own, with what a server has by default. */
export async function bareDuckDb(scratch: string): Promise<DuckDBConnection> {
  const settings = { threads: '2', memory_limit: '4GB', temp_directory: scratch }
  const database = await (await DuckDBInstance.create(':memory:', settings)).connect()
  await database.run(`SET TimeZone = 'UTC'`)
  return database
}

/** Hourly lines of one month in 59 columns, as AWS exports them: 720 of each resource. */
export async function makeBill(
  database: DuckDBConnection,
  { lines, parquet, csv }: { lines: number; parquet: string; csv: string },
): Promise<void> {
  const columns = Object.entries(bill).map(([name, sql]) => `${sql} AS "${name}"`)
  await database.run(`COPY (
    SELECT ${columns.join(', ')} FROM (
      SELECT i // 720 AS r, i % 720 AS h, (hash(i) % 100000)::DOUBLE / 1000000 AS cost FROM range(${lines}) t(i))
    ) TO '${parquet}' (FORMAT parquet, COMPRESSION snappy)`)
  await database.run(`COPY (SELECT * REPLACE (CAST(to_json(Tags) AS VARCHAR) AS Tags) FROM '${parquet}')
    TO '${csv}' (FORMAT csv, COMPRESSION gzip, TIMESTAMPFORMAT '%Y-%m-%dT%H:%M:%SZ')`)
}

const none = 'NULL::VARCHAR'
const bill: Record<string, string> = {
  AvailabilityZone: `'us-east-1' || ['a', 'b', 'c'][1 + r % 3]`,
  BilledCost: 'cost',
  BillingAccountId: `'123456789012'`,
  BillingAccountName: `'Payer account'`,
  BillingAccountType: `'Payer'`,
  BillingCurrency: `'USD'`,
  BillingPeriodEnd: `TIMESTAMP '2026-10-01'`,
  BillingPeriodStart: `TIMESTAMP '2026-09-01'`,
  CapacityReservationId: none,
  CapacityReservationStatus: none,
  ChargeCategory: `'Usage'`,
  ChargeClass: none,
  ChargeDescription: `'$0.0416 per On Demand Linux instance hour of kind ' || (r % 60)`,
  ChargeFrequency: `'Usage-Based'`,
  ChargePeriodEnd: `TIMESTAMP '2026-09-01' + to_hours(h + 1)`,
  ChargePeriodStart: `TIMESTAMP '2026-09-01' + to_hours(h)`,
  CommitmentDiscountCategory: none,
  CommitmentDiscountId: none,
  CommitmentDiscountName: none,
  CommitmentDiscountQuantity: 'NULL::DOUBLE',
  CommitmentDiscountStatus: none,
  CommitmentDiscountType: none,
  CommitmentDiscountUnit: none,
  ConsumedQuantity: '1::DOUBLE',
  ConsumedUnit: `'Hours'`,
  ContractedCost: 'cost',
  ContractedUnitPrice: '0.0416::DOUBLE',
  EffectiveCost: 'cost * 0.9',
  InvoiceId: none,
  InvoiceIssuerName: `'AWS'`,
  ListCost: 'cost * 1.2',
  ListUnitPrice: '0.05::DOUBLE',
  PricingCategory: `'Standard'`,
  PricingCurrency: `'USD'`,
  PricingCurrencyContractedUnitPrice: '0.0416::DOUBLE',
  PricingCurrencyEffectiveCost: 'cost * 0.9',
  PricingCurrencyListUnitPrice: '0.05::DOUBLE',
  PricingQuantity: '1::DOUBLE',
  PricingUnit: `'Hours'`,
  ProviderName: `'AWS'`,
  PublisherName: `'Amazon Web Services, Inc.'`,
  RegionId: `'us-east-1'`,
  RegionName: `'US East (N. Virginia)'`,
  ResourceId: `'arn:aws:ec2:us-east-1:' || (100000000000 + r % 20) || ':instance/i-' || left(md5(r::VARCHAR), 17)`,
  ResourceName: `'server-' || r`,
  ResourceType: `'EC2 Instance'`,
  ServiceCategory: `'Compute'`,
  ServiceName: `'Service ' || (r % 60)`,
  ServiceSubcategory: `'Virtual Machines'`,
  SkuId: `'SKU' || (r % 400)`,
  SkuMeter: `'Compute Usage'`,
  SkuPriceDetails: `'{"InstanceType":"t3.medium"}'`,
  SkuPriceId: `'SKU' || (r % 400) || '.JRTCKXETXF'`,
  SubAccountId: '(100000000000 + r % 20)::VARCHAR',
  SubAccountName: `'account ' || (r % 20)`,
  SubAccountType: `'Member'`,
  Tags: `map {'user:team': 'team-' || (r % 25), 'user:env': ['prod', 'dev', 'stage'][1 + r % 3], 'user:app': 'app-' || (r % 200)}`,
  x_Operation: `'RunInstances:' || (r % 7)`,
  x_ServiceCode: `'AmazonEC2'`,
}
