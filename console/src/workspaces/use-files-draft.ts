import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../api/call.ts'
import { configurationQuery } from '../api/queries.ts'
import type { FileTexts } from './merge-files.ts'

export type FilesVersion = {
  /** 0: there is no version yet. */
  number: number
  files: FileTexts
  authors?: ReadonlyArray<{ label: string }>
}

/**
 * The unsaved files and the version that they are based on. A newer version replaces an unchanged draft. A
 * changed draft stays, and its save is refused by the service until its author merged it with that version or
 * decided to save over it (lost update). `begun`: what the draft of a workspace without files begins with,
 * which counts as nobody's work until it is changed.
 */
export function useFilesDraft(id: number, newest: FilesVersion, begun?: FileTexts) {
  const queryClient = useQueryClient()
  const [saved, setSaved] = useState(newest)
  const [files, setFiles] = useState(begun ?? newest.files)
  const changed = !isSame(files, saved.files)
  const save = useMutation({
    mutationFn: (sent: { files: FileTexts; follows: number }) =>
      call('putConfiguration', {
        params: { id },
        body: { files: sent.files },
        followsVersion: sent.follows === 0 ? null : sent.follows,
      }),
    onSuccess: async ({ configuration: { number } }, sent) => {
      // What was typed since it was sent is not saved.
      setSaved({ number, files: sent.files })
      await queryClient.invalidateQueries({ queryKey: ['workspaces', id] })
    },
    onError: async (error) => {
      if (error instanceof ApiError && error.code === 'configuration_overtaken')
        await queryClient.invalidateQueries({ queryKey: configurationQuery(id).queryKey })
    },
  })
  /** Goes on from another version, with these files as the draft. */
  const goOnFrom = (version: FilesVersion, draft: FileTexts) => {
    save.reset()
    setSaved(version)
    setFiles(draft)
  }
  const isNewer = newest.number > saved.number
  const untouched = !changed || files === begun
  if (isNewer && untouched) {
    setSaved(newest)
    setFiles(newest.files)
  }
  const overtaken = isNewer && !untouched
  return {
    files,
    setFiles,
    saved,
    changed,
    untouched,
    overtaken,
    goOnFrom,
    saving: save.isPending,
    error: save.error,
    /** While it is overtaken only after the question whether to save over the newer version. */
    save: (onSaved?: () => void) =>
      save.mutate(
        { files, follows: overtaken ? newest.number : saved.number },
        onSaved && { onSuccess: onSaved },
      ),
  }
}

function isSame(a: FileTexts, b: FileTexts): boolean {
  if (a === b) return true
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
  )
}
