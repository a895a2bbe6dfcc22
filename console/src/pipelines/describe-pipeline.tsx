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
  // As the fields show it. What differs from the polled one may be another person's change.
  const [was] = useState(pipeline)
  const save = useMutation({
    mutationFn: async (form: FormData): Promise<unknown> => {
      const [labels, description] = [textIn(form, 'labels'), textIn(form, 'description')]
      const body = describedIn({ labels, description }, was)
      if (Object.keys(body).length === 0) return undefined
      return call('updatePipeline', { params: { id: was.id }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['pipelines'] })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Describe ${was.name}`}
      act="Save"
      doing={save}
      onSubmit={(form) => save.mutate(form)}
      onClose={onClose}
    >
      <Field
        label="Description"
        name="description"
        defaultValue={was.description}
        maxLength={descriptionLength}
        autoComplete="off"
      />
      <LabelsField labels={was.labels} />
    </FormDialog>
  )
}
