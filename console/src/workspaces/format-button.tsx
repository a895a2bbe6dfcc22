import { useMutation } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { Button } from '../parts/forms.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import type { useFilesDraft } from './use-files-draft.ts'

type Props = {
  /** Of the workspace. */
  id: number
  name: string
  draft: ReturnType<typeof useFilesDraft>
}

/** Formats the shown file as `tofu fmt` does. What is typed meanwhile stays, unformatted. */
export function FormatButton({ id, name, draft: { files, setFiles } }: Props) {
  const text = files[name] ?? ''
  const format = useMutation({
    mutationFn: (sent: { name: string; text: string }) =>
      call('formatConfigurationFile', { params: { id }, body: { text: sent.text } }),
    onSuccess: (formatted, sent) =>
      setFiles((all) =>
        all[sent.name] === sent.text ? { ...all, [sent.name]: formatted.text } : all,
      ),
  })
  if (!/\.(tf|tofu|tfvars)$/.test(name)) return null
  const ofThis = format.variables?.name === name
  const isDone = ofThis && format.isSuccess && format.data.text === text
  return (
    <>
      {ofThis && <ErrorNote error={format.error} />}
      <span role="status" className="dim">
        {isDone && 'Formatted.'}
      </span>
      <Button busy={format.isPending} onClick={() => format.mutate({ name, text })}>
        Format
      </Button>
    </>
  )
}
