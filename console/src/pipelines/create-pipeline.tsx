import { useState } from 'react'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { CreateDialog } from './create-dialog.tsx'

/** Creates a pipeline: of an application, or another one of a workspace, which already has a managed one. */
export function CreatePipeline() {
  const { may } = useMe()
  const [open, setOpen] = useState(false)
  if (!may('mutate_infra')) return null
  return (
    <>
      <Button tone="primary" data-key="c" onClick={() => setOpen(true)}>
        New pipeline
      </Button>
      {open && <CreateDialog onClose={() => setOpen(false)} />}
    </>
  )
}
