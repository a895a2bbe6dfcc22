import type { WorkspaceSort } from './workspaces-search.ts'

type Column = { title: string; name: string; by?: 'name' | 'criticality' | 'lastRunAt' }

const columns: readonly Column[] = [
  { title: 'Name', name: 'head-name', by: 'name' },
  { title: 'Criticality', name: 'head-criticality', by: 'criticality' },
  { title: 'Last run', name: 'head-state' },
  { title: 'Changes', name: 'head-changes' },
  { title: 'By', name: 'head-by' },
  { title: 'When', name: 'head-when', by: 'lastRunAt' },
]

/** What a first click shows: the newest run, the first name, production. */
const first = { name: 'name', criticality: 'criticality', lastRunAt: '-lastRunAt' } as const
const second = { name: '-name', criticality: '-criticality', lastRunAt: 'lastRunAt' } as const

const orders: Record<WorkspaceSort, string> = {
  name: 'A to Z',
  '-name': 'Z to A',
  criticality: 'production first',
  '-criticality': 'standard first',
  '-lastRunAt': 'newest first',
  lastRunAt: 'oldest first',
}

type Props = { sort: WorkspaceSort | undefined; onSort: (sort: WorkspaceSort) => void }

/** The titles of the columns. Those that the list can be ordered by are buttons. */
export function WorkspaceSorts({ sort, onSort }: Props) {
  return (
    <div className="workspace-head" role="group" aria-label="Order of the list">
      {columns.map(({ title, name, by }) => (
        <span key={name} className={name}>
          {by ? (
            <button
              type="button"
              className="sort"
              aria-pressed={sort === first[by] || sort === second[by]}
              onClick={() => onSort(sort === first[by] ? second[by] : first[by])}
            >
              {title}
              {sort && (sort === first[by] || sort === second[by]) && (
                <>
                  <span aria-hidden="true">{sort === first[by] ? ' ↓' : ' ↑'}</span>
                  <span className="visually-hidden">{`, ${orders[sort]}`}</span>
                </>
              )}
            </button>
          ) : (
            title
          )}
        </span>
      ))}
    </div>
  )
}
