import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workspaceQuery } from '../api/queries.ts'
import type { AuditFilter } from '../app/searches.ts'
import { personQuery } from '../users/person-query.ts'
import { whatWords } from './audit-areas.ts'

type Props = { filter: AuditFilter }

/** The filters that are set, each with a link to the log without it, and spans of time to choose. */
export function AuditChips({ filter }: Props) {
  const without = (field: keyof AuditFilter): AuditFilter => {
    const { [field]: _gone, ...others } = filter
    return others
  }
  const who = useActor(filter.actor)
  const where = useTarget(filter.target)
  const set: ReadonlyArray<readonly [keyof AuditFilter, string]> = [
    ...(filter.actor ? [['actor', `By ${who}`] as const] : []),
    ...(filter.event ? [['event', whatWords(filter.event)] as const] : []),
    ...(filter.target ? [['target', `On ${where}`] as const] : []),
    ...(filter.from ? [['from', `From ${filter.from}`] as const] : []),
    ...(filter.to ? [['to', `To ${filter.to}`] as const] : []),
  ]
  return (
    <div className="audit-chips">
      <ul className="chips" aria-label="Spans of time">
        {spans.map(({ label, days }) => {
          const from = dayBefore(days)
          const isSet = filter.from === from && filter.to === undefined
          return (
            <li key={label}>
              <Link
                to="/organization/audit"
                search={{ ...without('to'), from }}
                className="chip"
                activeProps={{}}
                {...(isSet && { 'aria-current': 'true' as const })}
              >
                {label}
              </Link>
            </li>
          )
        })}
      </ul>
      {set.length > 0 && (
        <ul className="chips" aria-label="Filters that are set">
          {set.map(([field, words]) => (
            <li key={field}>
              <Link
                to="/organization/audit"
                search={without(field)}
                className="chip set"
                activeProps={{}}
                aria-label={`Remove the filter “${words}”`}
              >
                {words} <span aria-hidden="true">×</span>
              </Link>
            </li>
          ))}
          <li>
            <Link to="/organization/audit" search={{}} activeProps={{}}>
              Clear all
            </Link>
          </li>
        </ul>
      )}
    </div>
  )
}

const spans = [
  { label: 'Today', days: 0 },
  { label: 'Last 7 days', days: 6 },
  { label: 'Last 30 days', days: 29 },
] as const

/** A day in the viewer's time zone, as all days on the page. */
function dayBefore(days: number): string {
  const now = new Date()
  const then = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`
}

const kinds: Readonly<Record<string, string>> = {
  user: 'a person',
  token: 'a token',
  scim: 'the identity provider',
  agent: 'an agent',
  system: 'the service',
}

/** The name of the person that the filter `user:12` means; any other text as it is. */
function useActor(actor = ''): string {
  const id = Number(/^user:(\d{1,9})$/.exec(actor)?.[1] ?? 0)
  const query = useQuery(personQuery(id === 0 ? null : id))
  if (id === 0) return kinds[actor] ?? actor.replace(':', ' ')
  return query.data?.user.name ?? (query.error ? 'a former member' : '…')
}

function useTarget(target = ''): string {
  const id = Number(/^workspace:(\d{1,9})$/.exec(target)?.[1] ?? 0)
  const query = useQuery({ ...workspaceQuery(id), enabled: id !== 0 })
  if (id === 0) return /^[a-z_]+:\d+$/.test(target) ? target.replaceAll(/[_:]/g, ' ') : target
  return query.data?.workspace.name ?? (query.error ? 'a deleted workspace' : '…')
}
