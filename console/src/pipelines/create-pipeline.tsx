import { useMe } from '../app/session.ts'
import { useOpening } from '../app/use-opening.ts'
import { Button } from '../parts/forms.tsx'
import { CreateDialog } from './create-dialog.tsx'

/** Creates a pipeline: of an application, or another one of a workspace, which already has a managed one. */
export function CreatePipeline({ begins }: { begins: boolean }) {
  const { may } = useMe()
  const dialog = useOpening('create', begins)
  if (!may('mutate_infra')) return null
  return (
    <>
      <Button tone="primary" data-key="c" onClick={dialog.open}>
        New pipeline
      </Button>
      {dialog.isOpen && <CreateDialog onClose={dialog.close} />}
    </>
  )
}
