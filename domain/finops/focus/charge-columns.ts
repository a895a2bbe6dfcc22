/**
 * The columns of a charge at day grain: one row for each distinct set of dimensions of a UTC day, in one billing
 * period of one source. Names and meaning are those of FOCUS 1.2, with the two provider columns of 1.3.
 *
 * The reader's file of one billing period goes as it is into
 *
 *     COPY focus_charges (<copyColumns>) FROM STDIN (FORMAT csv)
 *
 * `organization_id`, `slice_id` and `period` are not in it: the file is written by a program that read a stranger's
 * bytes, so the store fills them itself (column defaults that read settings of the transaction), and no file can
 * name another organization, slice or period.
 */
export const chargeColumns: readonly ChargeColumn[] = [
  { name: 'day', type: 'date', role: 'dimension', required: true },
  // 128 bits over all other columns of the row, the sums too: a row that differs in anything has another digest.
  // Unique within a slice.
  { name: 'digest', type: 'uuid', role: 'digest', required: true },
  // `aws`, `azure`, `gcp`, `oci`, or another's name in lower case.
  { name: 'provider', type: 'text', role: 'dimension', required: true },

  { name: 'billed_cost', focus: 'BilledCost', type: 'cost', role: 'sum', required: true },
  { name: 'effective_cost', focus: 'EffectiveCost', type: 'cost', role: 'sum', required: true },
  sum('list_cost', 'ListCost', 'cost'),
  sum('contracted_cost', 'ContractedCost', 'cost'),
  sum('pricing_quantity', 'PricingQuantity', 'quantity'),
  sum('consumed_quantity', 'ConsumedQuantity', 'quantity'),
  sum('commitment_discount_quantity', 'CommitmentDiscountQuantity', 'quantity'),
  sum('pricing_currency_effective_cost', 'PricingCurrencyEffectiveCost', 'cost'),

  // Earliest start and latest end of the lines that a row adds up.
  { name: 'charge_period_start', focus: 'ChargePeriodStart', type: 'timestamptz', role: 'first' },
  { name: 'charge_period_end', focus: 'ChargePeriodEnd', type: 'timestamptz', role: 'last' },
  // A value that all lines of the row share, else null.
  shared('list_unit_price', 'ListUnitPrice'),
  shared('contracted_unit_price', 'ContractedUnitPrice'),
  shared('pricing_currency_list_unit_price', 'PricingCurrencyListUnitPrice'),
  shared('pricing_currency_contracted_unit_price', 'PricingCurrencyContractedUnitPrice'),

  { name: 'billing_period_start', focus: 'BillingPeriodStart', type: 'date', role: 'dimension' },
  { name: 'billing_period_end', focus: 'BillingPeriodEnd', type: 'date', role: 'dimension' },
  required('billing_currency', 'BillingCurrency'),
  required('charge_category', 'ChargeCategory'),
  required('service_name', 'ServiceName'),
  // The bill's own name of the provider.
  required('provider_name', 'ProviderName'),
  text('service_provider_name', 'ServiceProviderName'),
  text('host_provider_name', 'HostProviderName'),
  text('publisher_name', 'PublisherName'),
  text('invoice_issuer_name', 'InvoiceIssuerName'),
  text('invoice_id', 'InvoiceId'),
  text('billing_account_id', 'BillingAccountId'),
  text('billing_account_name', 'BillingAccountName'),
  text('billing_account_type', 'BillingAccountType'),
  text('sub_account_id', 'SubAccountId'),
  text('sub_account_name', 'SubAccountName'),
  text('sub_account_type', 'SubAccountType'),
  text('charge_class', 'ChargeClass'),
  text('charge_description', 'ChargeDescription'),
  text('charge_frequency', 'ChargeFrequency'),
  text('service_category', 'ServiceCategory'),
  text('service_subcategory', 'ServiceSubcategory'),
  text('region_id', 'RegionId'),
  text('region_name', 'RegionName'),
  text('availability_zone', 'AvailabilityZone'),
  text('resource_id', 'ResourceId'),
  text('resource_name', 'ResourceName'),
  text('resource_type', 'ResourceType'),
  text('sku_id', 'SkuId'),
  text('sku_meter', 'SkuMeter'),
  text('sku_price_id', 'SkuPriceId'),
  text('sku_price_details', 'SkuPriceDetails'),
  text('pricing_category', 'PricingCategory'),
  text('pricing_unit', 'PricingUnit'),
  text('pricing_currency', 'PricingCurrency'),
  text('consumed_unit', 'ConsumedUnit'),
  text('commitment_discount_id', 'CommitmentDiscountId'),
  text('commitment_discount_name', 'CommitmentDiscountName'),
  text('commitment_discount_category', 'CommitmentDiscountCategory'),
  text('commitment_discount_type', 'CommitmentDiscountType'),
  text('commitment_discount_status', 'CommitmentDiscountStatus'),
  text('commitment_discount_unit', 'CommitmentDiscountUnit'),
  text('capacity_reservation_id', 'CapacityReservationId'),
  text('capacity_reservation_status', 'CapacityReservationStatus'),
  // One object of text values, under the organization's aliases; null where there is none.
  { name: 'tags', focus: 'Tags', type: 'jsonb', role: 'dimension' },
  // Columns that are not above (`x_*`, later versions), of those all values that the lines share.
  { name: 'extra', type: 'jsonb', role: 'shared' },
]

export type ChargeColumn = {
  /** In `focus_charges`. */
  name: string
  /** In a bill. */
  focus?: string
  /** PostgreSQL's type; a `cost` is numeric(30, 12), a `quantity` or unit price numeric(38, 15). */
  type: 'date' | 'uuid' | 'text' | 'cost' | 'quantity' | 'timestamptz' | 'jsonb'
  role: 'dimension' | 'digest' | 'sum' | 'first' | 'last' | 'shared'
  /** Never null in `focus_charges`. */
  required?: true
}

/** In the order of the reader's file. */
export const copyColumns: readonly string[] = chargeColumns.map(({ name }) => name)

function text(name: string, focus: string): ChargeColumn {
  return { name, focus, type: 'text', role: 'dimension' }
}

function required(name: string, focus: string): ChargeColumn {
  return { ...text(name, focus), required: true }
}

function sum(name: string, focus: string, type: ChargeColumn['type']): ChargeColumn {
  return { name, focus, type, role: 'sum' }
}

function shared(name: string, focus: string): ChargeColumn {
  return { name, focus, type: 'quantity', role: 'shared' }
}
