import { Empty } from '../parts/notes.tsx'

/** A page by its address, to somebody who may not see what is on it. */
export function ForAdministrators({ what }: { what: string }) {
  return (
    <Empty title={`${what} is looked after by others`}>
      <p>Ask a person with the role Org Admin or Owner, whom you find under People.</p>
    </Empty>
  )
}
