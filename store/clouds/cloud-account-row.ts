import { Model } from 'objection'
import type { LentIdentities } from '../../domain/clouds/check-runs.ts'
import type {
  AccountCheck,
  AccountStatus,
  CloudProvider,
} from '../../domain/clouds/cloud-account.ts'

export type CloudEndpoints = {
  identity?: string
  resources?: string
  storage?: string
  warehouse?: string
}

export class CloudAccountRow extends Model {
  static override tableName = 'cloud_accounts'
  static override jsonAttributes = ['billingShown', 'endpoints', 'runs', 'checks']
  declare id: number
  declare organizationId: number
  declare provider: CloudProvider
  declare accountId: string
  declare name: string
  /** Sealed. */
  declare credentials: Buffer | null
  declare credentialsKind: 'federation' | 'keys'
  /** Sealed. */
  declare billing: Buffer | null
  /** The same without what is secret. */
  declare billingShown: Record<string, string> | null
  declare regions: string[] | null
  declare endpoint: string | null
  declare endpoints: CloudEndpoints
  /** What runs are lent in each phase. */
  declare runs: LentIdentities | null
  declare syncIntervalMinutes: number
  declare ingestIntervalHours: number
  declare status: AccountStatus
  declare statusReason: string | null
  declare checks: AccountCheck[]
  declare failedTries: number
  declare lateTries: number
  declare nextSyncAt: Date
  declare nextIngestAt: Date
  /** Those that were present when the last sync ended. */
  declare resources: number
  /** Syncs in a row that the credentials did not allow. */
  declare refusedSyncs: number
  /** What the last mail about it said. */
  declare healthTold: 'unknown' | 'well' | 'unwell'
  declare validatedAt: Date | null
  declare nextValidationAt: Date
  declare disconnectedAt: Date | null
  /** Resources of before it was disconnected are not all deleted. */
  declare forgetting: boolean
  declare purging: boolean
  declare version: number
  declare createdBy: number | null
  declare createdAt: Date
  declare updatedAt: Date
}

export type CloudAccount = Omit<CloudAccountRow, keyof Model>
type Settings =
  | 'name'
  | 'credentialsKind'
  | 'billing'
  | 'billingShown'
  | 'regions'
  | 'endpoint'
  | 'endpoints'
  | 'runs'
export type NewCloudAccount = Pick<
  CloudAccount,
  'provider' | 'accountId' | 'createdBy' | Settings
> &
  Partial<Pick<CloudAccount, 'syncIntervalMinutes' | 'ingestIntervalHours'>> & {
    credentials: Buffer
  }
export type CloudAccountChange = Partial<
  Pick<
    CloudAccount,
    | Settings
    | 'credentials'
    | 'syncIntervalMinutes'
    | 'ingestIntervalHours'
    | 'nextSyncAt'
    | 'nextIngestAt'
  >
>
export type AccountFinding = Pick<
  CloudAccount,
  'status' | 'statusReason' | 'checks' | 'failedTries' | 'lateTries'
>

/** What an account's secrets are sealed for: sealed text of another place does not open with it. */
export const placeOfCredentials = (organizationId: number) =>
  ({ organizationId, table: 'cloud_accounts', column: 'credentials' }) as const

export const placeOfBilling = (organizationId: number) =>
  ({ organizationId, table: 'cloud_accounts', column: 'billing' }) as const

/** An account whose credentials nobody has looked at yet; it is validated at once. */
export const unchecked = () => ({
  status: 'pending' as const,
  statusReason: null,
  checks: [],
  failedTries: 0,
  lateTries: 0,
  validatedAt: null,
  nextValidationAt: new Date(),
  // Its bills are looked at once it is validated: while they are the same, that costs little.
  nextIngestAt: new Date(),
})
