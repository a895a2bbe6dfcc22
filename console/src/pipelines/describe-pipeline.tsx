import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import type { Pipeline } from '../api/types.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, textIn } from '../parts/forms.tsx'
import { describedIn, descriptionLength, LabelsField } from '../parts/labels-field.tsx'

/** Changes what a pipeline is for and what it is found by. */
export function DescribePipeline({ pipeline }: { pipeline: Pipeline }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit labels…</Button>
      {open && <DescribeDialog pipeline={pipeline} onClose={() => setOpen(false)} />}
    </>
  )
}

function DescribeDialog({ pipeline, onClose }: { pipeline: Pipeline; onClose: () => void }) {
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const [labels, description] = [textIn(form, 'labels'), textIn(form, 'description')]
      return call('updatePipeline', {
        params: { id: pipeline.id },
        body: describedIn({ labels, description }, pipeline),
      })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Describe ${pipeline.name}`}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="Description"
        name="description"
        defaultValue={pipeline.description}
        maxLength={descriptionLength}
        autoComplete="off"
      />
      <LabelsField labels={pipeline.labels} />
    </FormDialog>
  )
}
