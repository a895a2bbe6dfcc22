import { Empty } from '../parts/notes.tsx'

/** Shown on a page that the person may not see, when they open it by its URL. */
export function ForAdministrators({ what }: { what: string }) {
  return (
    <Empty title={`${what} is managed by administrators`}>
      <p>Ask a person with the role Org Admin or Owner. The page People lists them.</p>
    </Empty>
  )
}
