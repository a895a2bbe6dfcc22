import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Field } from '../parts/forms.tsx'

/** Sends files in FOCUS form as one bill. */
export function UploadBill({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const upload = useMutation({
    mutationFn: (form: FormData) => call('uploadBill', { form }),
    onSuccess: onClose,
    // A refused bill is listed too.
    onSettled: async () => queryClient.invalidateQueries({ queryKey: ['cost'] }),
  })
  return (
    <FormDialog
      title="Upload a bill"
      description="Files in FOCUS form, versions 1.0 to 1.4. They replace the months that are in them, for this name."
      act="Upload"
      acting="Uploading…"
      doing={upload}
      onSubmit={(form) => upload.mutate(form)}
      onClose={onClose}
    >
      {/* The first field of the form: the service reads the name before the files. */}
      <Field
        label="Name"
        name="source"
        required
        pattern="[a-z0-9\-]{1,63}"
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
        hint="Lower-case letters, digits and hyphens, such as snowflake. Use the same name for the next bill."
      />
      <Field
        label="Files"
        name="file"
        type="file"
        multiple
        required
        accept=".parquet,.csv,.gz"
        hint="Parquet, CSV, or CSV with gzip."
      />
    </FormDialog>
  )
}
