import type { Body } from '../api/call.ts'
import { billsFrom, fieldsOf } from './billing-in.ts'
import type { CloudAccount } from './queries.ts'

type Change = Body<'changeCloudAccount'>
type Billing = NonNullable<Change['billing']>
type Runs = NonNullable<Change['runs']>

type Was = Pick<
  CloudAccount,
  | 'provider'
  | 'name'
  | 'syncIntervalMinutes'
  | 'ingestIntervalHours'
  | 'regions'
  | 'endpoint'
  | 'billing'
  | 'runs'
>
/** The values of the fields. What a form does not ask for is left out. */
export type TypedAccount = {
  name: string
  syncIntervalMinutes: number
  ingestIntervalHours?: number
  regions: string[] | null
  endpoint: string | null
  billing: Billing | null
  /** The stored token or connection string of the bills, which is never shown. */
  deletesSecret?: boolean
  runs: Runs | null
  credentials?: NonNullable<Change['credentials']>
}

/**
 * What the dialog changes of the account that it was opened with, and no more: a save does not give runs a role again
 * that another person revoked meanwhile. `now`: the account as it is stored.
 */
export function accountChange(typed: TypedAccount, was: Was, now: Pick<Was, 'runs'> = was): Change {
  const { name, syncIntervalMinutes, ingestIntervalHours, endpoint, credentials } = typed
  const regionsDiffer = listed(typed.regions) !== listed(was.regions)
  const runs = runsChange(typed.runs, was.runs, now.runs)
  return {
    ...(name !== was.name && { name }),
    ...(syncIntervalMinutes !== was.syncIntervalMinutes && { syncIntervalMinutes }),
    ...(ingestIntervalHours !== undefined &&
      ingestIntervalHours !== was.ingestIntervalHours && { ingestIntervalHours }),
    ...(regionsDiffer && { regions: typed.regions }),
    ...(endpoint !== was.endpoint && { endpoint }),
    ...(sendsBilling(typed, was) && { billing: typed.billing }),
    ...(runs !== undefined && { runs }),
    ...(credentials && { credentials }),
  }
}

/**
 * The service replaces the fields of the bills whole, with the stored secret that the dialog cannot show. With another
 * endpoint it asks for all of it again, so that no stored secret goes there.
 */
function sendsBilling(
  { billing, deletesSecret, endpoint, credentials }: TypedAccount,
  was: Was,
): boolean {
  if (textOf(billing) !== textOf(was.billing)) return true
  if (billing === null) return false
  const mayHaveSecret = fieldsOf(was.provider, billsFrom(was.provider, was.billing)).some(
    ({ secret }) => secret,
  )
  const isAskedAgain = endpoint !== was.endpoint && credentials !== undefined
  return deletesSecret === true || (isAskedAgain && !mayHaveSecret)
}

/** The service replaces both phases at once, so the one that was not changed is sent as it is stored. */
function runsChange(
  typed: Runs | null,
  was: CloudAccount['runs'],
  now: CloudAccount['runs'],
): Runs | null | undefined {
  const runs: Runs = {}
  let differs = false
  for (const phase of ['plan', 'apply'] as const) {
    const isOther = JSON.stringify(typed?.[phase]) !== JSON.stringify(was?.[phase])
    const identity = isOther ? typed?.[phase] : now?.[phase]
    if (identity !== undefined) runs[phase] = identity
    differs ||= isOther
  }
  if (!differs) return undefined
  return Object.keys(runs).length > 0 ? runs : null
}

const listed = (regions: readonly string[] | null) => regions?.toSorted().join(' ') ?? ''

/** An empty field and one that is left out mean the same. */
const textOf = (billing: Billing | null) =>
  billing &&
  JSON.stringify(
    Object.entries(billing)
      .filter(([, value]) => value !== '')
      .toSorted(([one], [other]) => one.localeCompare(other)),
  )
