import { Fragment, type FormEvent, type ReactNode } from 'react'
import { Button } from './forms.tsx'
import { useFieldTurn } from './use-field-turn.ts'

type Props<Search> = {
  /** As in the address of the page. */
  search: Search
  read: (form: FormData) => Search
  onFilter: (search: Search) => void
  /** The number of results as text; empty while it is not known. */
  found: string
  act?: string
  className?: string
  /** The fields, which hold their values by themselves. */
  children: ReactNode
  beside?: ReactNode
}

/**
 * A filter that a button sends. The button and the field that was written in keep the focus, and the number of
 * results is announced.
 */
export function FilterForm<Search extends object>(props: Props<Search>) {
  const { search, read, onFilter, found, act = 'Filter', className = 'audit-filter' } = props
  const { turn, noteSent } = useFieldTurn(search)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const next = read(new FormData(event.currentTarget))
    noteSent(next)
    onFilter(next)
  }
  return (
    <form onSubmit={submit} className={className}>
      <Fragment key={turn}>{props.children}</Fragment>
      <Button type="submit">{act}</Button>
      {props.beside}
      <span role="status" className="dim num">
        {found}
      </span>
    </form>
  )
}
