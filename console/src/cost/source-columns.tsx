import { Link } from '@tanstack/react-router'
import type { Column } from '../parts/data-table.tsx'
import { Time } from '../parts/time.tsx'
import { dayWords } from '../parts/day-words.ts'

/** Where bills come from: a cloud account, or uploads, which have no account. */
type Source = {
  accountId: number | null
  name: string
  completeThrough: string | null
  ingestedAt: string | null
}

/** Whose bills they are, and how far they go. */
export const sourceColumns: ReadonlyArray<Column<Source>> = [
  {
    title: 'Bill of',
    render: ({ accountId, name }) =>
      accountId === null ? (
        <>
          {name} <span className="tag">upload</span>
        </>
      ) : (
        <Link to="/clouds/$id" params={{ id: accountId }}>
          {name}
        </Link>
      ),
  },
  {
    title: 'Complete through',
    render: ({ completeThrough }) => (completeThrough ? dayWords(completeThrough) : 'no day yet'),
  },
  {
    title: 'Loaded',
    look: 'dim',
    render: ({ ingestedAt }) => (ingestedAt ? <Time at={ingestedAt} /> : 'never'),
  },
]
