import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { configurationVersionQuery } from '../api/queries.ts'
import { plural } from '../api/words.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { FileDiff } from './file-diff.tsx'

type Props = {
  /** Of the workspace. */
  id: number
  older: number
  newer: number
  /** Shown where nothing differs. */
  children: ReactNode
}

/** What differs between two versions of the files of a workspace. */
export function VersionDiff({ id, older, newer, children }: Props) {
  const [shown, setShown] = useState(filesAtOnce)
  const [olds, news] = [
    useQuery(configurationVersionQuery(id, older)),
    useQuery(configurationVersionQuery(id, newer)),
  ]
  const error = olds.error ?? news.error
  if (!olds.data || !news.data)
    return error ? <ErrorNote error={error} goesOn /> : <Loading what="files" />
  const [was, is] = [olds.data.configuration?.files ?? {}, news.data.configuration?.files ?? {}]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted()
  const changed = names.filter((name) => was[name] !== is[name])
  if (changed.length === 0) return <p className="dim">{children}</p>
  const rest = changed.length - shown
  return (
    <div className="checks">
      {changed.slice(0, shown).map((name) => (
        <FileDiff key={name} name={name} was={was[name]} is={is[name]} />
      ))}
      {rest > 0 && (
        <p>
          {plural(rest, 'more file')} differ.{' '}
          <Button onClick={() => setShown(shown + filesAtOnce)}>Show more</Button>
        </p>
      )}
    </div>
  )
}

const filesAtOnce = 50
