import { useState } from 'react'
import { Button } from '../parts/forms.tsx'
import { saveFile } from '../parts/save-file.ts'
import type { Plan } from './plan.ts'
import { planAsJson, planAsText } from './plan-file.ts'
import type { PlanPatch, PlanSearch } from './plan-search.ts'
import { countOf, totalOf, useOnceWhole, useWholePlan, type WholeQuery } from './use-whole-plan.ts'

type Format = 'json' | 'text'

type Props = {
  query: WholeQuery
  overview: Plan['overview']
  /** The run, as a title and as the name of a file. */
  title: string
  fileName: string
  search: PlanSearch
  onSearch: (patch: PlanPatch) => void
  onAll: (open: boolean) => void
}

/** What can be done with the whole list: open, close, group, download. */
export function PlanActions(props: Props) {
  const { query, overview, title, fileName, search, onSearch, onAll } = props
  const [wanted, setWanted] = useState<Format>()
  useWholePlan(query, wanted !== undefined)
  useOnceWhole(query, wanted && save)
  const read = countOf(query.data.pages)
  const failed = wanted !== undefined && query.isFetchNextPageError
  return (
    <div className="plan-actions">
      {search.view !== 'graph' && (
        <>
          <Button onClick={() => onAll(true)}>Expand all</Button>
          <Button onClick={() => onAll(false)}>Collapse all</Button>
          <Button
            aria-pressed={search.by === 'module'}
            onClick={() => onSearch({ by: search.by ? undefined : 'module' })}
          >
            Group by module
          </Button>
        </>
      )}
      <Button
        aria-pressed={search.view === 'graph'}
        onClick={() => onSearch({ view: search.view ? undefined : 'graph' })}
      >
        Dependency graph
      </Button>
      <span className="plan-download">
        <Button busy={wanted === 'json' && !failed} onClick={() => ask('json')}>
          Download JSON
        </Button>
        <Button busy={wanted === 'text' && !failed} onClick={() => ask('text')}>
          Download text
        </Button>
        <span role="status" className="dim num">
          {wanted &&
            (failed
              ? 'The download stopped: the service did not answer. Try again.'
              : `${read.toLocaleString()} of ${totalOf(overview).toLocaleString()} changes read`)}
        </span>
      </span>
    </div>
  )

  /** A second press after a failure reads on where the first one ended. */
  function ask(format: Format) {
    if (failed) void query.fetchNextPage()
    setWanted(format)
  }

  function save(pages: readonly Plan[]) {
    if (wanted === 'json')
      saveFile(`${fileName}.json`, 'application/json', planAsJson({ title, pages }))
    else saveFile(`${fileName}.txt`, 'text/plain;charset=utf-8', planAsText({ title, pages }))
    setWanted(undefined)
  }
}
