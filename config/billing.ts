import { resolve } from 'node:path'
import type { Environment } from './environment.ts'

/** How bills get in, and their limits. */
export type BillingConfig = Readonly<{
  /** Bills that a worker reads at the same time. Each may take 1 GB of memory. */
  billingSlots: number
  /** The folder on a disk for the files of bills while they are read. */
  billingDir: string
  /** The folder on a disk for the work folders of the reader. Default: derived from the data directory. */
  billingWorkDir: string | undefined
  /** The maximum size of one upload, all of its files together. */
  uploadMebibytes: number
  /** The maximum size of the files of one bill, as they are stored. */
  billGibibytes: number
  /** Whose exchange rates are used where nobody has set one; `none`: no others are used. */
  exchangeRates: 'none' | 'ecb'
}>

export function readBilling({ values, number, faults }: Environment): BillingConfig {
  const dataDir = resolve(values['CC_DATA_DIR'] ?? '.data')
  return {
    billingSlots: number('CC_BILLING_SLOTS', 1, [1, 64]),
    billingDir: resolve(values['CC_BILLING_DIR'] ?? `${dataDir}/billing`),
    billingWorkDir: values['CC_BILLING_WORK_DIR']
      ? resolve(values['CC_BILLING_WORK_DIR'])
      : undefined,
    uploadMebibytes: number('CC_UPLOAD_MEBIBYTES', 512, [1, 16_384]),
    billGibibytes: number('CC_BILL_GIBIBYTES', 20, [1, 4_096]),
    exchangeRates: readExchangeRates(values['CC_EXCHANGE_RATES'], faults),
  }
}

function readExchangeRates(
  value: string | undefined,
  faults: string[],
): BillingConfig['exchangeRates'] {
  if (!value || value === 'none') return 'none'
  if (value === 'ecb') return 'ecb'
  faults.push(`CC_EXCHANGE_RATES=${value} is neither "none" nor "ecb"`)
  return 'none'
}
