import type { Body } from '../api/call.ts'
import { changedScope } from '../cost/changed-scope.ts'
import { changedFields } from '../parts/changed-fields.ts'
import type { Channel } from './queries.ts'

type Change = Body<'updateNotification'>
/** `events`, `url` and, of a channel that is no mail, `recipients` and `digest` are there where they are sent. */
type Typed = Change & {
  name: string
  scopeKind: Channel['scopeKind']
  scopeValue: string | null
  minimumImpact: number | null
}
type Was = Pick<
  Channel,
  'name' | 'scopeKind' | 'scopeValue' | 'minimumImpact' | 'recipients' | 'digest'
>

/** What the form changes of the channel that it was opened with, and no more. An address cannot be compared. */
export function channelChange(typed: Typed, was: Was): Change {
  const { scopeKind: _kind, scopeValue: _value, events, url, recipients, ...fields } = typed
  const isOther = recipients && textOf(recipients) !== textOf(was.recipients)
  return {
    ...changedFields(fields, was),
    ...changedScope(typed, was),
    ...(isOther && { recipients }),
    ...(events && { events }),
    ...(url !== undefined && { url }),
  }
}

/** The order of people says nothing. */
const textOf = (recipients: Change['recipients'] | null): string => {
  const { userIds = [], capability = null, owners = false } = recipients ?? {}
  return JSON.stringify([userIds.toSorted((a, b) => a - b), capability, owners])
}
